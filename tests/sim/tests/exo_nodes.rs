//! The simulated exo nodes by themselves: they must be believable before anything is concluded about phones.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use exo_sim::{Config, World};

#[test]
fn exo_nodes_agree_again_after_every_episode_of_faults() {
    for seed in 0..8 {
        let config = Config { minutes: 6, ..Config::of(seed, 0) };
        let tally = World::new(config).run().unwrap_or_else(|failure| {
            panic!("seed {seed}: {} at {}\n{}", failure.broken, failure.at, failure.diagram)
        });
        assert!(tally.faults > 0 && tally.sessions > 0, "{tally:?}");
    }
}

#[test]
fn the_same_seed_gives_the_same_run() {
    let run = |seed| World::new(Config { minutes: 4, ..Config::of(seed, 3) }).run().unwrap();
    assert_eq!(run(7), run(7));
    assert_ne!(run(7), run(8));
}
