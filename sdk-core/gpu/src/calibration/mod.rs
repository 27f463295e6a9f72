//! Calibration: a short run of known work that tells what a device can do.
//!
//! Data sheets tell what a chip could do; a scheduler needs what *our* kernels get out of *this* device, driver and
//! heat included. Three [exercises](exercise) are timed, each in submissions that are long beside their launch
//! ([`pace`] sizes them from a first small run), and their answers are checked: a device that computes wrong, or on
//! which the CPU would compute in a kernel's place, gets no figure but a reason.
//!
//! What is *not* told: how long the device keeps this up. A phone that gets warm slows down after minutes.

mod exercise;
mod known;
mod pace;

use std::time::{Duration, Instant};

use serde::Serialize;

use crate::{Device, Error, ErrorKind, Health, Result};
use exercise::Exercise;

/// What a calibration may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CalibrationLimits {
    /// Time for all of it: no work is handed over that would not fit, as far as the work before it tells. The self-test
    /// of a kernel that was never used on the device comes on top.
    pub time: Duration,
    /// Bytes of device memory at once. No more than a quarter of what is left of the budget is taken in any case.
    pub memory: u64,
}

impl Default for CalibrationLimits {
    /// 300 ms and 80 MiB: more than the caches of phones hold, and too short for anybody to notice.
    fn default() -> Self {
        Self { time: Duration::from_millis(300), memory: 80 << 20 }
    }
}

/// What a device can do, as our kernels see it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Calibration {
    /// Floating-point operations a second, in matrix products of f32.
    pub compute: Speed,
    /// Bytes a second that kernels read from memory, f32 weights larger than caches.
    pub memory: Speed,
    /// Bytes a second of 4-bit weights, read and multiplied as for each token.
    pub decode: Speed,
    /// How long all of it took.
    pub elapsed: Duration,
}

/// How fast a device does one thing, or why nobody can say.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Speed {
    /// Timed, and the answers were right.
    Measured {
        /// What ran.
        what: &'static str,
        /// The best sample: operations or bytes a second, from handing over to the end of the wait.
        per_second: f64,
        /// The slowest sample.
        slowest_per_second: f64,
        /// How many samples, warm-up not counted.
        samples: u32,
        /// How long the best one took.
        sample_time: Duration,
    },
    /// Not to be had here.
    Unavailable {
        /// Why.
        why: String,
    },
}

impl Speed {
    /// Operations or bytes a second, if they could be measured.
    pub fn per_second(&self) -> Option<f64> {
        match self {
            Self::Measured { per_second, .. } => Some(*per_second),
            Self::Unavailable { .. } => None,
        }
    }
}

/// Why an exercise came to no figure.
enum Stop {
    /// A call failed.
    Error(Error),
    /// Nothing failed, and yet there is no figure to believe.
    Because(String),
}

impl Stop {
    /// A figure that cannot be had, unless the device as a whole is gone and with it the other figures.
    fn into_speed(self) -> Result<Speed> {
        use ErrorKind::{Cancelled, Closed, DeviceLost, Suspended};
        match self {
            Self::Because(why) => Ok(Speed::Unavailable { why }),
            Self::Error(error) => match error.kind() {
                DeviceLost | Closed | Suspended | Cancelled => Err(error),
                _ => Ok(Speed::Unavailable { why: error.to_string() }),
            },
        }
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

fn because(why: &str) -> Stop {
    Stop::Because(why.to_owned())
}

/// What makes an exercise within so many bytes.
type Make = fn(&Device, u64) -> Result<Exercise, Stop>;

impl Device {
    /// Measures what the device can do, in a short run. Blocks.
    ///
    /// A figure that cannot be had says why. It is an error if the device is lost, closed or taken from the app
    /// meanwhile: then no figure would be about it.
    pub fn calibrate(&self, limits: CalibrationLimits) -> Result<Calibration> {
        let (start, health) = (Instant::now(), self.health());
        let mut testing = Duration::ZERO;
        let mut measure = |make: Make, to_come: u32| {
            let spent = start.elapsed().saturating_sub(testing);
            let share = limits.time.saturating_sub(spent) / to_come;
            let speed = self.exercise(make, limits, share, &mut testing);
            // After a loss the CPU answers, and it would be its speed that is told.
            match self.health() {
                Health::Replaced { reason } if health == Health::Well => Err(Error::DeviceLost {
                    reason,
                    help: "the CPU took its place; calibrate again to measure that",
                }),
                _ => speed.or_else(Stop::into_speed),
            }
        };
        let compute = measure(Exercise::compute, 3)?;
        let memory = measure(Exercise::memory, 2)?;
        let decode = measure(Exercise::decode, 1)?;
        Ok(Calibration { compute, memory, decode, elapsed: start.elapsed() })
    }

    /// One figure. The time of self-tests, which only a kernel's first use needs, is not taken from its share but added
    /// to `testing`.
    fn exercise(
        &self,
        make: Make,
        limits: CalibrationLimits,
        share: Duration,
        testing: &mut Duration,
    ) -> Result<Speed, Stop> {
        if share.is_zero() {
            return Err(because("the time allowed was over before its turn"));
        }
        let begun = Instant::now();
        let report = self.memory_report()?;
        let free = report.budget.map_or(u64::MAX, |budget| budget.saturating_sub(report.used));
        let mut exercise = make(self, limits.memory.min(free / 4))?;
        let made = begun.elapsed();
        let tested = Instant::now();
        let needs_substitutes = exercise.needs_substitutes()?;
        *testing += tested.elapsed();
        if needs_substitutes {
            return Err(because("its kernel failed the self-test, and the CPU computes in its place"));
        }
        // The warm-up: caches fill, clocks rise, pipelines are made.
        let warm_up = exercise.run(1)?.whole;
        if warm_up > limits.time {
            return Err(because("the smallest run took longer than all of the time allowed"));
        }
        // What came before is paid from the share, but leaves some of it for what is measured.
        let left = share.saturating_sub(made + warm_up).max(limits.time / 12);
        let samples = pace::sample(left, &mut |units| exercise.run(units))?;
        exercise.check()?;
        let amount = exercise.amount() * f64::from(samples.units);
        Ok(Speed::Measured {
            what: exercise.what(),
            per_second: amount / samples.best.as_secs_f64(),
            slowest_per_second: amount / samples.slowest.as_secs_f64(),
            samples: samples.count,
            sample_time: samples.best,
        })
    }
}
