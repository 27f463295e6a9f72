//! The governor: decides before the limit how much work there may be.
//!
//! ```text
//!              forecast reaches the margin                 forecast of this level reaches the limit
//!   ┌──────┐ ─────────────────────────────> ┌─────────────────────────────┐ ───────────────> ┌────────┐
//!   │ Full │                                │ Eased, Reduced, Half, Low   │                  │ Paused │
//!   └──────┘ <───────────────────────────── └─────────────────────────────┘ <─────────────── └────────┘
//!              10 °C below the limit          each rise waits, and waits        10 °C below the limit
//!                                             longer if it was a mistake
//! ```

mod history;
mod level;
mod limits;
mod standing;
mod track;

use std::time::Duration;

use crate::{
    now::{Moment, Now},
    protocol::DeviceType,
    reading::ThermalReadings,
};

use super::{Celsius, Headroom, LevelNames, Levels, Observation};

pub use history::{History, Tick};
pub use level::{Level, Measures, Precision};
pub use limits::Limits;
pub use standing::{Outlook, Standing};

use track::{Advice, Track};

/// What the governor keeps to.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct GovernorConfig {
    /// For devices that tell degrees.
    pub celsius: Limits<Celsius>,
    /// For devices that tell headroom.
    pub headroom: Limits<Headroom>,
    /// For devices that tell a status.
    pub levels: Limits<Levels>,
    /// Whose names the status uses.
    pub names: LevelNames,
}

impl GovernorConfig {
    /// What suits such a device. Its type says what its degrees are those of: a phone tells of its battery, which must stay
    /// near what a hand can hold; anything else of its processor or GPU, which idles where a phone would burn.
    pub fn of(device: DeviceType) -> Self {
        match device {
            DeviceType::MobileAndroid => Self::default(),
            DeviceType::MobileIos => Self { names: LevelNames::Ios, ..Self::default() },
            _ => Self { celsius: Limits::of_a_chip(), ..Self::default() },
        }
    }
}

/// Keeps one device below its limit with as little loss of work as it can.
///
/// Call [`tick`](Self::tick) every 500 ms and let the engine do what [`Level::measures`] says.
#[derive(Debug, Clone)]
pub struct ThermalGovernor {
    celsius: Track<Celsius>,
    headroom: Track<Headroom>,
    levels: Track<Levels>,
    names: LevelNames,
    level: Level,
    /// The share of the allowed work that is really done.
    busy: f64,
    /// When the level last changed, and when it last rose.
    switched: Option<Moment>,
    rose: Option<Moment>,
    /// How often in a row a rise was a mistake.
    mistakes: u32,
    switches: u64,
    started: Option<Moment>,
    history: History,
}

/// How often [`ThermalGovernor::tick`] wants to be called.
pub const TICK: Duration = Duration::from_millis(500);

/// After a fall, the next fall waits this long for the heat to follow, unless there is no time.
const SETTLING: Duration = Duration::from_secs(20);
/// After a change, a rise waits this long, and twice as long after each mistake.
const PATIENCE: Duration = Duration::from_mins(2);
/// A rise that is taken back within this time was a mistake.
const REGRET: Duration = Duration::from_mins(10);
/// Waits grow up to 64 minutes.
const MOST_MISTAKES: u32 = 5;
/// A device this close to its limit, when its sensors fall silent, does next to nothing at once.
const NEAR: f64 = 0.5;
/// All sensors silent for this long: nearly nothing.
const LONG_SILENCE: Duration = Duration::from_mins(1);

impl ThermalGovernor {
    /// A governor of a device of which nothing is known yet.
    pub fn new(config: GovernorConfig) -> Self {
        Self {
            celsius: Track::new(config.celsius),
            headroom: Track::new(config.headroom),
            levels: Track::new(config.levels),
            names: config.names,
            level: Level::Half,
            busy: 1.0,
            switched: None,
            rose: None,
            mistakes: 0,
            switches: 0,
            started: None,
            history: History::default(),
        }
    }

    /// Tells which share of the allowed work is really being done, so that an idle phone is not taken for a cool one
    /// under work. 1 until told otherwise.
    pub const fn busy(&mut self, share: f64) {
        self.busy = if share.is_finite() { share.clamp(0.0, 1.0) } else { 1.0 };
    }

