//! One sentence that a person understands.

use std::fmt::Write;

use super::{Factor, Part};

/// "pixel gets 0.71 of 1: strongest is memory (6.0 GiB free), weakest is compute (0.10 TFLOP/s free); not known:
/// bandwidth; confidence 95%."
pub(super) fn sentence(id: &str, value: Option<f64>, confidence: f64, factors: &[Factor]) -> String {
    let Some(value) = value else { return format!("{id} has no score: nothing that counts is known of it.") };
    let mut text = format!("{id} gets {value:.2} of 1");
    let weighed = || factors.iter().filter(|factor| factor.part != Part::Heat && factor.value.is_some());
    let by_value = |one: &&Factor, other: &&Factor| {
        one.value.unwrap_or_default().total_cmp(&other.value.unwrap_or_default())
    };
    if let (Some(strongest), Some(weakest)) = (weighed().max_by(by_value), weighed().min_by(by_value)) {
        if strongest.part == weakest.part {
            let _ = write!(text, ": by its {} ({})", strongest.part.words(), strongest.note);
        } else {
            let _ = write!(
                text,
                ": strongest is {} ({}), weakest is {} ({})",
                strongest.part.words(),
                strongest.note,
                weakest.part.words(),
                weakest.note
            );
        }
    }
    if let Some(heat) = factors.iter().find(|factor| factor.part == Part::Heat)
        && let Some(left) = heat.value.filter(|left| *left < 1.0)
    {
        let _ = write!(text, "; heat ({}) takes {:.0}% off", heat.note, (1.0 - left) * 100.0);
    }
    let unknown: Vec<_> =
        factors.iter().filter(|factor| factor.value.is_none()).map(|factor| factor.part.words()).collect();
    if !unknown.is_empty() {
        let _ = write!(text, "; not known: {}", unknown.join(", "));
    }
    text + &format!("; confidence {:.0}%.", confidence * 100.0)
}
