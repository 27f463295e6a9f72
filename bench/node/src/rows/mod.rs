//! The rows, by family.

use bench_race::family::Family;

mod idle;
mod latency;
mod memory;
mod replica;
mod simulation;
mod visible;

pub const FAMILIES: [Family; 6] = [
    ("P9", "from process start to the peer's /state", visible::run),
    ("P10", "resident memory, ten minutes each", memory::run),
    ("P13", "put to callback", latency::run),
    ("P18", "events parsed and applied", replica::run),
    ("P19", "CPU of an idle member, two minutes", idle::run),
    ("P20", "the simulation", simulation::run),
];
