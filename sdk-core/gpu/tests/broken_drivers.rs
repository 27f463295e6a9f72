//! Opening on machines whose Vulkan is broken: it ends with the CPU and a reason that a person understands.
//!
//! Each test starts this very program again with a broken Vulkan around it: a driver of ours that fails in one
//! way (`tests/fake-icd`), a manifest that is not one, or no loader at all. The child runs the one test that
//! opens a device and prints what came of it, so that the real loader, in a process of its own, is what we see.

#![cfg(all(unix, not(target_vendor = "apple"), not(target_os = "android")))]
#![allow(clippy::unwrap_used, clippy::panic)]

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use exo_gpu::{BackendKind, Gpu, OpenOptions, Refusal};
use fake_icd::Behaviour;
use serde::{Deserialize, Serialize};

/// What opening came to, as a child tells its parent.
#[derive(Debug, Serialize, Deserialize)]
struct Outcome {
    backend: BackendKind,
    refusals: Vec<Refusal>,
    seconds: f64,
}

/// What a child prints before its [`Outcome`].
const MARK: &str = "outcome: ";

/// Opening takes three seconds at most, whatever the driver does; the rest is the machine's.
const LIMIT: Duration = Duration::from_secs(6);

#[test]
fn opening_ends_with_a_device_on_whatever_machine_this_is() {
    let start = Instant::now();
    let gpu = Gpu::open(OpenOptions::new().remember_nothing()).unwrap();
    let outcome = Outcome {
        backend: gpu.device().description().backend,
        refusals: gpu.refusals().to_vec(),
        seconds: start.elapsed().as_secs_f64(),
    };
    println!("\n{MARK}{}", serde_json::to_string(&outcome).unwrap());
}

/// A machine with a Vulkan of our choosing.
struct Machine {
    variables: Vec<(&'static str, PathBuf)>,
    folder: PathBuf,
}

impl Machine {
    /// A machine whose only driver manifest says `manifest`.
    fn with_manifest(name: &str, manifest: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("icd.json");
        std::fs::write(&file, manifest).unwrap();
        Self { variables: drivers(&file), folder }
    }

    /// A machine whose only driver is ours and breaks in this way.
    fn with_driver(behaviour: Behaviour) -> Self {
        // Cargo puts the libraries of our dependencies beside our tests.
        let tests = std::env::current_exe().unwrap();
        let library = tests.with_file_name("libfake_icd.so");
        assert!(library.exists(), "{} is missing: cargo builds it with these tests", library.display());
        let icd = serde_json::json!({ "library_path": library, "api_version": "1.3.0" });
        let manifest = serde_json::json!({ "file_format_version": "1.0.0", "ICD": icd });
        let mut machine = Self::with_manifest(behaviour.name(), &manifest.to_string());
        machine.variables.push((fake_icd::VARIABLE, behaviour.name().into()));
        machine
    }

    /// Opens a device there.
    fn open(&self) -> Outcome {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child
            .args(["--exact", "opening_ends_with_a_device_on_whatever_machine_this_is", "--nocapture"])
            .env_remove("EXO_GPU")
            .env_remove("VK_INSTANCE_LAYERS")
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null());
        let output = child.output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        let line = text.lines().find_map(|line| line.strip_prefix(MARK));
        let Some(line) = line else {
            panic!(
                "the child ended with {}: {text}{}",
                output.status,
                String::from_utf8_lossy(&output.stderr)
            )
        };
        assert!(output.status.success(), "the child opened but ended with {}", output.status);
        serde_json::from_str(line).unwrap()
    }

