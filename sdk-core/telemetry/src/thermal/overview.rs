//! The heat of a whole cluster at a glance.

use std::{fmt, time::Duration};

use super::governor::{Level, Standing};

/// The heat of a whole cluster. Devices do not share a unit, so they are compared by how close each is to its own
/// limit.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Overview<'a> {
    /// The device that is closest to its limit, and how close, 1 at the limit.
    pub hottest: Option<(&'a str, f64)>,
    /// The devices that may do less than everything, and how much, the least first.
    pub throttled: Vec<(&'a str, Level)>,
    /// The device that reaches its limit first if all go on like this, and when.
    pub next: Option<(&'a str, Duration)>,
    /// The devices of which no sensor tells anything now.
    pub unseen: Vec<&'a str>,
    /// How much of their full work all devices together may do, 0 to 1.
    pub share: f64,
}

impl<'a> Overview<'a> {
    /// Looks at all devices. Ties go to the one that comes first.
    pub fn of(devices: impl IntoIterator<Item = (&'a str, Standing)>) -> Self {
        let mut overview = Self::default();
        let (mut duty, mut count) = (0.0, 0.0);
        for (name, standing) in devices {
            duty += standing.level.duty();
            count += 1.0;
            if let Some(closeness) = standing.closeness
                && overview.hottest.is_none_or(|(_, most)| closeness > most)
            {
                overview.hottest = Some((name, closeness));
            }
            if let Some(time) = standing.time_to_limit
                && overview.next.is_none_or(|(_, soonest)| time < soonest)
            {
                overview.next = Some((name, time));
            }
            if standing.level < Level::Full {
                overview.throttled.push((name, standing.level));
            }
            if !standing.is_seen {
                overview.unseen.push(name);
            }
        }
        overview.throttled.sort_by_key(|(_, level)| *level);
        overview.share = if count > 0.0 { duty / count } else { 0.0 };
        overview
    }
}

impl fmt::Display for Overview<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.hottest {
            Some((name, closeness)) => {
                write!(f, "hottest: {name}, {:.0}% of the way to its limit", closeness * 100.0)?;
            }
            None => write!(f, "no device tells its heat")?,
        }
        if let Some((name, time)) = self.next {
            write!(f, "; {name} reaches its limit in {} s", time.as_secs())?;
        }
        write!(
            f,
            "; {} throttled, {} unseen, {:.0}% of all work allowed",
            self.throttled.len(),
            self.unseen.len(),
            { self.share * 100.0 }
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standing(level: Level, closeness: Option<f64>, seconds: Option<u64>) -> Standing {
        Standing {
            level,
            closeness,
            is_seen: closeness.is_some(),
            time_to_limit: seconds.map(Duration::from_secs),
            outlook: None,
        }
    }

    #[test]
    fn the_hottest_is_the_closest_to_its_own_limit() {
        let devices = [
            ("pixel", standing(Level::Eased, Some(0.7), Some(300))),
            ("iphone", standing(Level::Low, Some(0.9), None)),
            ("mac", standing(Level::Full, Some(0.0), None)),
            ("old", standing(Level::Half, None, None)),
        ];
        let overview = Overview::of(devices);
        assert_eq!(overview.hottest, Some(("iphone", 0.9)));
        assert_eq!(overview.next, Some(("pixel", Duration::from_mins(5))));
        assert_eq!(
            overview.throttled,
            [("iphone", Level::Low), ("old", Level::Half), ("pixel", Level::Eased)]
        );
        assert_eq!(overview.unseen, ["old"]);
        assert_eq!(
            overview.to_string(),
            "hottest: iphone, 90% of the way to its limit; pixel reaches its limit in 300 s; 3 throttled, 1 unseen, \
             68% of all work allowed"
        );
    }

    #[test]
    fn an_empty_cluster_has_no_hottest_device() {
        assert_eq!(Overview::of([]), Overview::default());
    }
}
