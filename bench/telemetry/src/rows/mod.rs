//! The rows, by family.

use bench_race::family::Family;

mod alike;
mod crowd;
mod forecast;
mod links;
pub mod look;

pub const FAMILIES: [Family; 5] = [
    ("P14", "placement of alike layers, beside CP-SAT and HiGHS", alike::run),
    ("P14b", "placement over general links, beside ten seconds of CP-SAT a problem", links::run),
    ("P15", "thermal forecasts", forecast::run),
    ("P21", "an aggregator of 1,000 devices", crowd::run),
    ("P22", "a look at this machine", look::run),
];
