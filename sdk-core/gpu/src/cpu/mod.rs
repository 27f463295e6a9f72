//! The CPU backend: the oracle that every GPU kernel is compared with, and the fast answer where there is no GPU.
//!
//! An operation is a function call on host memory ([`run`]); the front also calls it directly, to replace a GPU
//! kernel that lies. Kernels carry the names of the WGSL set, one file each. Most are plain Rust that the compiler
//! vectorises once for the baseline and once for AVX2, with the same bits as result; only dot products are
//! hand-written ([`simd`]). Large work is shared between threads ([`team`]).
//!
//! Not here: checks of arguments (the front has made them), and any choice by device limits.

// A loop becomes vectors of an instruction set only where it is inlined into a function compiled for that set.
#![allow(clippy::inline_always)]

mod command;
mod device;
mod host;
mod instance;
mod kernels;
mod memory;
mod pipeline;
mod scratch;
mod simd;
mod team;
#[cfg(test)]
mod tests;
mod view;

#[cfg(test)]
pub(crate) use instance::describe;
pub(crate) use instance::open;
pub(crate) use memory::can_spare;
pub(crate) use pipeline::run;
