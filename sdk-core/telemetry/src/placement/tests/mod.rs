//! Solvers against brute force, and against each other.

mod brute;
mod sample;
mod shortcuts;
mod solvers;
