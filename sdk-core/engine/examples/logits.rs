//! The logits of every position of a text that is given: what tests compare with MLX.
//!
//! `cargo run -p exo-engine --example logits -- DIR --tokens 1,2,3 --out FILE [--backend cpu|vulkan|metal] [--cache
//! f32|f16|q8] [--chunk N] [--split L,L] [--slices N]`. Writes f32 in little-endian order, a row of the vocabulary for each
//! token, and says how many operations the CPU computed in the place of the device. `--split 2,3` runs the layers in parts
//! that begin at these layers, each a model of its own with activations in and out; `--slices 2` runs every layer in slices,
//! each on a thread, which add up their sums.

use std::{
    error::Error,
    ops::ControlFlow,
    path::PathBuf,
    sync::{Barrier, Mutex, PoisonError},
};

use exo_engine::{CacheType, LoadOptions, Model, Slice, TokenRun};
use exo_gpu::{BackendKind, Gpu, OpenOptions};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let directory = PathBuf::from(arguments.next().ok_or("which directory?")?);
    let (mut tokens, mut out, mut splits, mut slices) = (Vec::new(), None, Vec::new(), None);
    let mut open = OpenOptions::new().remember_nothing().backend(BackendKind::Cpu);
    let mut options =
        LoadOptions { cache: CacheType::F32, context: 256, chunk: 64, ..LoadOptions::default() };
    while let Some(name) = arguments.next() {
        let value = arguments.next().ok_or_else(|| format!("{name} needs a value"))?;
        let numbers = || value.split(',').map(str::parse::<u32>).collect::<Result<Vec<_>, _>>();
        match name.as_str() {
            "--tokens" => tokens = numbers()?,
            "--split" => splits = numbers()?,
            "--slices" => slices = Some(value.parse()?),
            "--out" => out = Some(value),
            "--chunk" => options.chunk = value.parse()?,
            "--backend" => {
                open = open.backend(match value.as_str() {
                    "cpu" => BackendKind::Cpu,
                    "vulkan" => BackendKind::Vulkan,
                    "metal" => BackendKind::Metal,
                    other => return Err(format!("unknown backend {other}").into()),
                });
            }
            "--cache" => {
                options.cache = match value.as_str() {
                    "f32" => CacheType::F32,
                    "f16" => CacheType::F16,
                    "q8" => CacheType::Q8,
                    other => return Err(format!("unknown cache {other}").into()),
                }
            }
            other => return Err(format!("unknown option {other}").into()),
        }
    }
    let gpu = Gpu::open(open)?;
    let load = |options: &LoadOptions| {
        Model::load(gpu.device(), &directory, options, &mut |_| ControlFlow::Continue(()))
    };
    let last = Model::layers_in(&directory)?;
    let mut bounds = vec![0];
    bounds.extend(splits.iter().map(|&layer| layer as usize));
    bounds.push(last);
    let models = bounds
        .windows(2)
        .map(|pair| load(&LoadOptions { layers: Some(pair[0]..pair[1]), ..options.clone() }));
    let logits = match slices {
        None => TokenRun::new(models.collect::<Result<_, _>>()?).logits(&tokens)?,
        Some(of) => {
            let slices = (0..of)
                .map(|rank| load(&LoadOptions { slice: Some(Slice { rank, of }), ..options.clone() }))
                .collect::<Result<Vec<_>, _>>()?;
            in_slices(slices, &tokens)?
        }
    };
    println!("computed by the CPU instead: {}", gpu.device().substituted());
    let bytes: Vec<u8> = logits.iter().flat_map(|x| x.to_le_bytes()).collect();
    std::fs::write(out.ok_or("--out is missing")?, bytes)?;
    Ok(())
}

/// All slices at once, each on a thread: every sum waits for all of them.
fn in_slices(slices: Vec<Model>, tokens: &[u32]) -> Result<Vec<f32>, Box<dyn Error>> {
    let (sum, all) = (Mutex::new(Vec::<f32>::new()), Barrier::new(slices.len()));
    let lock = || sum.lock().unwrap_or_else(PoisonError::into_inner);
    let reduce = &|part: &mut [f32]| {
        let mut sum = lock();
        sum.resize(part.len(), 0.0);
        for (sum, part) in sum.iter_mut().zip(&*part) {
            *sum += part;
        }
        drop(sum);
        all.wait();
        part.copy_from_slice(&lock());
        if all.wait().is_leader() {
            lock().clear();
        }
        all.wait();
        Ok(())
    };
    let results = std::thread::scope(|scope| {
        let run =
            |slice| scope.spawn(move || TokenRun::new(vec![slice]).logits_of_slice(tokens, &mut { reduce }));
        let running: Vec<_> = slices.into_iter().map(run).collect();
        running.into_iter().map(|one| one.join().map_err(|_| "a slice panicked")).collect::<Vec<_>>()
    });
    let mut logits = Vec::new();
    for result in results {
        logits = result??;
    }
    Ok(logits)
}
