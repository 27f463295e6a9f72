//! Versions of the protocol.

use std::fmt;

use super::ProtocolError;

/// A version: `1.0`. Another major version means other things; a newer minor one adds to what there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// Differs where old readers would misunderstand.
    pub major: u16,
    /// Grows where something is added.
    pub minor: u16,
}

impl Version {
    /// Reads `1.0`: two numbers without signs or leading zeros.
    pub fn parse(text: &str) -> Result<Self, ProtocolError> {
        let bad = || ProtocolError::BadVersion { version: text.chars().take(32).collect() };
        let number = |digits: &str| {
            let plain =
                digits.bytes().all(|b| b.is_ascii_digit()) && (digits == "0" || !digits.starts_with('0'));
            if plain { digits.parse::<u16>().ok() } else { None }
        };
        let (major, minor) = text.split_once('.').ok_or_else(bad)?;
        Ok(Self { major: number(major).ok_or_else(bad)?, minor: number(minor).ok_or_else(bad)? })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_two_plain_numbers() {
        assert_eq!(Version::parse("1.12").unwrap(), Version { major: 1, minor: 12 });
        for bad in ["", "1", "1.", ".1", "1.0.0", "+1.0", "01.0", "1.00", "1.x", "1.99999", " 1.0", "١.٠"] {
            assert!(Version::parse(bad).is_err(), "{bad}");
        }
    }
}
