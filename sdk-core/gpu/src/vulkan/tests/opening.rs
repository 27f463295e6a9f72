//! Opening: what goes wrong is said in words, and never by a panic or a hang.

use std::{
    env, fs,
    path::PathBuf,
    process::Command,
    sync::atomic::{AtomicU32, Ordering},
};

use super::{Bench, watched};
use crate::{
    OpenOptions, Validation,
    vulkan::instance::{Instance, open_instance},
};

/// The reason for which a device was not reached.
fn refusal(options: &OpenOptions) -> String {
    match open_instance(options).and_then(|instance: Instance| instance.devices()) {
        Ok(devices) => panic!("opened {} devices", devices.len()),
        Err(reason) => reason,
    }
}

fn with_library(path: impl Into<PathBuf>) -> OpenOptions {
    OpenOptions { vulkan_library: Some(path.into()), ..OpenOptions::default() }
}

#[test]
fn a_missing_loader_is_named() {
    let reason = refusal(&with_library("/nonexistent/libvulkan.so"));
    assert!(reason.contains("/nonexistent/libvulkan.so"), "{reason}");
}

#[test]
fn a_library_that_is_no_loader_is_refused() {
    let reason = refusal(&with_library("libm.so.6"));
    assert!(reason.contains("libm.so.6"), "{reason}");
}

#[test]
fn a_loader_of_vulkan_1_0_is_refused() {
    assert_eq!(
        refusal(&with_library(fake_loader("only_1_0"))),
        "the Vulkan loader offers 1.0 only; 1.1 is needed"
    );
}

#[test]
fn an_instance_that_cannot_be_created_is_a_reason() {
    let reason = refusal(&with_library(fake_loader("no_instance")));
    assert!(reason.contains("vkCreateInstance failed: ERROR_INITIALIZATION_FAILED"), "{reason}");
}

#[test]
fn an_incompatible_driver_is_a_reason() {
    let reason = refusal(&with_library(fake_loader("incompatible")));
    assert!(reason.contains("no usable driver (VK_ERROR_INCOMPATIBLE_DRIVER)"), "{reason}");
}

#[test]
fn an_instance_without_devices_is_a_reason() {
    assert_eq!(refusal(&with_library(fake_loader("no_devices"))), "no Vulkan driver offers a device");
}

#[test]
fn validation_without_its_layer_is_refused_with_the_remedy() {
    let options = OpenOptions { validation: Validation::Core, ..with_library(fake_loader("no_devices")) };
    let reason = refusal(&options);
    assert!(reason.contains("VK_LAYER_KHRONOS_validation is not installed"), "{reason}");
    assert!(reason.contains("vulkan-validationlayers"), "{reason}");
}

#[test]
fn opening_and_closing_many_times_leaves_nothing_behind() {
    for _ in 0..20 {
        Bench::open(&watched()).close();
    }
}

/// Builds a loader with one flaw and returns its path.
fn fake_loader(flaw: &str) -> PathBuf {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let directory = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/fake-loaders");
    fs::create_dir_all(&directory).expect("creates");
    let library = directory.join(format!("lib{flaw}.so"));
    // Other tests, of this process and of others, may build the same one: each builds its own and renames it.
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let part = directory.join(format!("lib{flaw}-{}-{count}.part", std::process::id()));
    let output = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
        .args(["--edition=2024", "--crate-type=cdylib"])
        .args(["--cfg", flaw, "--check-cfg", "cfg(only_1_0, no_instance, incompatible, no_devices)"])
        .arg("-o")
        .arg(&part)
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/src/vulkan/tests/fake_loader.rs"))
        .output()
        .expect("rustc runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    fs::rename(&part, &library).expect("renames");
    library
}
