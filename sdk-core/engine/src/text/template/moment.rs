//! The date in a prompt, from whoever knows the time: this crate asks no clock.

/// A moment as a wall clock shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    seconds: i64,
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

impl Moment {
    /// Seconds since 1970 on the wall clock: add the time zone's offset to those of UTC.
    pub fn from_unix(seconds: i64) -> Self {
        // Years of four digits: what a template may print.
        Self { seconds: seconds.clamp(-62_135_596_800, 253_402_300_799) }
    }

    /// As C's `strftime`, for the letters that templates use; an error names another.
    pub(in crate::text) fn format(self, format: &str) -> Result<String, String> {
        let (year, month, day) = self.date();
        let of_day = self.seconds.rem_euclid(86_400);
        let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
        let weekday = DAYS[(self.seconds.div_euclid(86_400) + 4).rem_euclid(7) as usize];
        let month_name = MONTHS[(month - 1) as usize];
        let mut text = String::new();
        let mut letters = format.chars();
        while let Some(c) = letters.next() {
            if c != '%' {
                text.push(c);
                continue;
            }
            let mut letter = letters.next().unwrap_or('%');
            let is_bare = letter == '-';
            if is_bare {
                letter = letters.next().unwrap_or('%');
            }
            let width = if is_bare { 0 } else { 2 };
            let part = match letter {
                'Y' => year.to_string(),
                'y' => format!("{:0width$}", year % 100),
                'm' => format!("{month:0width$}"),
                'd' => format!("{day:0width$}"),
                'e' => format!("{day:2}"),
                'H' => format!("{hour:0width$}"),
                'I' => format!("{:0width$}", (hour + 11) % 12 + 1),
                'M' => format!("{minute:0width$}"),
                'S' => format!("{second:0width$}"),
                'p' => if hour < 12 { "AM" } else { "PM" }.to_owned(),
                'B' => month_name.to_owned(),
                'b' | 'h' => month_name[..3].to_owned(),
                'A' => weekday.to_owned(),
                'a' => weekday[..3].to_owned(),
                'F' => format!("{year}-{month:02}-{day:02}"),
                'T' => format!("{hour:02}:{minute:02}:{second:02}"),
                '%' => "%".to_owned(),
                other => return Err(format!("strftime_now does not know %{other}")),
            };
            text.push_str(&part);
        }
        Ok(text)
    }

    /// Year, month, day of the Gregorian calendar, by counting in eras of 400 years that start in March.
    fn date(self) -> (i64, i64, i64) {
        let days = self.seconds.div_euclid(86_400) + 719_468;
        let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
        let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
        let of_year = day - (365 * year + year / 4 - year / 100);
        let month = (5 * of_year + 2) / 153;
        let day = of_year - (153 * month + 2) / 5 + 1;
        let month = if month < 10 { month + 3 } else { month - 9 };
        (era * 400 + year + i64::from(month <= 2), month, day)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        for (seconds, expected) in [
            (0, "1970-01-01 00:00:00 Thursday"),
            (951_782_399, "2000-02-28 23:59:59 Monday"),
            (951_868_799, "2000-02-29 23:59:59 Tuesday"),
            (1_735_689_600, "2025-01-01 00:00:00 Wednesday"),
            (-1, "1969-12-31 23:59:59 Wednesday"),
        ] {
            assert_eq!(Moment::from_unix(seconds).format("%F %T %A").unwrap(), expected);
        }
    }

    #[test]
    fn the_letters_of_templates_are_known_and_others_refused() {
        let moment = Moment::from_unix(1_720_000_000);
        assert_eq!(
            moment.format("%d %b %Y, %-d %B %y %I:%M %p 100%%").unwrap(),
            "03 Jul 2024, 3 July 24 09:46 AM 100%"
        );
        assert_eq!(moment.format("%Q").unwrap_err(), "strftime_now does not know %Q");
    }
}