    /// Looks at the sensors and decides. Cheap: nearly always a few comparisons, and every ten seconds a fraction of a
    /// millisecond of arithmetic.
    pub fn tick(&mut self, now: Now, readings: &ThermalReadings) -> Level {
        let names = self.names;
        self.celsius.hear(now, &readings.temperature, Observation::celsius);
        self.headroom.hear(now, &readings.headroom, Observation::headroom);
        self.levels.hear(now, &readings.status, |status| Ok(Observation::level(status, names)));

        if self.started.is_none() {
            // A device that was never throttled has nothing to recover from: it starts with all that is safe.
            self.started = Some(now.mono);
            self.level = self.advice(now.mono, Level::Full).map_or(Level::Half, |advice| advice.ceiling);
        } else {
            let level = self.decide(now.mono);
            if level != self.level {
                self.switch(now.mono, level);
            }
        }
        let share = self.level.duty() * self.busy;
        self.celsius.load(now, share);
        self.headroom.load(now, share);
        self.levels.load(now, share);
        self.history.push(Tick { at: now.mono, level: self.level, closeness: self.closeness() });
        self.level
    }

    fn decide(&mut self, now: Moment) -> Level {
        let Some(advice) = self.advice(now, self.level) else {
            return self.blind(now);
        };
        let since_switch = self.switched.map_or(Duration::MAX, |switched| now.since(switched));
        if advice.ceiling < self.level {
            let urgent = self.level == Level::Full || advice.ceiling == Level::Paused;
            return if urgent || since_switch >= SETTLING { advice.ceiling } else { self.level };
        }
        let patience = PATIENCE * 2u32.pow(self.mistakes.min(MOST_MISTAKES));
        if advice.may_rise && since_switch >= patience { self.level.above() } else { self.level }
    }

    /// What all living sensors allow together; `None` if there is none.
    fn advice(&mut self, now: Moment, level: Level) -> Option<Advice> {
        let (celsius, headroom, levels) =
            (self.celsius.is_alive(now), self.headroom.is_alive(now), self.levels.is_alive(now));
        let all = [
            celsius.then(|| self.celsius.advice(level)).flatten(),
            headroom.then(|| self.headroom.advice(level)).flatten(),
            levels.then(|| self.levels.advice(level)).flatten(),
        ];
        let together = all.into_iter().flatten().reduce(|one, other| Advice {
            ceiling: one.ceiling.min(other.ceiling),
            may_rise: one.may_rise && other.may_rise,
        })?;
        let one_is_lost = (self.celsius.is_known() && !celsius)
            || (self.headroom.is_known() && !headroom)
            || (self.levels.is_known() && !levels);
        // What the lost sensor knew is missing: not everything is dared.
        Some(if one_is_lost {
            Advice { ceiling: together.ceiling.min(Level::Eased), may_rise: false }
        } else {
            together
        })
    }

    /// Without a sensor there is no full work, and the longer it lasts, the less there is.
    fn blind(&self, now: Moment) -> Level {
        let since = |moment: Option<Moment>| moment.map_or(Duration::ZERO, |moment| now.since(moment));
        let ceiling = match self.closeness() {
            // It never had a sensor: half the work at first, in case one turns up.
            None if since(self.started) < LONG_SILENCE => Level::Half,
            None => Level::Low,
            Some(closeness) if closeness >= NEAR => Level::Low,
            Some(_) if self.level <= Level::Half && since(self.switched) >= LONG_SILENCE => Level::Low,
            Some(_) => Level::Half,
        };
        self.level.min(ceiling)
    }

    fn switch(&mut self, now: Moment, level: Level) {
        if level > self.level {
            self.rose = Some(now);
        } else if let Some(rose) = self.rose.take() {
            let regretted = now.since(rose) < REGRET;
            self.mistakes = if regretted { (self.mistakes + 1).min(MOST_MISTAKES) } else { 0 };
        }
        self.level = level;
        self.switched = Some(now);
        self.switches += 1;
    }

    fn hears_any(&self, now: Moment) -> bool {
        self.celsius.is_alive(now) || self.headroom.is_alive(now) || self.levels.is_alive(now)
    }

    fn closeness(&self) -> Option<f64> {
        [self.celsius.closeness(), self.headroom.closeness(), self.levels.closeness()]
            .into_iter()
            .flatten()
            .reduce(f64::max)
    }

    /// What was decided last.
    pub const fn level(&self) -> Level {
        self.level
    }

    /// How often the level has changed.
    pub const fn switches(&self) -> u64 {
        self.switches
    }

    /// The last minute.
    pub const fn history(&self) -> &History {
        &self.history
    }
}
