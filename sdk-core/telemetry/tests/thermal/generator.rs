//! Phones that nobody measured: traces as sustained work on various phones might give them.
//!
//! What is drawn at random for each: the room, how far the work warms the battery, the time constants of the part, of
//! the sensor and of a slow case (in six of ten phones), how warm the phone starts, whether and how it throttles
//! (not, in proportion to the heat, or in steps with a hysteresis), when the work begins, a drift of the room, and the
//! sensor: steps of 0.1, 0.5 or 1 °C, noise, how many minutes it holds a value, and a dead zone. None of these shapes
//! is built from the model that is being judged: the phone throttles by rules, the sensor holds, drops and rounds.

use exo_telemetry::Random;

/// One value a minute, averaged over the minute.
pub(crate) fn trace(seed: u64, minutes: usize) -> Vec<f64> {
    let mut random = Draw(Random::seeded(seed));
    let mut phone = Phone::drawn(&mut random);
    let mut sensor = Sensor::drawn(&mut random, phone.reading);
    (0..minutes)
        .map(|minute| {
            let mut sum = 0.0;
            for second in 0..60 {
                phone.second((minute * 60 + second) as f64);
                sum += sensor.read(phone.reading, &mut random);
            }
            (sum / 60.0 * 10.0).round() / 10.0
        })
        .collect()
}

struct Draw(Random);

impl Draw {
    fn chance(&mut self, share: f64) -> bool {
        self.0.fraction() < share
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.0.fraction()
    }

    /// Evenly over the orders of magnitude.
    fn scaled(&mut self, low: f64, high: f64) -> f64 {
        self.between(low.ln(), high.ln()).exp()
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.0.below(all.len() as u64) as usize]
    }

    fn bell(&mut self) -> f64 {
        (0..12).map(|_| self.0.fraction()).sum::<f64>() - 6.0
    }
}

#[derive(Clone, Copy)]
enum Throttle {
    Never,
    /// Power falls by this share for each degree above the knee.
    Gradual {
        slope: f64,
    },
    /// Power falls to the least at the knee and comes back two degrees below.
    Stepped,
}

struct Phone {
    room: f64,
    drift: f64,
    rise: f64,
    case_share: f64,
    /// Time constants in minutes.
    part_takes: f64,
    case_takes: f64,
    reading_takes: f64,
    throttle: Throttle,
    knee: f64,
    least_power: f64,
    work_begins: f64,
    power: f64,
    part: f64,
    case: f64,
    reading: f64,
}

impl Phone {
    fn drawn(random: &mut Draw) -> Self {
        let room = random.between(16.0, 30.0);
        let rise = random.scaled(5.0, 22.0);
        let warm = if random.chance(0.5) { random.between(0.0, 0.3) } else { random.between(0.3, 1.1) };
        let case_share = if random.chance(0.6) { random.between(0.05, 0.35) } else { 0.0 };
        let part = room + rise * warm * random.between(0.6, 1.0);
        let slope = random.between(0.05, 0.4);
        Self {
            room,
            drift: if random.chance(0.3) { random.between(-0.03, 0.03) } else { 0.0 },
            rise,
            case_share,
            part_takes: random.scaled(3.0, 14.0),
            case_takes: random.between(15.0, 40.0),
            reading_takes: random.scaled(0.4, 3.0),
            throttle: random.one_of(&[
                Throttle::Never,
                Throttle::Never,
                Throttle::Gradual { slope },
                Throttle::Gradual { slope },
                Throttle::Stepped,
            ]),
            knee: room + rise * random.between(0.45, 0.95),
            least_power: random.between(0.4, 0.85),
            work_begins: if random.chance(0.3) { random.between(10.0, 90.0) } else { 0.0 },
            power: 1.0,
            part,
            case: room + rise * case_share * warm * random.between(0.5, 1.0),
            reading: part,
        }
    }

    fn second(&mut self, second: f64) {
        self.power = match self.throttle {
            Throttle::Never => 1.0,
            Throttle::Gradual { slope } => {
                (1.0 - slope * (self.part - self.knee).max(0.0)).max(self.least_power)
            }
            Throttle::Stepped if self.part > self.knee => self.least_power,
            Throttle::Stepped if self.part < self.knee - 2.0 => 1.0,
            Throttle::Stepped => self.power,
        };
        if second < self.work_begins {
            self.power = 0.1;
        }
        let step = 1.0 / 60.0;
        let room = self.room + self.drift * second / 60.0;
        let case_aims = room + self.rise * self.case_share * self.power;
        self.case += (case_aims - self.case) * step / self.case_takes;
        let part_aims = self.case + self.rise * (1.0 - self.case_share) * self.power;
        self.part += (part_aims - self.part) * step / self.part_takes;
        self.reading += (self.part - self.reading) * step / self.reading_takes;
    }
}

struct Sensor {
    step: f64,
    noise: f64,
    holds_seconds: u32,
    dead_zone: f64,
    shown: f64,
    age: u32,
}

impl Sensor {
    fn drawn(random: &mut Draw, first: f64) -> Self {
        let step = random.one_of(&[0.1, 0.1, 0.1, 0.5, 1.0]);
        Self {
            step,
            noise: if random.chance(0.5) { 0.0 } else { random.between(0.02, 0.15) },
            holds_seconds: random.one_of(&[0, 0, 60, 120, 240]),
            dead_zone: random.one_of(&[0.0, 0.0, 0.3, 0.8]),
            shown: (first / step).round() * step,
            age: 0,
        }
    }

    fn read(&mut self, truth: f64, random: &mut Draw) -> f64 {
        let raw = truth + self.noise * random.bell();
        self.age += 1;
        if self.age > self.holds_seconds && (raw - self.shown).abs() >= self.dead_zone {
            self.shown = (raw / self.step).round() * self.step;
            self.age = 0;
        }
        self.shown
    }
}
