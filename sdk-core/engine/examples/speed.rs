//! Tokens a second of a model on a directory: `speed DIR [--backend cpu|vulkan] [--context N] [--prompt N] [--steps N]`.
//! Prints one JSON object.

use std::{error::Error, ops::ControlFlow, path::PathBuf, time::Instant};

use exo_engine::{LoadOptions, Model, TokenRun};
use exo_gpu::{BackendKind, Gpu, OpenOptions};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let directory = PathBuf::from(arguments.next().ok_or("which directory?")?);
    let mut open = OpenOptions::new().remember_nothing().backend(BackendKind::Cpu);
    let (mut before, mut prompt, mut steps) = (128, 512, 32);
    while let Some(name) = arguments.next() {
        let value = arguments.next().ok_or_else(|| format!("{name} needs a value"))?;
        match name.as_str() {
            "--backend" if value == "vulkan" => open = open.backend(BackendKind::Vulkan),
            "--backend" => {}
            "--context" => before = value.parse()?,
            "--prompt" => prompt = value.parse()?,
            "--steps" => steps = value.parse()?,
            other => return Err(format!("unknown option {other}").into()),
        }
    }
    let gpu = Gpu::open(open)?;
    let start = Instant::now();
    let options = LoadOptions { context: (before + prompt + steps + 64) as u32, ..LoadOptions::default() };
    let model = Model::load(gpu.device(), &directory, &options, &mut |_| ControlFlow::Continue(()))?;
    let loaded = start.elapsed().as_secs_f64();
    let mut run = TokenRun::new(vec![model]);
    let tokens = |count: usize| (0..count as u32).map(|i| i * 7919 % 1000).collect::<Vec<_>>();
    let mut prefill = 0.0_f64;
    for _ in 0..(64 / prompt).max(3) {
        let start = Instant::now();
        run.last(&tokens(prompt))?;
        prefill = prefill.max(prompt as f64 / start.elapsed().as_secs_f64());
        run = run.emptied();
    }
    run.last(&tokens(before))?;
    let mut times = Vec::new();
    for i in 0..steps {
        let start = Instant::now();
        run.last(&[i as u32])?;
        times.push(start.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    println!(
        "{{\"load_s\": {loaded:.3}, \"prefill\": {prefill:.2}, \"decode\": {:.2}, \"decode_best\": {:.2}}}",
        1.0 / times[times.len() / 2],
        1.0 / times[0]
    );
    Ok(())
}
