//! Tells the program which versions of its in-process rivals the lock file chose.

use std::{env, fs, path::PathBuf};

fn main() {
    let lock = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("../Cargo.lock");
    println!("cargo:rerun-if-changed={}", lock.display());
    let text = fs::read_to_string(&lock).unwrap_or_default();
    for name in ["wgpu", "ash"] {
        let version = version_of(&text, name).unwrap_or("unknown");
        println!("cargo:rustc-env={}_VERSION={version}", name.to_uppercase());
    }
}

/// The version of the first package called `name`.
fn version_of<'a>(lock: &'a str, name: &str) -> Option<&'a str> {
    let package =
        lock.split("[[package]]").find(|package| package.contains(&format!("\nname = \"{name}\"\n")))?;
    package.split_once("\nversion = \"")?.1.split('"').next()
}
