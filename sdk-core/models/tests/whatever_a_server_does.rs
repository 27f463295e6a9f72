//! The promise of this crate: whatever a server does, a file that has its final name has the right bytes.
//!
//! Servers here do at random what a story does on purpose; every run prints its seed when it fails.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod scripted;

use std::time::Duration;

use exo_models::ErrorKind;
use scripted::{Act, INDEX, Model, OTHER_SHARD, SHARD, World};

struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    fn act(&mut self) -> Act {
        let some = self.below(40_000) as usize;
        match self.below(24) {
            0 => Act::Status([500, 502, 503, 429, 408, 416][self.below(6) as usize]),
            1 => Act::Refuse,
            2 => Act::CutAfter(some),
            3 => Act::EndAfter(some),
            4 => Act::SilentAfter(some),
            5 => Act::Dribble(Duration::from_secs(1 + self.below(40))),
            6 => Act::Flip,
            7 => Act::Endless,
            8 => Act::IgnoreRange,
            9 => Act::WrongRange,
            10 => Act::With(vec![("Content-Length", some.to_string())]),
            11 => Act::With(vec![("Content-Type", "text/html".into())]),
            12 => Act::With(vec![("Content-Encoding", "br".into()), ("ETag", "W/\"x\"".into())]),
            13 => Act::Says(206, vec![("Content-Range", format!("bytes {some}-"))]),
            14 => Act::From("https://cdn.test/elsewhere".into()),
            _ => Act::Serve,
        }
    }
}

/// Runs until the model is there, as an app would that its owner starts again and again.
fn ends_with_true_names(seed: u64) -> u32 {
    let mut world = World::with(Model::of(30_000, 10_000));
    let mut dice = Dice(seed);
    let names = [SHARD, OTHER_SHARD, "config.json", "tokenizer.json", INDEX, "list"];
    for name in names {
        for _ in 0..dice.below(12) {
            let act = dice.act();
            world = world.on(name, &[act]);
        }
    }
    if dice.below(3) == 0 {
        let part = vec![dice.below(256) as u8; dice.below(40_000) as usize];
        world.disk.put_part(SHARD, &part);
    }
    for run in 1..100 {
        world.cancel_at = (dice.below(4) == 0).then(|| world.disk.written + dice.below(30_000));
        // `run` looks at every name when it ends.
        match world.run() {
            Ok(()) => {
                assert!(
                    world.model.needed().iter().all(|name| world.disk.whole(name).is_some()),
                    "seed {seed}"
                );
                return run;
            }
            Err(error) => {
                let passes =
                    [ErrorKind::Unreachable, ErrorKind::BadAnswer, ErrorKind::Corrupt, ErrorKind::Cancelled];
                assert!(passes.contains(&error.kind()), "seed {seed}: {error}");
            }
        }
    }
    panic!("seed {seed}: the script is finite, so the model must come in the end");
}

#[test]
fn whatever_a_server_does_names_are_true() {
    let seeds = if std::env::var_os("EXO_TEST_LONG").is_some() { 20_000 } else { 500 };
    let runs: u32 = (0..seeds).map(ends_with_true_names).sum();
    assert!(runs > seeds as u32, "no server was hostile enough to need a second run");
}
