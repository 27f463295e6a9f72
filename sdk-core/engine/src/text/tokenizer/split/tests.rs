//! What each way of cutting leaves.

use super::*;

fn words(steps: &str, text: &str) -> Vec<String> {
    let mut splitters = Vec::new();
    read(&serde_json::from_str(steps).unwrap(), &mut splitters).unwrap();
    let mut words =
        Words { text: text.into(), ranges: std::iter::once(0..text.len()).collect(), is_first: true };
    let mut work = Work::for_text(text.len());
    for splitter in &splitters {
        splitter.apply(&mut words, &mut work).unwrap();
    }
    words.ranges.iter().map(|range| words.text[range.clone()].to_owned()).collect()
}

fn on_spaces(behaviour: &str) -> Vec<String> {
    let step = format!(r#"{{"type": "Split", "pattern": {{"String": " "}}, "behavior": "{behaviour}"}}"#);
    words(&step, "a  b ")
}

#[test]
fn matches_stand_alone_go_or_join_their_neighbours() {
    assert_eq!(on_spaces("Isolated"), ["a", " ", " ", "b", " "]);
    assert_eq!(on_spaces("Removed"), ["a", "b"]);
    assert_eq!(on_spaces("MergedWithPrevious"), ["a ", " ", "b "]);
    assert_eq!(on_spaces("MergedWithNext"), ["a", " ", " b", " "]);
    assert_eq!(on_spaces("Contiguous"), ["a", "  ", "b", " "]);
}

#[test]
fn digits_stand_alone_or_together() {
    assert_eq!(words(r#"{"type": "Digits", "individual_digits": true}"#, "a12"), ["a", "1", "2"]);
    assert_eq!(words(r#"{"type": "Digits", "individual_digits": false}"#, "a12b"), ["a", "12", "b"]);
}

#[test]
fn byte_level_shows_every_byte() {
    let steps = r#"{"type": "ByteLevel", "add_prefix_space": false, "use_regex": true}"#;
    assert_eq!(words(steps, "don't é\n\n x"), ["don", "'t", "ĠÃ©", "ĊĊ", "Ġx"]);
}

#[test]
fn a_mark_stands_for_spaces_and_starts_words() {
    let steps = r#"{"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true}"#;
    assert_eq!(words(steps, "a b  c"), ["▁a", "▁b", "▁", "▁c"]);
    let never = r#"{"type": "Metaspace", "replacement": "▁", "prepend_scheme": "never", "split": false}"#;
    assert_eq!(words(never, "a b"), ["a▁b"]);
}

#[test]
fn others_are_refused_by_name() {
    let error = read(&serde_json::json!({"type": "BertPreTokenizer"}), &mut Vec::new()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the pre-tokenizer BertPreTokenizer is not supported; supported: Split, ByteLevel, Metaspace, Digits, Sequence"
    );
}
