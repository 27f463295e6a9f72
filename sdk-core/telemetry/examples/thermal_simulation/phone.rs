//! A phone that warms up and throttles as one of the traces did.
//!
//! What is assumed, because the traces do not tell it:
//! * The room was as warm as the phone in its first minute, and the phone had stood in it for long.
//! * The system slows the chip down by the temperature of the battery: not at all up to some point, then in a straight
//!   line through the last minute, where latency tells how slow it was, down to a fifth of full speed. Where that point
//!   is, is fitted.
//! * A chip at speed `s` makes `s`, `s^1.5` or `s^2` of its full heat, whichever is most like the trace; an idle one
//!   makes 5%. A chip that works half of the time makes half of the heat.
//! * At the limit the system stops the app until the battery has cooled by 3 °C: a stall.

/// What the trace file says of one phone.
#[derive(serde::Deserialize)]
pub(crate) struct Trace {
    pub(crate) device: String,
    pub(crate) battery_c_per_minute: Vec<f64>,
    latency_ms_first_minute: f64,
    latency_ms_last_minute: f64,
}

/// The constants of a phone, fitted to its trace.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Build {
    pub(crate) room: f64,
    /// Speed falls from here on, by so much a degree.
    throttles_at: f64,
    slowdown: f64,
    /// How far full heat warms the battery in the end, and how long the chip's surroundings and the battery take.
    pub(crate) rise: f64,
    pub(crate) minutes: f64,
    lag: f64,
    /// Heat is speed to this power.
    pub(crate) power: f64,
}

/// A phone at one moment.
#[derive(Debug, Clone)]
pub(crate) struct Phone {
    build: Build,
    room: f64,
    inner: f64,
    pub(crate) battery: f64,
}

const SLOWEST: f64 = 0.2;
const IDLE_HEAT: f64 = 0.05;

impl Build {
    /// Tries constants on a grid and keeps those whose phone, left alone, comes closest to the trace; also says how
    /// close, in °C.
    pub(crate) fn fitted(trace: &Trace) -> Option<(Self, f64)> {
        let (first, last) = (*trace.battery_c_per_minute.first()?, *trace.battery_c_per_minute.last()?);
        let slowest = trace.latency_ms_first_minute / trace.latency_ms_last_minute;
        let warmed = last - first;
        let mut best: Option<(Self, f64)> = None;
        let mut consider = |build: Self| {
            let error = build.error(&trace.battery_c_per_minute);
            if best.is_none_or(|(_, least)| error < least) {
                best = Some((build, error));
            }
        };
        for share in [0.1, 0.3, 0.5, 0.7] {
            let throttles_at = first + share * warmed;
            let slowdown = (1.0 - slowest) / (last - throttles_at).max(0.1);
            for power in [1.0, 1.5, 2.0] {
                for rise in (0..32).map(|step| warmed * 1.08f64.powi(step)) {
                    for minutes in (0..20).map(|step| 1.5 * 1.15f64.powi(step)) {
                        for lag in [0.05, 0.6, 1.2, 2.4] {
                            consider(Self { room: first, throttles_at, slowdown, rise, minutes, lag, power });
                        }
                    }
                }
            }
        }
        best
    }

    fn error(&self, trace: &[f64]) -> f64 {
        let mut phone = Phone::new(*self, self.room);
        let squares = trace.iter().map(|seen| {
            let mean = (0..12)
                .map(|_| {
                    phone.advance(5.0, 1.0, self.room);
                    phone.battery / 12.0
                })
                .sum::<f64>();
            (mean - seen).powi(2)
        });
        (squares.sum::<f64>() / trace.len() as f64).sqrt()
    }
}

impl Phone {
    /// A phone that has stood in this room for long.
    pub(crate) const fn new(build: Build, room: f64) -> Self {
        Self { build, room, inner: room, battery: room }
    }

    /// How fast the system lets the chip run, 1 at first.
    pub(crate) fn speed(&self) -> f64 {
        (1.0 - self.build.slowdown * (self.battery - self.build.throttles_at).max(0.0)).max(SLOWEST)
    }

    /// Works for this share of some seconds; returns how much got done, in seconds of full speed.
    pub(crate) fn advance(&mut self, seconds: f64, duty: f64, room: f64) -> f64 {
        let (speed, step) = (self.speed(), seconds / 60.0);
        let heat = IDLE_HEAT + (1.0 - IDLE_HEAT) * duty * speed.powf(self.build.power);
        self.room = room;
        self.inner +=
            (self.room + self.build.rise * heat - self.inner) * (1.0 - (-step / self.build.minutes).exp());
        self.battery += (self.inner - self.battery) * (1.0 - (-step / self.build.lag).exp());
        duty * speed * seconds
    }
}
