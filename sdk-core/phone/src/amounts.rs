//! Amounts for people: bytes, times, rates and errors in few digits.

use std::time::Duration;

/// `1536` is "1.5 KiB"; whole amounts have no decimals.
pub(crate) fn bytes(count: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if count < 1024 {
        return format!("{count} B");
    }
    let mut amount = count as f64 / 1024.0;
    let mut unit = UNITS[0];
    for larger in &UNITS[1..] {
        if amount < 1024.0 {
            break;
        }
        amount /= 1024.0;
        unit = larger;
    }
    if amount.fract() < 0.05 { format!("{amount:.0} {unit}") } else { format!("{amount:.1} {unit}") }
}

/// Bytes as people write them: `1500MB` counts in thousands, `2GiB` in 1024s.
pub(crate) fn read_bytes(text: &str) -> Result<u64, String> {
    const UNITS: [(&str, u64); 7] = [
        ("", 1),
        ("KB", 1000),
        ("MB", 1_000_000),
        ("GB", 1_000_000_000),
        ("KiB", 1 << 10),
        ("MiB", 1 << 20),
        ("GiB", 1 << 30),
    ];
    let (number, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
    let factor = UNITS.iter().find(|(name, _)| *name == unit.trim()).map(|(_, factor)| *factor);
    let bytes =
        number.parse::<u64>().ok().zip(factor).and_then(|(number, factor)| number.checked_mul(factor));
    bytes.ok_or_else(|| "write a number of bytes, such as 1500MB or 2GiB".to_owned())
}

/// "0.4 ms", "12 ms", "3.1 s".
pub(crate) fn time(duration: Duration) -> String {
    let ms = duration.as_secs_f64() * 1e3;
    match ms {
        _ if ms < 10.0 => format!("{ms:.1} ms"),
        _ if ms < 1000.0 => format!("{ms:.0} ms"),
        _ => format!("{:.1} s", ms / 1e3),
    }
}

/// `4.2e10` of "B/s" is "42.0 GB/s"; rates count in thousands, as data sheets do.
pub(super) fn rate(per_second: f64, unit: &str) -> String {
    const PREFIXES: [&str; 5] = ["", "k", "M", "G", "T"];
    let mut amount = per_second;
    let mut prefix = PREFIXES[0];
    for larger in &PREFIXES[1..] {
        if amount < 999.5 {
            break;
        }
        amount /= 1000.0;
        prefix = larger;
    }
    if amount < 99.95 { format!("{amount:.1} {prefix}{unit}") } else { format!("{amount:.0} {prefix}{unit}") }
}

/// A part of what is allowed: "0 %", "31 %", and powers of ten where it is far beyond.
pub(crate) fn part(ratio: f64) -> String {
    let percent = ratio * 100.0;
    if percent.abs() < 10_000.0 { format!("{percent:.0} %") } else { format!("{percent:.0e} %") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_use_the_largest_unit_that_fits() {
        assert_eq!(bytes(0), "0 B");
        assert_eq!(bytes(1023), "1023 B");
        assert_eq!(bytes(1536), "1.5 KiB");
        assert_eq!(bytes(128 << 20), "128 MiB");
        assert_eq!(bytes((23 << 30) + (400 << 20)), "23.4 GiB");
        assert_eq!(bytes(u64::MAX), "16777216 TiB");
    }

    #[test]
    fn bytes_are_read_as_people_write_them() {
        assert_eq!(read_bytes("4096"), Ok(4096));
        assert_eq!(read_bytes("1500MB"), Ok(1_500_000_000));
        assert_eq!(read_bytes("2 GiB"), Ok(2 << 30));
        for wrong in ["", "much", "2TB", "-1", "1.5GB", "99999999999GiB"] {
            assert!(read_bytes(wrong).unwrap_err().contains("write a number"), "{wrong}");
        }
    }

    #[test]
    fn times_keep_two_digits() {
        assert_eq!(time(Duration::from_micros(420)), "0.4 ms");
        assert_eq!(time(Duration::from_millis(12)), "12 ms");
        assert_eq!(time(Duration::from_millis(3100)), "3.1 s");
    }

    #[test]
    fn rates_keep_three_digits() {
        assert_eq!(rate(4.23e10, "B/s"), "42.3 GB/s");
        assert_eq!(rate(1.15e12, "FLOP/s"), "1.1 TFLOP/s");
        assert_eq!(rate(2.976e11, "FLOP/s"), "298 GFLOP/s");
        assert_eq!(rate(999.9e6, "B/s"), "1.0 GB/s");
        assert_eq!(rate(7.0, "B/s"), "7.0 B/s");
    }

    #[test]
    fn parts_are_whole_percents_until_they_are_absurd() {
        assert_eq!(part(0.0), "0 %");
        assert_eq!(part(0.314), "31 %");
        assert_eq!(part(5.0e5), "5e7 %");
        assert_eq!(part(f64::INFINITY), "inf %");
    }
}
