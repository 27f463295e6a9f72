//! The rows, by family.

use bench_race::family::Family;

mod chats;
mod decode;
mod load;
pub mod memory;
mod prefill;
mod wire;

pub const FAMILIES: [Family; 7] = [
    ("P16", "decoding on the CPU, two models, two contexts", decode::run_cpu),
    ("P16b", "prompts on the CPU, two models", prefill::run),
    ("P16c", "decoding on lavapipe", decode::run_vulkan),
    ("P23", "loading, with a warm page cache", load::run),
    ("P24", "memory beyond weights and cache", memory::run),
    ("P25", "the first token through a cluster, beyond the engine's own time", wire::run),
    ("P26", "four chats at once", chats::run),
];
