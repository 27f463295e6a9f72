//! The rows, by family.

use bench_race::family::Family;

mod alike;
mod crowd;
mod forecast;
mod largest;
mod links;
pub mod look;

pub const FAMILIES: [Family; 6] = [
    ("P14", "placement of alike layers, beside CP-SAT and HiGHS", alike::run),
    ("P14b", "placement over general links, beside ten seconds of CP-SAT a problem", links::run),
    ("P14c", "a first plan for the largest problem", largest::run),
    ("P15", "thermal forecasts", forecast::run),
    ("P21", "an aggregator of 1,000 devices", crowd::run),
    ("P22", "a look at this machine", look::run),
];
