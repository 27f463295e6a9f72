//! How much work goes into a submission, and how many are timed.
//!
//! Pure: time is what the runs say they took. Nobody knows beforehand whether a unit of work takes a microsecond or a
//! second, so the first run is one unit, and each next one is at most [`GROWTH`] times longer and only begun if it
//! would fit into what is left, by the speed of the run before.

use std::time::Duration;

use super::{Result, Stop, because};

/// How many times more work than the last the next run may hold.
const GROWTH: u32 = 16;

/// Samples at most.
const SAMPLES: u32 = 5;

/// Units in one submission at most.
const MOST_UNITS: u32 = 1 << 16;

/// Longer samples tell nothing more.
const LONG: Duration = Duration::from_millis(20);

/// Shorter samples are more about the launch of work, which takes up to a tenth of this, than about the work.
const SHORTEST: Duration = Duration::from_millis(2);

/// What one run took.
#[derive(Clone, Copy)]
pub(super) struct Run {
    /// The work, from handing over to the end of the wait.
    pub(super) work: Duration,
    /// With what came before and after it.
    pub(super) whole: Duration,
}

/// Runs of the same size.
#[derive(Debug, PartialEq)]
pub(super) struct Samples {
    pub(super) units: u32,
    pub(super) best: Duration,
    pub(super) slowest: Duration,
    pub(super) count: u32,
}

/// Finds a size that takes long enough, and times it as often as the time allows.
pub(super) fn sample(
    mut left: Duration,
    run: &mut dyn FnMut(u32) -> Result<Run, Stop>,
) -> Result<Samples, Stop> {
    let wish = (left / (SAMPLES + 2)).clamp(2 * SHORTEST, LONG);
    let mut samples = Samples { units: 1, best: Duration::MAX, slowest: Duration::ZERO, count: 0 };
    loop {
        let last = run(samples.units)?;
        left = left.saturating_sub(last.whole);
        samples.best = samples.best.min(last.work);
        samples.slowest = samples.slowest.max(last.work);
        samples.count += 1;
        // By the best: a run that was disturbed would make the work too small.
        let factor = growth(samples.best, wish);
        if factor > 1 && samples.units < MOST_UNITS && last.whole.saturating_mul(factor) <= left {
            let units = samples.units * factor;
            samples = Samples { units, best: Duration::MAX, slowest: Duration::ZERO, count: 0 };
        } else if samples.count == SAMPLES || last.whole > left {
            break;
        }
    }
    if samples.best < SHORTEST {
        return Err(because(
            "the time allowed is too short: it would be the launch that is timed, not the work",
        ));
    }
    Ok(samples)
}

/// How many times more work a run should hold that took this long; 1 if it took long enough.
fn growth(took: Duration, wish: Duration) -> u32 {
    if took >= wish / 2 {
        return 1;
    }
    wish.as_nanos().div_ceil(took.as_nanos().max(1)).min(GROWTH.into()) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHARE: Duration = Duration::from_millis(100);

    /// A device that exists on paper: what it was asked to do, and how long that would have taken.
    #[derive(Default)]
    struct Paper {
        runs: Vec<u32>,
        spent: Duration,
    }

    impl Paper {
        /// Samples a device with this launch, and this time for a unit of each run.
        fn sample(&mut self, launch: Duration, unit: impl Fn(usize) -> Duration) -> Result<Samples, String> {
            let result = sample(SHARE, &mut |units| {
                let work = launch + unit(self.runs.len()) * units;
                self.runs.push(units);
                self.spent += work;
                Ok(Run { work, whole: work })
            });
            result.map_err(|stop| match stop {
                Stop::Because(why) => why,
                Stop::Error(error) => error.to_string(),
            })
        }
    }

    const LAUNCH: Duration = Duration::from_micros(100);

    #[test]
    fn devices_of_every_speed_keep_to_the_time_and_are_told_apart() {
        let mut nanoseconds = 200;
        while nanoseconds < 20_000_000 {
            let (mut paper, unit) = (Paper::default(), Duration::from_nanos(nanoseconds));
            let samples = paper.sample(LAUNCH, |_| unit).unwrap();
            assert!(paper.spent <= SHARE, "{unit:?}: {:?} in {:?}", paper.spent, paper.runs);
            assert!(paper.runs.len() <= 12, "{unit:?}: {:?}", paper.runs);
            let told = samples.best / samples.units;
            assert!(told < unit * 11 / 10, "{unit:?} is told as {told:?}: {samples:?}");
            nanoseconds = nanoseconds * 3 / 2;
        }
    }

    #[test]
    fn a_fast_device_gets_all_samples_long_enough_to_hide_the_launch() {
        let mut paper = Paper::default();
        let samples = paper.sample(LAUNCH, |_| Duration::from_micros(3)).unwrap();
        assert_eq!(samples.count, SAMPLES);
        assert!(samples.best >= LAUNCH * 50, "{samples:?}");
    }

    #[test]
    fn a_device_that_is_too_slow_for_its_share_runs_one_unit_and_no_more() {
        let mut paper = Paper::default();
        let samples = paper.sample(LAUNCH, |_| Duration::from_secs(1)).unwrap();
        assert_eq!((paper.runs, samples.count), (vec![1], 1));
    }

    #[test]
    fn a_device_that_slows_down_overruns_by_one_run_at_most() {
        for slow_from in 1..8 {
            let mut paper = Paper::default();
            let unit = |run| Duration::from_micros(if run < slow_from { 50 } else { 5000 });
            let samples = paper.sample(LAUNCH, unit).unwrap();
            let longest = samples.slowest;
            assert!(paper.spent <= SHARE + longest, "{slow_from}: {:?} in {:?}", paper.spent, paper.runs);
        }
    }

    #[test]
    fn a_first_run_that_is_disturbed_does_not_make_the_samples_too_short() {
        let mut paper = Paper::default();
        let unit = |run| Duration::from_micros(if run == 0 { 30_000 } else { 50 });
        let samples = paper.sample(LAUNCH, unit).unwrap();
        assert!(samples.best >= Duration::from_millis(5), "{samples:?} in {:?}", paper.runs);
    }

    #[test]
    fn the_best_and_the_slowest_sample_are_told() {
        let mut paper = Paper::default();
        let unit = |run| Duration::from_millis(if run == 2 { 18 } else { 15 });
        let samples = paper.sample(Duration::ZERO, unit).unwrap();
        assert_eq!(samples.best, Duration::from_millis(15));
        assert_eq!((samples.slowest, samples.units), (Duration::from_millis(18), 1));
    }

    #[test]
    fn a_clock_that_stands_still_gives_no_figure_and_ends() {
        let mut paper = Paper::default();
        let why = paper.sample(Duration::ZERO, |_| Duration::ZERO).unwrap_err();
        assert!(why.contains("too short"), "{why}");
        assert!(paper.runs.len() <= 12 && paper.runs.iter().all(|units| *units <= MOST_UNITS));
    }

    #[test]
    fn a_failure_ends_the_sampling_at_once() {
        let mut runs = 0;
        let stopped = sample(SHARE, &mut |_| {
            runs += 1;
            Err(because("it fell off the table"))
        });
        assert!(matches!(stopped, Err(Stop::Because(why)) if why.contains("fell")));
        assert_eq!(runs, 1);
    }
}
