//! The rivals that live in this process, each as its own manual says to use it.

pub mod raw;
pub mod raw_kernel;
pub mod wgpu;
