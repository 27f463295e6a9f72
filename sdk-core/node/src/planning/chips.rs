//! How fast the memory of well-known chips is, by the word of their maker.
//!
//! exo tells the chip of a Mac and nothing of its speed. Decoding reads all weights for each token, so a plan that takes
//! an Ultra for an Air is worth nothing. A figure from a data sheet is an assumption like any other, and is listed as
//! one: a measured figure always goes before it.

/// Bytes a second, as Apple publishes them; where chips of one name differ, the slowest.
const APPLE: [(&str, f64); 16] = [
    ("M1", 68.25e9),
    ("M1 Pro", 200e9),
    ("M1 Max", 400e9),
    ("M1 Ultra", 800e9),
    ("M2", 100e9),
    ("M2 Pro", 200e9),
    ("M2 Max", 400e9),
    ("M2 Ultra", 800e9),
    ("M3", 100e9),
    ("M3 Pro", 150e9),
    ("M3 Max", 300e9),
    ("M3 Ultra", 819e9),
    ("M4", 120e9),
    ("M4 Pro", 273e9),
    ("M4 Max", 410e9),
    ("M5", 153e9),
];

/// The memory bandwidth that the maker of a chip publishes, and its name.
pub(super) fn memory_bandwidth(chip: &str) -> Option<(&'static str, f64)> {
    let name = chip.trim().strip_prefix("Apple ")?.trim();
    APPLE.into_iter().find(|(known, _)| known.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chip_is_known_by_its_whole_name_alone() {
        assert_eq!(memory_bandwidth("Apple M2 Ultra"), Some(("M2 Ultra", 800e9)));
        assert_eq!(memory_bandwidth("Apple M2"), Some(("M2", 100e9)));
        for unknown in ["Apple M2 Hyper", "M2 Ultra", "Unknown Chip", "", "Apple "] {
            assert_eq!(memory_bandwidth(unknown), None, "{unknown}");
        }
    }
}
