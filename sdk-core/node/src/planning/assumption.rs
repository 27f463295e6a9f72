//! A figure that nobody measured, and where it comes from instead.

use std::fmt;

use serde::Serialize;

/// One figure that had to be assumed. Read aloud: *studio: memory bandwidth was not measured; 800 GB/s taken: Apple's
/// figure for an M2 Ultra*.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Assumption {
    /// Whom it is about: the name of a device, `model` or `links`.
    pub about: String,
    /// The id of that device.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// What is not known: "memory bandwidth was not measured".
    pub unknown: String,
    /// What stands in for it: "800 GB/s taken".
    pub taken: String,
    /// Why that.
    pub because: String,
}

impl fmt::Display for Assumption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { about, unknown, taken, because, .. } = self;
        write!(f, "{about}: {unknown}; {taken}: {because}")
    }
}

/// "800 GB/s", "1.2 TFLOP/s", "41 MB".
pub(super) fn amount(value: f64, unit: &str) -> String {
    const PREFIXES: [(f64, &str); 4] = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];
    let (size, prefix) = PREFIXES.into_iter().find(|(size, _)| value >= *size).unwrap_or((1.0, ""));
    let value = value / size;
    if value >= 100.0 || value.fract() < 0.05 {
        format!("{value:.0} {prefix}{unit}")
    } else {
        format!("{value:.1} {prefix}{unit}")
    }
}

#[cfg(test)]
mod tests {
    use super::amount;

    #[test]
    fn amounts_are_short() {
        assert_eq!(amount(8e11, "B/s"), "800 GB/s");
        assert_eq!(amount(6.825e10, "B/s"), "68.2 GB/s");
        assert_eq!(amount(1.5e12, "FLOP/s"), "1.5 TFLOP/s");
        assert_eq!(amount(0.0, "B"), "0 B");
    }
}
