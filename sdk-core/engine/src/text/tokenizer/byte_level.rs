//! The alphabet of byte-level tokenizers: a visible character for each byte.
//!
//! Bytes that are visible in Latin-1 stand for themselves; the other 68 are the characters from U+0100 on, in order.

/// The character of a byte.
pub(super) fn char_of(byte: u8) -> char {
    let shifted = match byte {
        0..=0x20 => 0x100 + u32::from(byte),
        0x7f..=0xa0 => 0x121 + u32::from(byte - 0x7f),
        0xad => 0x143,
        _ => u32::from(byte),
    };
    char::from_u32(shifted).unwrap_or('\u{fffd}')
}

/// The byte of a character.
pub(super) fn byte_of(c: char) -> Option<u8> {
    let byte = match u32::from(c) {
        code @ 0x100..=0x120 => code - 0x100,
        code @ 0x121..=0x142 => code - 0x121 + 0x7f,
        0x143 => 0xad,
        code @ 0..=0xff => code,
        _ => return None,
    };
    u8::try_from(byte).ok().filter(|&byte| char_of(byte) == c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_has_a_visible_character_of_its_own() {
        for byte in 0..=255 {
            assert_eq!(byte_of(char_of(byte)), Some(byte));
            assert!(!char_of(byte).is_whitespace() && !char_of(byte).is_control());
        }
        assert_eq!([b' ', b'\n', b'a', 0xad].map(char_of), ['Ġ', 'Ċ', 'a', 'Ń']);
        assert_eq!([' ', '\u{ad}', 'ń', '漢'].map(byte_of), [None; 4]);
    }
}
