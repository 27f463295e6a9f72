//! The rows, by family.

use bench_race::family::Family;

mod allocate;
mod attention;
mod dispatch;
mod matmul;
mod matvec;
pub mod open;
mod transfer;
pub mod upload;

pub const FAMILIES: [Family; 11] = [
    ("P0", "opening, in fresh processes", open::run),
    ("P1", "transfers of 16 MiB", transfer::run_large),
    ("P2", "upload of 1 MiB", transfer::run_small),
    ("P3", "allocate and free", allocate::run),
    ("P4", "one dispatch and wait", dispatch::run),
    ("P5", "matmul on lavapipe", matmul::run_vulkan),
    ("P6", "matmul on the CPU", matmul::run_cpu),
    ("P7", "4-bit matvec on the CPU", matvec::run_cpu),
    ("P8", "4-bit matvec on lavapipe", matvec::run_vulkan),
    ("P9", "attention on the CPU", attention::run_cpu),
    ("M1", "peak memory of a 1 GiB upload", upload::run),
];
