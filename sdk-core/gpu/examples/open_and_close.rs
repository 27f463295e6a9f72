//! Opens and closes the device that was asked for, with some work each time. For leak checkers:
//! `EXO_GPU=vulkan valgrind --leak-check=full target/debug/examples/open_and_close 50`.

use exo_gpu::{DType, Gpu, OpenOptions, Result};

fn main() -> Result<()> {
    let times = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(50_u32);
    for _ in 0..times {
        let gpu = Gpu::open(OpenOptions::new().remember_nothing())?;
        let device = gpu.device();
        let x = device.tensor(DType::F32, &[1000])?;
        let mut batch = device.batch();
        batch.fill(&x, 1.0)?.add(&x, &x, &x)?;
        batch.submit()?.wait()?;
        device.close();
    }
    println!("opened and closed {times} times");
    Ok(())
}
