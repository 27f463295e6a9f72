//! What the build script made: SPIR-V that the Khronos validator accepts, and Metal source that changes only when
//! somebody means it to.

use std::{
    env, fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use super::super::{Kernel, kernels::KERNELS};

#[test]
fn every_spirv_module_is_valid_for_vulkan_1_1() {
    let failures: Vec<_> = KERNELS.iter().filter_map(|kernel| spirv_val(kernel).err()).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn spirv_val(kernel: &Kernel) -> Result<(), String> {
    let mut child = Command::new("spirv-val")
        .args(["--target-env", "vulkan1.1", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| format!("spirv-val does not start ({e}); scripts/setup installs it"))?;
    let bytes: Vec<u8> = kernel.spirv.unpack().unwrap().iter().flat_map(|word| word.to_le_bytes()).collect();
    // A validator that leaves early closes the pipe; its exit status tells.
    let _ = child.stdin.take().map(|mut stdin| stdin.write_all(&bytes));
    let output = child.wait_with_output().map_err(|e| e.to_string())?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{}: {}", kernel.name, String::from_utf8_lossy(&output.stderr)))
}

/// Where the Metal sources are kept for people to read and for the macOS job to compile.
fn snapshots() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels/snapshots")
}

#[test]
fn every_metal_source_equals_its_snapshot() {
    let dir = snapshots();
    if env::var_os("EXO_BLESS").is_some() {
        fs::create_dir_all(&dir).unwrap();
        for kernel in &KERNELS {
            fs::write(dir.join(format!("{}.metal", kernel.name)), kernel.msl).unwrap();
        }
    }
    let changed: Vec<_> = KERNELS
        .iter()
        .filter(|k| fs::read_to_string(dir.join(format!("{}.metal", k.name))).unwrap_or_default() != k.msl)
        .map(|k| k.name)
        .collect();
    assert!(
        changed.is_empty(),
        "the Metal source of {changed:?} differs from kernels/snapshots; if that is meant, bless it:\n  \
         EXO_BLESS=1 cargo test -p exo-gpu --lib snapshot"
    );
}

#[test]
fn no_snapshot_is_left_of_a_kernel_that_is_gone() {
    for entry in fs::read_dir(snapshots()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        assert!(KERNELS.iter().any(|k| k.name == name), "{} has no kernel: delete it", path.display());
    }
}

#[test]
fn metal_finds_buffer_i_at_index_i_and_the_params_after_the_last() {
    for kernel in &KERNELS {
        for index in 0..kernel.bindings.len() {
            assert!(kernel.msl.contains(&format!("[[buffer({index})]]")), "{}: buffer {index}", kernel.name);
        }
        let params = format!("params [[buffer({})]]", kernel.bindings.len());
        assert!(kernel.msl.contains(&params), "{}: {params}", kernel.name);
        assert!(kernel.msl.contains(&format!("kernel void {}(", kernel.entry)), "{}", kernel.name);
    }
}

#[test]
fn versions_tell_kernels_apart() {
    let mut versions: Vec<_> = KERNELS.iter().map(|k| k.version).collect();
    versions.sort_unstable();
    versions.dedup();
    assert_eq!(versions.len(), KERNELS.len());
}
