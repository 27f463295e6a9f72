//! A point in time as exo writes it.

use std::{fmt, time::Duration};

use serde::{Deserialize, Serialize};

/// The last second that exo's calendar knows: the end of the year 9999.
const LAST_SECOND: u64 = 253_402_300_799;

/// A stamp such as `2026-06-22 13:38:54.123456+00:00`, always in UTC. The master writes its own over it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct When(Box<str>);

impl When {
    /// The stamp of the moment that long after the beginning of 1970. What lies beyond the year 9999 becomes its end.
    pub fn since_1970(elapsed: Duration) -> Self {
        let seconds = elapsed.as_secs().min(LAST_SECOND);
        let (year, month, day) = date(seconds / 86_400);
        let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
        let micros = elapsed.subsec_micros();
        let text =
            format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}.{micros:06}+00:00");
        Self(text.into())
    }

    /// The stamp as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The Gregorian date of a day counted from 1970-01-01. Years are counted from 1 March, so that the leap day is the
/// last of its year, in eras of 400 years, which all have the same length.
fn date(day: u64) -> (u64, u64, u64) {
    const DAYS_TO_1970: u64 = 719_468;
    const DAYS_OF_ERA: u64 = 146_097;
    let day = day + DAYS_TO_1970;
    let (era, day) = (day / DAYS_OF_ERA, day % DAYS_OF_ERA);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (400 * era + year + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(seconds: u64, micros: u64) -> String {
        When::since_1970(Duration::from_secs(seconds) + Duration::from_micros(micros)).to_string()
    }

    #[test]
    fn a_stamp_is_written_as_exo_writes_it() {
        assert_eq!(written(0, 0), "1970-01-01 00:00:00.000000+00:00");
        assert_eq!(written(1_782_135_534, 123_456), "2026-06-22 13:38:54.123456+00:00");
        assert_eq!(written(951_782_400, 7), "2000-02-29 00:00:00.000007+00:00");
        assert_eq!(written(4_107_542_399, 999_999), "2100-02-28 23:59:59.999999+00:00");
        assert_eq!(written(4_107_542_400, 0), "2100-03-01 00:00:00.000000+00:00");
    }

    #[test]
    fn a_clock_gone_mad_still_gives_a_date_of_exos_calendar() {
        assert_eq!(When::since_1970(Duration::MAX).as_str(), "9999-12-31 23:59:59.999999+00:00");
    }
}
