//! The kernels that the build script made of `kernels/*.wgsl`, one constant each.
//!
//! Lowering names kernels by these constants, so that a name that does not exist does not compile and a kernel
//! that nobody uses is a warning.
#![allow(clippy::unreadable_literal, reason = "generated numbers are not read by people")]

use super::Kernel;
#[cfg(any(not(target_vendor = "apple"), test))]
use super::Packed;
use crate::op::Access;

include!(concat!(env!("OUT_DIR"), "/kernels.rs"));
