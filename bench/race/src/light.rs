//! What this machine allows, measured beside everybody else: the "limit" of the arithmetic rows.
//!
//! Two threads, as all contestants have. These are ceilings of the CPU; lavapipe computes on it too.

use std::{hint::black_box, time::Instant};

use anyhow::{Context, Result, bail};

/// Threads that every contestant of an arithmetic row may use.
pub const THREADS: usize = 2;

/// Seconds that `operations` take if every core does nothing but fused multiply-adds in registers.
pub fn arithmetic(operations: f64) -> Result<f64> {
    let rounds: u64 = 4_000_000;
    let per_round = fma_operations_per_round()?;
    let seconds = on_all_threads(|_| fma_rounds(rounds))?;
    Ok(operations * seconds / (per_round * rounds as f64 * THREADS as f64))
}

/// Seconds that reading `data` once takes, each thread its share, as warm as repeated reading makes it.
pub fn reading(data: &[u64]) -> Result<f64> {
    let share = data.len().div_ceil(THREADS);
    let times = 8;
    let seconds = on_all_threads(|thread| {
        for _ in 0..times {
            let part = data.chunks(share).nth(thread).unwrap_or_default();
            black_box(part.iter().fold(0u64, |sum, word| sum.wrapping_add(*word)));
        }
    })?;
    Ok(seconds / f64::from(times))
}

/// The longest that any thread was busy with `work`, all of them at once. Starting them is not counted.
fn on_all_threads(work: impl Fn(usize) + Sync) -> Result<f64> {
    let start_line = std::sync::Barrier::new(THREADS);
    let run = |thread| {
        start_line.wait();
        let start = Instant::now();
        work(thread);
        start.elapsed().as_secs_f64()
    };
    let run = &run;
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|thread| scope.spawn(move || run(thread))).collect();
        let seconds = threads.into_iter().map(|thread| thread.join().ok());
        seconds.collect::<Option<Vec<_>>>().context("a thread of the limit panicked")
    })
    .map(|seconds| seconds.into_iter().fold(0.0, f64::max))
}

/// Registers that are kept busy: enough to hide the latency of any core of today.
const CHAINS: usize = 12;

#[cfg(target_arch = "x86_64")]
fn fma_operations_per_round() -> Result<f64> {
    match () {
        () if is_x86_feature_detected!("avx512f") => Ok((CHAINS * 16 * 2) as f64),
        () if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") => {
            Ok((CHAINS * 8 * 2) as f64)
        }
        () => bail!("this CPU has neither AVX2 nor AVX-512"),
    }
}

#[cfg(target_arch = "x86_64")]
fn fma_rounds(rounds: u64) {
    if is_x86_feature_detected!("avx512f") {
        // SAFETY: the line above saw AVX-512F, which is all that the function asks for.
        unsafe { fma_rounds_avx512(rounds) }
    } else if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
        // SAFETY: the line above saw AVX2 and FMA, which is all that the function asks for.
        unsafe { fma_rounds_avx2(rounds) }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn fma_rounds_avx512(rounds: u64) {
    use std::arch::x86_64::{_mm512_fmadd_ps, _mm512_set1_ps};
    let (a, b) = (_mm512_set1_ps(black_box(0.999)), _mm512_set1_ps(black_box(0.001)));
    let mut chains = [_mm512_set1_ps(black_box(1.0)); CHAINS];
    for _ in 0..rounds {
        for chain in &mut chains {
            *chain = _mm512_fmadd_ps(*chain, a, b);
        }
    }
    black_box(chains);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn fma_rounds_avx2(rounds: u64) {
    use std::arch::x86_64::{_mm256_fmadd_ps, _mm256_set1_ps};
    let (a, b) = (_mm256_set1_ps(black_box(0.999)), _mm256_set1_ps(black_box(0.001)));
    let mut chains = [_mm256_set1_ps(black_box(1.0)); CHAINS];
    for _ in 0..rounds {
        for chain in &mut chains {
            *chain = _mm256_fmadd_ps(*chain, a, b);
        }
    }
    black_box(chains);
}

#[cfg(target_arch = "aarch64")]
fn fma_operations_per_round() -> Result<f64> {
    Ok((CHAINS * 4 * 2) as f64)
}

#[cfg(target_arch = "aarch64")]
fn fma_rounds(rounds: u64) {
    use std::arch::aarch64::{vdupq_n_f32, vfmaq_f32};
    // SAFETY: NEON is part of every aarch64 target that Rust has.
    unsafe {
        let (a, b) = (vdupq_n_f32(black_box(0.999)), vdupq_n_f32(black_box(0.001)));
        let mut chains = [vdupq_n_f32(black_box(1.0)); CHAINS];
        for _ in 0..rounds {
            for chain in &mut chains {
                *chain = vfmaq_f32(b, *chain, a);
            }
        }
        black_box(chains);
    }
}
