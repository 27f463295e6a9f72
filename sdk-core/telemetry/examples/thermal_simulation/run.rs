//! One hour of work, with and without the governor.

use exo_telemetry::{
    Now, Reading, Readings,
    now::Moment,
    reading::Timestamp,
    thermal::{GovernorConfig, Level, Limits, ThermalGovernor, governor::TICK},
};

use crate::phone::{Build, Phone};

/// Who decides how much the phone works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rule {
    /// Nobody: full work until the system stops the app.
    Alone,
    /// Nobody, and the system does not stop the app either: only to see how warm it would get.
    Unstopped,
    /// Our governor.
    Governed,
}

/// What happened.
#[derive(Debug, Clone, Default)]
pub(crate) struct Outcome {
    pub(crate) tokens: f64,
    pub(crate) peak: f64,
    pub(crate) stalls: u32,
    pub(crate) stalled_seconds: f64,
    pub(crate) switches: u64,
    /// Twice a minute: minute, °C, duty.
    pub(crate) curve: Vec<(f64, f64, f64)>,
}

/// Where the phone is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scene {
    pub(crate) name: &'static str,
    /// How warm the room is, if not as it was when the trace was recorded.
    pub(crate) room: Option<f64>,
    /// And from the 20th to the 40th minute, if that differs.
    pub(crate) sun: Option<f64>,
}

pub(crate) const LIMIT: f64 = 45.0;
/// At full speed; only the ratio matters.
const TOKENS_A_SECOND: f64 = 10.0;
/// An hour of ticks.
const HOUR: u32 = 60 * 60 * 2;
/// The system lets a stopped app go on when the battery has cooled by so much.
const COOLED: f64 = 3.0;
/// The battery's sensor has a new value this often, in steps of a tenth.
const SENSOR_TICKS: u32 = 20;
const CURVE_TICKS: u32 = 60;

pub(crate) fn run(build: Build, scene: Scene, rule: Rule) -> Outcome {
    let config = Limits::new(LIMIT, 5.0, 10.0).map_or_else(
        |_| GovernorConfig::default(),
        |celsius| GovernorConfig { celsius, ..Default::default() },
    );
    let mut governor = ThermalGovernor::new(config);
    let shade = scene.room.unwrap_or(build.room);
    let mut phone = Phone::new(build, shade);
    let mut readings = Readings::unavailable("a battery thermometer is all it has", Timestamp(0)).thermal;
    let mut outcome = Outcome::default();
    let (mut shown, mut stopped) = (phone.battery, false);
    for tick in 0..HOUR {
        let at = TICK * tick;
        let minute = at.as_secs_f64() / 60.0;
        let in_the_sun = (20.0..40.0).contains(&minute);
        let room = scene.sun.filter(|_| in_the_sun).unwrap_or(shade);
        if tick % SENSOR_TICKS == 0 {
            shown = (phone.battery * 10.0).round() / 10.0;
        }
        let duty = match rule {
            Rule::Governed => {
                readings.temperature = Reading::measured(shown, Timestamp::from(at));
                governor.tick(Now { mono: Moment::after_start(at), wall: at }, &readings).duty()
            }
            Rule::Alone | Rule::Unstopped => Level::Full.duty(),
        };
        if rule != Rule::Unstopped {
            let stops = phone.battery >= LIMIT || (stopped && phone.battery > LIMIT - COOLED);
            outcome.stalls += u32::from(stops && !stopped);
            stopped = stops;
        }
        let duty = if stopped { 0.0 } else { duty };
        outcome.stalled_seconds += if duty == 0.0 { TICK.as_secs_f64() } else { 0.0 };
        outcome.tokens += TOKENS_A_SECOND * phone.advance(TICK.as_secs_f64(), duty, room);
        outcome.peak = outcome.peak.max(phone.battery);
        if tick % CURVE_TICKS == 0 {
            outcome.curve.push((minute, phone.battery, duty));
        }
    }
    outcome.switches = governor.switches();
    outcome
}
