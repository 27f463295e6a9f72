//! Contestants in turns: every round runs each of them once, so that a noisy minute falls on all alike.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};

use crate::stats::Stats;

/// Measures once and returns the cost.
pub type Sample<'a> = Box<dyn FnMut() -> Result<f64> + 'a>;

/// Someone who does the work of a row.
pub struct Contestant<'a> {
    name: String,
    version: String,
    sample: Result<Sample<'a>>,
}

impl<'a> Contestant<'a> {
    /// A contestant, or the reason why it could not be made ready: it then stays in the row with its error.
    pub fn new(name: impl Into<String>, version: impl Into<String>, sample: Result<Sample<'a>>) -> Self {
        Self { name: name.into(), version: version.into(), sample }
    }

    /// A contestant that cannot take part.
    pub fn absent(name: impl Into<String>, why: &anyhow::Error) -> Self {
        Self::new(name, "", Err(anyhow!("{why:#}")))
    }
}

/// What became of a contestant.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Who.
    pub name: String,
    /// Of which version.
    pub version: String,
    /// Its costs, or why there are none.
    pub result: Result<Stats, String>,
}

impl Outcome {
    /// A contestant that is a number.
    pub fn fixed(name: &str, cost: f64) -> Self {
        Self { name: name.into(), version: String::new(), result: Ok(Stats::fixed(cost)) }
    }

    /// The costs, if there are any.
    pub fn stats(&self) -> Option<Stats> {
        self.result.as_ref().ok().copied()
    }
}

/// Races the contestants; outcomes come in their order. The first round warms up and does not count.
pub fn race(rounds: usize, contestants: Vec<Contestant<'_>>) -> Vec<Outcome> {
    let mut runners: Vec<(Contestant<'_>, Vec<f64>)> =
        contestants.into_iter().map(|contestant| (contestant, Vec::new())).collect();
    let field = runners.len();
    for round in 0..=rounds {
        for turn in 0..field {
            // Whoever follows a heavy neighbour finds a warm chip and cold caches: rotate.
            let Some((contestant, costs)) = runners.get_mut((turn + round) % field) else { continue };
            let Ok(sample) = &mut contestant.sample else { continue };
            match sample() {
                Ok(cost) if round > 0 => costs.push(cost),
                Ok(_) => {}
                Err(error) => contestant.sample = Err(error),
            }
        }
    }
    runners.into_iter().map(outcome).collect()
}

/// A contestant whose one sample takes minutes: there is no warm-up and no second one.
pub fn once(name: &str, version: &str, mut sample: impl FnMut() -> Result<f64>) -> Outcome {
    let result = sample().map(|cost| Stats { samples: 1, ..Stats::fixed(cost) });
    Outcome {
        name: name.into(),
        version: version.into(),
        result: result.map_err(|error| format!("{error:#}")),
    }
}

fn outcome((contestant, costs): (Contestant<'_>, Vec<f64>)) -> Outcome {
    let result = match contestant.sample {
        Ok(_) => Stats::of(&costs).ok_or_else(|| "no sample was taken".to_owned()),
        Err(error) => Err(format!("{error:#}")),
    };
    Outcome { name: contestant.name, version: contestant.version, result }
}

/// Seconds that one of `times` runs of `work` took on average.
pub fn seconds_each(times: u32, mut work: impl FnMut() -> Result<()>) -> Result<f64> {
    let start = Instant::now();
    for _ in 0..times {
        work()?;
    }
    Ok(start.elapsed().as_secs_f64() / f64::from(times))
}

/// The median seconds of `times` runs of `work`, each timed by itself.
pub fn median_seconds(times: usize, mut work: impl FnMut() -> Result<()>) -> Result<f64> {
    let mut seconds = Vec::with_capacity(times);
    for _ in 0..times {
        let start = Instant::now();
        work()?;
        seconds.push(start.elapsed().as_secs_f64());
    }
    crate::stats::median(&seconds).context("nothing was timed")
}

/// Lets the threads that a neighbour left spinning go to sleep.
pub fn settle() {
    std::thread::sleep(Duration::from_millis(30));
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    fn noted(log: &RefCell<Vec<char>>, name: char, cost: f64) -> Contestant<'_> {
        Contestant::new(
            name,
            "1",
            Ok(Box::new(move || {
                log.borrow_mut().push(name);
                Ok(cost)
            })),
        )
    }

    #[test]
    fn contestants_take_turns_and_the_order_rotates() {
        let log = RefCell::new(Vec::new());
        race(2, vec![noted(&log, 'a', 1.0), noted(&log, 'b', 2.0)]);
        assert_eq!(log.borrow().iter().collect::<String>(), "abbaab");
    }

    #[test]
    fn the_warm_up_round_does_not_count() {
        let mut costs = [100.0, 1.0, 2.0].into_iter();
        let sample: Sample<'_> = Box::new(move || costs.next().context("ran dry"));
        let outcomes = race(2, vec![Contestant::new("a", "1", Ok(sample))]);
        let stats = outcomes[0].stats().unwrap();
        assert_eq!((stats.best, stats.median, stats.samples), (1.0, 1.5, 2));
    }

    #[test]
    fn one_that_cannot_start_or_breaks_keeps_its_error_and_the_others_go_on() {
        let log = RefCell::new(Vec::new());
        let mut left = 2;
        let breaking: Sample<'_> = Box::new(move || {
            left -= 1;
            if left == 0 { Err(anyhow!("lost its device")) } else { Ok(1.0) }
        });
        let outcomes = race(
            3,
            vec![
                noted(&log, 'a', 1.0),
                Contestant::absent("gone", &anyhow!("not installed")),
                Contestant::new("breaks", "1", Ok(breaking)),
            ],
        );
        assert_eq!(outcomes[0].stats().unwrap().samples, 3);
        assert_eq!(outcomes[1].result, Err("not installed".to_owned()));
        assert_eq!(outcomes[2].result, Err("lost its device".to_owned()));
    }
}
