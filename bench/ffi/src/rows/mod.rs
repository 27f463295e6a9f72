//! The rows, by family.

use bench_race::family::Family;

mod bytes;
mod call;
pub mod size;
mod start;

pub const FAMILIES: [Family; 5] = [
    ("P11", "1 MiB between Kotlin and a device's buffer", bytes::kotlin),
    ("P11b", "the same from Swift and numpy", bytes::swift_and_numpy),
    ("P12", "the library for arm64", size::run),
    ("P27", "the start of an app on the JVM", start::run),
    ("P28", "one small call from Kotlin", call::run),
];
