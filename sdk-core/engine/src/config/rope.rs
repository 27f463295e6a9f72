//! Rotary positions: the frequency of each pair of elements, and the angles of a position.
//!
//! Angles are computed here in f64 and rounded once: trigonometry on phones is not accurate, and a long context
//! multiplies the error of a frequency by its position.

use std::f64::consts::PI;

use super::{Fields, invalid, within};
use crate::{Error, Result};

/// How positions turn the elements of a head.
#[derive(Clone, Debug, PartialEq)]
pub struct Rope {
    /// Whether neighbours are turned together; the halves of what turns otherwise.
    pub turns_neighbours: bool,
    /// Radians that each pair turns with each position.
    frequencies: Vec<f64>,
}

impl Rope {
    /// From `rope_theta`, `rope_traditional` and `rope_scaling` (or `rope_parameters`, its newer name) of a config.
    pub(super) fn read(fields: Fields<'_>, head: u32, default_theta: f64) -> Result<Self> {
        let scaling = fields.object("rope_scaling")?.or(fields.object("rope_parameters")?);
        let theta = match scaling.map(|s| s.get("rope_theta")).transpose()?.flatten() {
            Some(theta) => theta,
            None => fields.or("rope_theta", default_theta)?,
        };
        let mut rope = Self::plain(head, theta)?;
        if fields.or("rope_traditional", false)? {
            rope.turns_neighbours = true;
        }
        if let Some(scaling) = scaling {
            rope.frequencies = scaled(rope.frequencies, scaling)?;
        }
        Ok(rope)
    }

    /// From an object that says everything about one kind of layer.
    pub(super) fn read_own(own: Fields<'_>, head: u32) -> Result<Self> {
        let theta = own.or("rope_theta", 10_000.0)?;
        if own.get::<String>("rope_type")?.as_deref() == Some("proportional") {
            let (part, factor) = (own.or("partial_rotary_factor", 1.0)?, own.or("factor", 1.0)?);
            return Self::proportional(head, theta, part, factor);
        }
        let plain = Self::plain(head, theta)?;
        Ok(Self { frequencies: scaled(plain.frequencies, own)?, ..plain })
    }

    /// Only the first part of a head turns, as a smaller head would; the rest stays as it is. `own` is what says so.
    pub(super) fn partial(own: Fields<'_>, head: u32, theta: f64, part: f64) -> Result<Self> {
        let part: f64 = own.or("partial_rotary_factor", part)?;
        within("head_dim", head, 4..=512)?;
        let turned = (f64::from(head) * part) as u32;
        if !(0.0..=1.0).contains(&part) || turned < 4 || !turned.is_multiple_of(2) {
            return Err(invalid(format!("partial_rotary_factor turns {part} of heads of {head}")));
        }
        let plain = Self::plain(turned, own.or("rope_theta", theta)?)?;
        Ok(Self { frequencies: scaled(plain.frequencies, own)?, ..plain })
    }

    /// Every pair turns, each slower than the one before.
    pub(super) fn plain(head: u32, theta: f64) -> Result<Self> {
        within("head_dim", head, 4..=512)?;
        if !(theta > 1.0 && theta < 1e12) {
            return Err(invalid(format!("rope_theta is {theta}")));
        }
        let frequencies = (0..head / 2).map(|i| theta.powf(-f64::from(2 * i) / f64::from(head))).collect();
        Ok(Self { turns_neighbours: false, frequencies })
    }

    /// Only the fastest part of the pairs turns; the others stand still.
    pub(super) fn proportional(head: u32, theta: f64, part: f64, factor: f64) -> Result<Self> {
        let is_sound = (0.0..=1.0).contains(&part) && factor > 0.0 && factor < 1e6;
        if !is_sound {
            return Err(invalid(format!("rope turns {part} of a head by a factor of {factor}")));
        }
        let mut rope = Self::plain(head, theta)?;
        let turned = (f64::from(head) * part) as usize / 2;
        for (i, frequency) in rope.frequencies.iter_mut().enumerate() {
            *frequency = if i < turned { *frequency / factor } else { 0.0 };
        }
        Ok(rope)
    }

    /// How many elements of a head are turned.
    pub fn dims(&self) -> u32 {
        self.frequencies.len() as u32 * 2
    }

    /// Appends `(cos, sin)` of every pair at a position.
    pub fn angles(&self, position: u32, to: &mut Vec<f32>) {
        for frequency in &self.frequencies {
            let (sin, cos) = (f64::from(position) * frequency).sin_cos();
            to.extend([cos as f32, sin as f32]);
        }
    }

    pub(super) fn check(&self, head: u32) -> Result<()> {
        let sound = self.frequencies.iter().all(|f| f.is_finite() && *f >= 0.0);
        if !sound || self.dims() > head {
            return Err(invalid(format!("rope turns {} elements of heads of {head}", self.dims())));
        }
        Ok(())
    }
}

fn scaled(plain: Vec<f64>, scaling: Fields<'_>) -> Result<Vec<f64>> {
    let kind: Option<String> = scaling.get("rope_type")?.or(scaling.get("type")?);
    match kind.as_deref().unwrap_or("default") {
        "default" => Ok(plain),
        "linear" => {
            let factor = factor(scaling)?;
            Ok(plain.into_iter().map(|f| f / factor).collect())
        }
        "llama3" => {
            let llama = Llama3 {
                factor: factor(scaling)?,
                low: scaling.or("low_freq_factor", 1.0)?,
                high: scaling.or("high_freq_factor", 4.0)?,
                context: scaling.or("original_max_position_embeddings", 8192.0)?,
            };
            Ok(plain.into_iter().map(|f| llama.scaled(f)).collect())
        }
        other => Err(Error::Unsupported {
            what: format!("rope scaling of type {other:?}"),
            supported: "default, linear, llama3".into(),
        }),
    }
}

fn factor(scaling: Fields<'_>) -> Result<f64> {
    let factor: f64 = scaling.need("factor")?;
    if factor > 0.0 && factor < 1e6 {
        Ok(factor)
    } else {
        Err(invalid(format!("rope_scaling.factor is {factor}")))
    }
}

/// Llama 3.1: waves longer than the old context are stretched, short ones are not, and those between are in between.
struct Llama3 {
    factor: f64,
    low: f64,
    high: f64,
    context: f64,
}

impl Llama3 {
    fn scaled(&self, frequency: f64) -> f64 {
        let wave = 2.0 * PI / frequency;
        if wave > self.context / self.low {
            frequency / self.factor
        } else if wave > self.context / self.high {
            let smooth = (self.context / wave - self.low) / (self.high - self.low);
            frequency * ((1.0 - smooth) / self.factor + smooth)
        } else {
            frequency
        }
    }
}
