//! Numbers and words, where they lie.

/// The text without the blanks and line ends around it.
pub(super) fn trimmed(bytes: &[u8]) -> &[u8] {
    bytes.trim_ascii()
}

/// The one whole number of a text.
pub(super) fn whole(bytes: &[u8]) -> Option<u64> {
    std::str::from_utf8(trimmed(bytes)).ok()?.parse().ok()
}

/// The one number of a text. Words such as `nan` and `inf` are numbers to Rust; they are none to a sensor.
pub(super) fn number(bytes: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(trimmed(bytes)).ok()?;
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

/// The words of a line.
pub(super) fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

/// The lines of a text that are there whole: a text that was cut ends in the middle of one.
pub(super) fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split_inclusive(|byte| *byte == b'\n').filter_map(|line| line.strip_suffix(b"\n"))
}

/// What follows the key on its line: `MemTotal:   8000000 kB`, `inactive_file 4096`.
pub(super) fn field<'a>(text: &'a [u8], key: &str) -> Option<&'a [u8]> {
    lines(text).find_map(|line| {
        let rest = line.strip_prefix(key.as_bytes())?;
        rest.first().is_some_and(u8::is_ascii_whitespace).then(|| trimmed(rest))
    })
}
