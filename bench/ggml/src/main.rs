//! ggml's 4-bit matvec as a peer process: `bench-ggml ggml-cpu|ggml-vulkan FOLDER SIZE THREADS`.
//!
//! Reads `x.f32` and `w.f32`, quantises the weights with ggml's own code to each of its 4-bit types, writes each
//! answer to `y.<backend>.<variant>.f32` and then times one variant for each line that it is sent (the protocol is
//! in bench/race/src/peer.rs).

mod matvec;

use std::{
    env,
    io::{BufRead, stdin},
    path::PathBuf,
    time::Instant,
};

use anyhow::{Context, Result, bail};

use matvec::{Backend, Matvec};

fn main() {
    if let Err(error) = run() {
        println!("error {}", format!("{error:#}").replace('\n', " "));
        std::process::exit(1);
    }
}

fn run() -> Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [name, folder, size, threads] = arguments.as_slice() else {
        bail!("usage: bench-ggml ggml-cpu|ggml-vulkan FOLDER SIZE THREADS")
    };
    let (folder, size) = (PathBuf::from(folder), size.parse()?);
    let read = |file: &str| -> Result<Vec<f32>> {
        let bytes = std::fs::read(folder.join(file)).with_context(|| file.to_owned())?;
        Ok(bytemuck::allocation::pod_collect_to_vec(&bytes))
    };
    let (x, w) = (read("x.f32")?, read("w.f32")?);
    let (backend, calls) = match name.as_str() {
        "ggml-cpu" => (Backend::cpu(threads.parse()?)?, 40),
        "ggml-vulkan" => (Backend::vulkan()?, 5),
        other => bail!("there is no backend {other}"),
    };

    let mut variants = Vec::new();
    for (variant, matvec) in Matvec::all(&backend, size, &x, &w)? {
        matvec.compute()?;
        std::fs::write(
            folder.join(format!("y.{name}.{variant}.f32")),
            bytemuck::cast_slice::<f32, u8>(&matvec.y()),
        )?;
        println!("variant {variant}");
        variants.push((variant, matvec));
    }
    println!("version {}", matvec::version());
    println!("ready");

    for line in stdin().lock().lines() {
        let line = line?;
        let (_, matvec) = variants.iter().find(|(name, _)| *name == line).context("no such variant")?;
        println!("{}", median_seconds(matvec, calls)?);
    }
    Ok(())
}

/// The median of `calls` calls, each timed by itself, as for everybody else in these rows.
fn median_seconds(matvec: &Matvec, calls: usize) -> Result<f64> {
    let mut seconds = Vec::with_capacity(calls);
    for _ in 0..calls {
        let start = Instant::now();
        matvec.compute()?;
        seconds.push(start.elapsed().as_secs_f64());
    }
    seconds.sort_by(f64::total_cmp);
    seconds.get(calls / 2).copied().context("nothing was timed")
}