    /// Opens there and checks that the CPU stood in for Vulkan; returns Vulkan's refusals as people read them.
    fn falls_back(&self) -> Vec<String> {
        let outcome = self.open();
        assert_eq!(outcome.backend, BackendKind::Cpu, "{outcome:?}");
        assert!(outcome.seconds < LIMIT.as_secs_f64(), "{outcome:?}");
        outcome.refusals.iter().map(ToString::to_string).collect()
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        // A folder that stays is in nobody's way: it lies in cargo's folder for such things.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// The loader's variables for "this driver and no other", in their new and their old spelling.
fn drivers(file: &Path) -> Vec<(&'static str, PathBuf)> {
    vec![("VK_DRIVER_FILES", file.into()), ("VK_ICD_FILENAMES", file.into())]
}

/// A machine that has `variables` and nothing on disk.
fn machine(variables: Vec<(&'static str, PathBuf)>) -> Machine {
    Machine { variables, folder: Path::new(env!("CARGO_TARGET_TMPDIR")).join("none") }
}

#[test]
fn without_a_loader_the_reason_names_the_library_that_was_looked_for() {
    let refusals = machine(vec![("EXO_VULKAN_LIBRARY", "/nonexistent/libvulkan.so".into())]).falls_back();
    let [reason] = &refusals[..] else { panic!("{refusals:?}") };
    assert!(reason.starts_with("vulkan: the Vulkan loader `/nonexistent/libvulkan.so`"), "{reason}");
}

#[test]
fn without_any_driver_the_reason_says_so() {
    let refusals = machine(drivers(Path::new("/nonexistent"))).falls_back();
    assert_eq!(refusals, [NO_DRIVER]);
}

#[test]
fn a_manifest_that_is_not_one_is_passed_over_or_named() {
    // Some loaders skip it, others call it a lack of memory: the reason must not send people to look for memory.
    let damaged = "vulkan: memory ran out or a driver's manifest is damaged (VK_ERROR_OUT_OF_HOST_MEMORY)";
    for (name, garbage) in [("words", "not json"), ("half", r#"{"ICD": {"library_pa"#), ("empty", "{}")] {
        let refusals = Machine::with_manifest(name, garbage).falls_back();
        let [reason] = &refusals[..] else { panic!("{name}: {refusals:?}") };
        assert!([NO_DRIVER, damaged].contains(&reason.as_str()), "{name}: {reason}");
    }
}

#[test]
fn a_driver_that_is_not_a_library_counts_as_no_driver() {
    let icd =
        r#"{"file_format_version": "1.0.0", "ICD": {"library_path": "/dev/null", "api_version": "1.3.0"}}"#;
    assert_eq!(Machine::with_manifest("null", icd).falls_back(), [NO_DRIVER]);
}

#[test]
fn a_driver_that_refuses_to_load_or_to_start_counts_as_no_driver() {
    for behaviour in [Behaviour::FailsToLoad, Behaviour::FailsInstance, Behaviour::Incompatible] {
        assert_eq!(Machine::with_driver(behaviour).falls_back(), [NO_DRIVER], "{behaviour:?}");
    }
}

#[test]
fn a_driver_without_devices_is_told_from_no_driver() {
    let refusals = Machine::with_driver(Behaviour::NoDevices).falls_back();
    let [reason] = &refusals[..] else { panic!("{refusals:?}") };
    assert_ne!(reason, NO_DRIVER);
    assert!(reason.starts_with("vulkan: no Vulkan driver"), "{reason}");
}

#[test]
fn a_device_that_cannot_be_used_is_named_with_what_it_lacks() {
    for (behaviour, reason) in [
        (Behaviour::Vulkan10, "it offers Vulkan 1.0 and we need 1.1; a newer driver may offer more"),
        (Behaviour::NoComputeQueue, "it has no compute queue: it can draw but not compute"),
        (Behaviour::FewBindings, "it has 4 storage buffers per kernel and our kernels need 8"),
    ] {
        let refusals = Machine::with_driver(behaviour).falls_back();
        assert_eq!(refusals, [format!("vulkan (Fake phone GPU): {reason}")], "{behaviour:?}");
    }
}

#[test]
fn a_device_that_cannot_be_created_is_named_with_the_drivers_answer() {
    let refusals = Machine::with_driver(Behaviour::DeviceCreationFails).falls_back();
    let [reason] = &refusals[..] else { panic!("{refusals:?}") };
    assert!(reason.starts_with("vulkan (Fake phone GPU): vkCreateDevice"), "{reason}");
}

#[test]
fn a_driver_that_hangs_is_given_up() {
    for behaviour in [Behaviour::Hangs, Behaviour::HangsAtDevice] {
        let refusals = Machine::with_driver(behaviour).falls_back();
        let [reason] = &refusals[..] else { panic!("{behaviour:?}: {refusals:?}") };
        assert!(reason.starts_with("vulkan: the driver did not answer within"), "{behaviour:?}: {reason}");
    }
}

#[test]
fn asking_for_vulkan_where_it_is_broken_is_an_error_with_the_same_reason() {
    let library = "/nonexistent/libvulkan.so";
    let options = OpenOptions::new().remember_nothing().backend(BackendKind::Vulkan).vulkan_library(library);
    let error = Gpu::open(options).unwrap_err();
    assert_eq!(error.kind(), exo_gpu::ErrorKind::NoDevice);
    assert!(error.to_string().contains(library), "{error}");
}

/// What people read when the loader found no driver that works.
const NO_DRIVER: &str = "vulkan: the Vulkan loader found no usable driver (VK_ERROR_INCOMPATIBLE_DRIVER)";
