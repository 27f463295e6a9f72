//! Everything that the core offers, reachable from one exported function: what a phone would have to download.
//!
//! `./scripts/test node` builds it for arm64 as it would ship, strips it and prints its size. Undefined symbols of
//! the system's C library stay undefined: it is weighed, never run.

/// Reaches every part, so that the linker keeps all of it.
#[unsafe(no_mangle)]
pub extern "C" fn exo_footprint() -> i32 {
    let gpu = exo_gpu::Gpu::open(exo_gpu::OpenOptions::new());
    let tested = gpu.is_ok_and(|gpu| gpu.device().self_test(|_| ()).is_ok());
    let Ok(runtime) = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build() else { return -1 };
    let z = runtime.block_on(async { zenoh::open(zenoh::Config::default()).await.is_ok() });
    i32::from(tested) + i32::from(z)
}
