//! Many seeds, on all cores. Worlds share nothing, so what comes out does not depend on how many run at a time.

use std::{
    sync::{
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc,
    },
    thread,
};

use crate::{
    config::Config,
    sample::Sample,
    world::{Failure, Tally, World},
};

/// What to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seeds {
    /// The first of them; the others differ in their seed alone.
    pub first: Config,
    /// How many.
    pub count: u64,
    /// How many at the same time.
    pub jobs: usize,
    /// Whether to go on after a failure.
    pub keep_going: bool,
    /// Whether to keep a sample of what is published.
    pub samples: bool,
}

/// What came of them.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// Of those that held all rules.
    pub total: Tally,
    /// In the order of their seeds. Without `keep_going`, those that were running when the first was found.
    pub failures: Vec<Failure>,
    /// In the order of their seeds.
    pub samples: Vec<Sample>,
}

impl Seeds {
    /// Runs them, and says after each how many are done and what they add up to.
    pub fn run(&self, mut progress: impl FnMut(u64, &Tally)) -> Outcome {
        let (next, stop) = (AtomicU64::new(0), AtomicBool::new(false));
        let (done, results) = mpsc::channel();
        let mut outcome = Outcome::default();
        let mut samples = Vec::new();
        thread::scope(|scope| {
            for _ in 0..self.jobs.max(1) {
                let (done, next, stop) = (done.clone(), &next, &stop);
                scope.spawn(move || {
                    while !stop.load(Ordering::Relaxed) {
                        let n = next.fetch_add(1, Ordering::Relaxed);
                        if n >= self.count || done.send((n, self.one(n))).is_err() {
                            return;
                        }
                    }
                });
            }
            drop(done);
            for (count, (n, (result, kept))) in (1..).zip(results) {
                samples.push((n, kept));
                match result {
                    Ok(tally) => outcome.total = outcome.total.and(&tally),
                    Err(failure) => {
                        outcome.failures.push(*failure);
                        stop.store(!self.keep_going, Ordering::Relaxed);
                    }
                }
                progress(count, &outcome.total);
            }
        });
        let order = |failure: &Failure| failure.config.seed.wrapping_sub(self.first.seed);
        outcome.failures.sort_by_key(order);
        samples.sort_by_key(|(n, _)| *n);
        outcome.samples = samples.into_iter().flat_map(|(_, kept)| kept).collect();
        outcome
    }

    fn one(&self, n: u64) -> (Result<Tally, Box<Failure>>, Vec<Sample>) {
        let mut world = World::new(Config { seed: self.first.seed.wrapping_add(n), ..self.first });
        if self.samples {
            world.keep_samples();
        }
        let result = world.run();
        (result, world.take_samples())
    }
}
