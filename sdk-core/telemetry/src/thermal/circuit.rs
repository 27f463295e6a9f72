//! One guess at what the device is: a chain of heat stores, as resistors and capacitors.
//!
//! ```text
//!                    work x G                            work x k G
//!                       │                                    │
//!   sensor S <──lag── part T <────── time constant ────── case B <── slow constant ── room H
//! ```
//! The part is warmed by the work and cooled by the case, the case by the room, and the sensor follows the part:
//!
//! * `dB/dt = (H + k G u - B) / slow`
//! * `dT/dt = (B + G u - T) / fast`
//! * `dS/dt = (T - S) / lag`
//!
//! with `u` the work, 0 to 1. `S`, `T`, `B`, `G` and `H` are not known and are estimated; the constants are what makes
//! this guess differ from the others in the [bank](super::bank). Time is in minutes, heat in grains of the unit.

/// How many numbers describe the state: sensor, part, case, gain, room.
pub(super) const STATES: usize = 5;
pub(super) const SENSOR: usize = 0;
pub(super) const PART: usize = 1;
pub(super) const CASE: usize = 2;
pub(super) const GAIN: usize = 3;
pub(super) const ROOM: usize = 4;

pub(super) type Vector = [f64; STATES];
pub(super) type Matrix = [[f64; STATES]; STATES];

/// The constants of one guess, in minutes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Circuit {
    /// How long the part takes to follow the work.
    pub(super) fast: f64,
    /// How long the sensor takes to follow the part; 0 if it is the part. Always below `fast`.
    pub(super) lag: f64,
    /// How long the case takes to follow. Always above `fast`.
    pub(super) slow: f64,
    /// How much the work warms the case, as a share of what it warms the part.
    pub(super) case_share: f64,
}

impl Circuit {
    /// The exact change of the state in `minutes` under constant work: new state = matrix x old state.
    pub(super) fn transition(&self, minutes: f64, work: f64) -> Matrix {
        let fast = (-minutes / self.fast).exp();
        let slow = (-minutes / self.slow).exp();
        let (lag, fast_gain, slow_gain) = if self.lag > 0.0 {
            let lag = (-minutes / self.lag).exp();
            (lag, self.fast / (self.fast - self.lag), self.slow / (self.slow - self.lag))
        } else {
            (0.0, 1.0, 1.0)
        };
        let pull = self.slow / (self.slow - self.fast);

        let part_of_case = pull * (slow - fast);
        let part_of_room = 1.0 - fast - part_of_case;
        let sensor_of_part = fast_gain * (fast - lag);
        let sensor_of_case = pull * (slow_gain * (slow - lag) - sensor_of_part);
        let sensor_of_work = 1.0 - sensor_of_part - lag;
        let sensor_of_room = sensor_of_work - sensor_of_case;
        let share = self.case_share;
        [
            [
                lag,
                sensor_of_part,
                sensor_of_case,
                work * (sensor_of_work + share * sensor_of_room),
                sensor_of_room,
            ],
            [0.0, fast, part_of_case, work * (1.0 - fast + share * part_of_room), part_of_room],
            [0.0, 0.0, slow, work * share * (1.0 - slow), 1.0 - slow],
            [0.0, 0.0, 0.0, 1.0, 0.0],
            [0.0, 0.0, 0.0, 0.0, 1.0],
        ]
    }

    /// Where the sensor settles above the room, for each unit of gain under full work.
    pub(super) const fn settled_share(&self) -> f64 {
        1.0 + self.case_share
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apply(matrix: &Matrix, state: &Vector) -> Vector {
        std::array::from_fn(|row| (0..STATES).map(|column| matrix[row][column] * state[column]).sum())
    }

    const CIRCUIT: Circuit = Circuit { fast: 4.0, lag: 0.7, slow: 18.0, case_share: 0.3 };
    const START: Vector = [20.0, 21.0, 19.0, 10.0, 18.0];

    #[test]
    fn the_closed_form_agrees_with_small_steps() {
        let (minutes, work) = (7.0, 0.6);
        let [mut sensor, mut part, mut case, gain, room] = START;
        let steps = 200_000;
        let step = minutes / f64::from(steps);
        for _ in 0..steps {
            sensor += (part - sensor) / CIRCUIT.lag * step;
            part += (case + gain * work - part) / CIRCUIT.fast * step;
            case += (room + CIRCUIT.case_share * gain * work - case) / CIRCUIT.slow * step;
        }
        let exact = apply(&CIRCUIT.transition(minutes, work), &START);
        assert!((exact[SENSOR] - sensor).abs() < 1e-3, "{} {sensor}", exact[SENSOR]);
        assert!((exact[PART] - part).abs() < 1e-3 && (exact[CASE] - case).abs() < 1e-3);
    }

    #[test]
    fn two_steps_are_one_long_step() {
        let halves = apply(&CIRCUIT.transition(1.5, 1.0), &apply(&CIRCUIT.transition(1.5, 1.0), &START));
        let whole = apply(&CIRCUIT.transition(3.0, 1.0), &START);
        for (half, whole) in halves.iter().zip(whole) {
            assert!((half - whole).abs() < 1e-9);
        }
    }

    #[test]
    fn in_the_end_it_settles_where_the_formula_says() {
        let end = apply(&CIRCUIT.transition(1e4, 0.5), &START);
        let settled = START[ROOM] + 0.5 * START[GAIN] * CIRCUIT.settled_share();
        assert!((end[SENSOR] - settled).abs() < 1e-6);
    }
}
