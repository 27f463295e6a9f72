//! The surface of the SDK: what Kotlin, Swift and Python see of the core, through UniFFI.
//!
//! Convert, call, convert: there is no logic here. People do not use it directly either; over it lie layers that were
//! written by hand (`kotlin/`, `swift/`, `python/`), with coroutines, `AsyncSequence` and asyncio.
//!
//! | module | what crosses |
//! |---|---|
//! | [`gpu`] | devices, memory, transfers, the verdicts on kernels |
//! | [`bytes`] | bulk bytes, by pointer: they never travel as copied lists |
//! | [`node`] | joining, leaving, states, the cluster, discovery |
//! | [`model`] | models of this device: loading, asking, offering them to the cluster |
//! | [`telemetry`] | readings, policy, heat, scores, links, placement |
//! | [`platform`] | what a platform does for the core: probe, DNS-SD, identity, log, lifecycle |
//!
//! The rules that hold for all of it:
//! * Everything that can be called is fallible, since a panic in a function that does not throw ends a Swift app. Here
//!   it becomes an [`ExoError`] of the kind `Fault`.
//! * Every object ends when it is told to, twice, from any thread and in any order; what is used afterwards gives an
//!   error of the kind `Closed`. UniFFI's Kotlin owns the name `close`, so ours are `shut`, `free`, `cancel`.
//! * Streams are pulled: `next()` gives the newest value, `cancel()` wakes who waits. UniFFI does not cancel a Swift
//!   task, so the layers call it.

pub mod bytes;
mod closing;
mod error;
pub mod gpu;
pub mod model;
pub mod node;
pub mod platform;
pub mod telemetry;
mod threads;
#[cfg(test)]
mod waiting;

pub use error::{ErrorKind, ExoError};

uniffi::setup_scaffolding!();

type Result<T, E = ExoError> = std::result::Result<T, E>;

/// What this library is.
#[derive(Debug, Clone, uniffi::Record)]
pub struct About {
    /// Its version.
    pub version: String,
    /// The GPU backends that it was built with, best first.
    pub backends: Vec<String>,
    /// The builds of exo whose messages it knows.
    pub exo_builds: Vec<String>,
    /// The version of the telemetry protocol that it speaks.
    pub telemetry_protocol: String,
}

/// What this library is.
#[uniffi::export]
pub fn about() -> Result<About> {
    let backends = if cfg!(target_vendor = "apple") { ["metal", "cpu"] } else { ["vulkan", "cpu"] };
    Ok(About {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        backends: backends.map(str::to_owned).to_vec(),
        exo_builds: exo_wire::builds::known().iter().map(|build| build.facts().name.clone()).collect(),
        telemetry_protocol: exo_telemetry::protocol::VERSION.to_string(),
    })
}

/// Panics inside the library, which must reach the app as an error of the kind `Fault` and nothing worse. For tests:
/// of this SDK, and of what an app does when it meets one.
///
/// # Panics
/// Always.
#[uniffi::export]
#[allow(clippy::panic, reason = "this is what it is for")]
pub fn provoke_fault() -> Result<()> {
    panic!("a fault was provoked")
}
