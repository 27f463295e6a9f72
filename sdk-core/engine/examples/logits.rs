//! The logits of every position of a text that is given: what tests compare with MLX.
//!
//! `cargo run -p exo-engine --example logits -- DIR --tokens 1,2,3 --out FILE [--backend cpu|vulkan|metal] [--cache
//! f32|f16|q8] [--chunk N] [--split L,L]`. Writes f32 in little-endian order, a row of the vocabulary for each token.
//! `--split 2,3` runs the layers in parts that begin at these layers, each a model of its own with activations in
//! and out.

use std::{error::Error, ops::ControlFlow, path::PathBuf};

use exo_engine::{CacheType, LoadOptions, Model, TokenRun};
use exo_gpu::{BackendKind, Gpu, OpenOptions};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let directory = PathBuf::from(arguments.next().ok_or("which directory?")?);
    let (mut tokens, mut out, mut splits) = (Vec::new(), None, Vec::new());
    let mut open = OpenOptions::new().remember_nothing().backend(BackendKind::Cpu);
    let mut options =
        LoadOptions { cache: CacheType::F32, context: 256, chunk: 64, ..LoadOptions::default() };
    while let Some(name) = arguments.next() {
        let value = arguments.next().ok_or_else(|| format!("{name} needs a value"))?;
        let numbers = || value.split(',').map(str::parse::<u32>).collect::<Result<Vec<_>, _>>();
        match name.as_str() {
            "--tokens" => tokens = numbers()?,
            "--split" => splits = numbers()?,
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
    let last = Model::layers_in(&directory)?;
    let mut bounds = vec![0];
    bounds.extend(splits.iter().map(|&layer| layer as usize));
    bounds.push(last);
    let models = bounds.windows(2).map(|pair| {
        let options = LoadOptions { layers: Some(pair[0]..pair[1]), ..options.clone() };
        Model::load(gpu.device(), &directory, &options, &mut |_| ControlFlow::Continue(()))
    });
    let mut run = TokenRun::new(models.collect::<Result<_, _>>()?);
    let logits = run.logits(&tokens)?;
    let bytes: Vec<u8> = logits.iter().flat_map(|x| x.to_le_bytes()).collect();
    std::fs::write(out.ok_or("--out is missing")?, bytes)?;
    Ok(())
}
