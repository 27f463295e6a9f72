//! Unicode's composed form (NFC), out of what the tables say of single characters.
//!
//! The iterator that comes with the tables can make the compatible forms too, and would bring their tables along: 62 kB in
//! an app, for forms that no tokenizer here asks for.

use unicode_normalization::char::{canonical_combining_class, compose, decompose_canonical};

/// A text in that form.
pub(super) fn composed(text: &str) -> String {
    let mut parts = Vec::with_capacity(text.len());
    for c in text.chars() {
        decompose_canonical(c, |part| parts.push((canonical_combining_class(part), part)));
    }
    // Marks stand in the order of their classes; letters, which have class 0, keep their places.
    for marks in parts.chunk_by_mut(|(first, _), (second, _)| (*first == 0) == (*second == 0)) {
        marks.sort_by_key(|&(class, _)| class);
    }
    join(&parts).into_iter().collect()
}

/// Puts letters and marks together, where one character has both.
fn join(parts: &[(u8, char)]) -> Vec<char> {
    let mut joined: Vec<char> = Vec::with_capacity(parts.len());
    let mut letter = None;
    // The class of the mark that stands between the letter and what comes next: it is in the way of its like.
    let mut between = None;
    for &(class, part) in parts {
        let in_reach = letter.filter(|_| between.is_none_or(|between| between < class));
        let whole = in_reach.and_then(|at: usize| compose(joined[at], part).map(|whole| (at, whole)));
        if let Some((at, whole)) = whole {
            joined[at] = whole;
        } else {
            (letter, between) = if class == 0 { (Some(joined.len()), None) } else { (letter, Some(class)) };
            joined.push(part);
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use unicode_normalization::UnicodeNormalization;

    use super::*;

    fn is_the_form_of_the_tables(text: &str) {
        assert_eq!(composed(text), text.nfc().collect::<String>(), "{}", text.escape_unicode());
    }

    #[test]
    fn every_character_and_what_it_is_made_of_come_out_as_the_tables_own_iterator_makes_them() {
        // Behind the last of these there are no letters and no marks that compose.
        for c in '\0'..='\u{323af}' {
            is_the_form_of_the_tables(&c.to_string());
            is_the_form_of_the_tables(&c.to_string().nfd().collect::<String>());
            is_the_form_of_the_tables(&format!("a{c}\u{301}"));
        }
    }

    #[test]
    fn letters_and_marks_in_any_order_come_out_as_the_tables_own_iterator_makes_them() {
        // Letters that compose, marks of several classes, Hangul in parts, a mark that begins a text, a letter that
        // composes with a letter, and one whose composed form is not allowed.
        let some = [
            'a', 'e', 's', 'ê', 'ộ', '\u{301}', '\u{302}', '\u{307}', '\u{323}', '\u{327}', '\u{345}',
            '\u{1100}', '\u{1161}', '\u{11a8}', '가', '\u{9c7}', '\u{9be}', '\u{915}', '\u{93c}', '\u{958}',
            '\u{f71}', '\u{f72}', '\u{338}', '=', '\u{212b}', 'Å',
        ];
        let mut state = 7u64;
        for _ in 0..200_000 {
            let mut text = String::new();
            for _ in 0..=(state % 7) {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                text.push(some[(state >> 33) as usize % some.len()]);
            }
            is_the_form_of_the_tables(&text);
        }
    }
}
