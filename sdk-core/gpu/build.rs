//! Turns `kernels/*.wgsl` into SPIR-V, Metal source and a table of both.
//!
//! ```text
//! kernels/add.wgsl ─ source: variants and pieces ─▶ compile: naga ─▶ table: $OUT_DIR/kernels.rs
//! ```
//!
//! A mistake in a kernel is an error of the build, with the file and line of the kernel.

#[path = "build/compile.rs"]
mod compile;
#[path = "build/metal.rs"]
mod metal;
#[path = "build/source.rs"]
mod source;
#[path = "build/table.rs"]
mod table;

use std::{env, path::Path, process::ExitCode};

fn main() -> ExitCode {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=kernels");
    let Some(out) = env::var_os("OUT_DIR") else {
        eprintln!("OUT_DIR is not set: run this through cargo");
        return ExitCode::FAILURE;
    };
    match build(Path::new("kernels"), Path::new(&out)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(errors) => {
            for error in errors {
                eprintln!("{error}");
                println!("cargo::error={}", error.lines().next().unwrap_or_default());
            }
            ExitCode::FAILURE
        }
    }
}

/// Compiles every kernel, so that one build shows every mistake.
fn build(kernels: &Path, out: &Path) -> Result<(), Vec<String>> {
    let mut compiled = Vec::new();
    let mut errors = Vec::new();
    for source in source::read_all(kernels).map_err(|error| vec![error])? {
        match compile::compile(&source) {
            Ok(kernel) => compiled.push(kernel),
            // One mistake in a file is one in each of its variants: say it once.
            Err(error) if errors.iter().any(|e: &String| e.lines().next() == error.lines().next()) => {}
            Err(error) => errors.push(error),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    table::write(&compiled, out).map_err(|error| vec![error])
}
