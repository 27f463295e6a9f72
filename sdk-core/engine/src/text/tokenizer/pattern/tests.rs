//! What the expressions of real models ask for, and what is refused.

use super::*;

fn all<'t>(pattern: &str, text: &'t str) -> Vec<&'t str> {
    let pattern = Pattern::new(pattern).unwrap();
    let mut work = Work::for_text(text.len());
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some((start, end)) = pattern.find(text, at, &mut work).unwrap() {
        found.push(&text[start..end]);
        at = end;
    }
    found
}

#[test]
fn classes_know_unicode() {
    assert_eq!(all(r"\p{L}+", "naïve Ωmega 你好 १२ x²"), ["naïve", "Ωmega", "你好", "x"]);
    assert_eq!(all(r"\p{N}+", "a1२Ⅳ²b"), ["1२Ⅳ²"]);
    assert_eq!(all(r"[^\r\n\p{L}\p{N}]", "a\r\n-1"), ["-"]);
    assert_eq!(all(r"[a-c\-x]+", "abc-xd"), ["abc-x"]);
    assert_eq!(all(r"\S+", "a\u{a0}b c"), ["a", "b", "c"]);
    assert_eq!(all(r"[一-龥]+", "ab漢字c"), ["漢字"]);
}

#[test]
fn case_can_be_ignored_in_a_group() {
    assert_eq!(all(r"(?i:'s|'re)x?", "'S 'Re 'sx 'ſ"), ["'S", "'Re", "'sx", "'ſ"]);
    assert!(all(r"(?i:'s)S", "'Ss").is_empty());
}

#[test]
fn repeats_are_greedy_and_give_back() {
    assert_eq!(all(r"\p{N}{1,3}", "1234567"), ["123", "456", "7"]);
    assert_eq!(all(r"a*ab", "aaab"), ["aaab"]);
    assert!(all(r"a*+ab", "aaab").is_empty());
    assert_eq!(all(r"a+?", "aa"), ["a", "a"]);
    assert_eq!(all(r"(?:ab){2,3}c", "abababc ababc abc"), ["abababc", "ababc"]);
    assert_eq!(all(r"(?:a|bc)+", "abca-bc"), ["abca", "bc"]);
}

#[test]
fn lookahead_leaves_the_last_space_to_the_word() {
    assert_eq!(all(r"\s+(?!\S)|\s+|\S+", "a   b "), ["a", "  ", " ", "b", " "]);
    assert_eq!(all(r"a(?=b)", "abac"), ["a"]);
}

#[test]
fn what_is_not_known_is_refused_by_name() {
    for (pattern, named) in [
        (r"(?<=a)b", "(?<=a"),
        (r"(a)\1", r"\1"),
        (r"\p{Han}", "Han"),
        (r"[a&&b]", "&&"),
        (r"(?:a*)*", "may be empty"),
        (r"(a", "does not end"),
        (r"a{3,1}", "a count"),
        (r"[z-a]", "range"),
        (r"a)", "unexpected"),
        (r"*", "nothing before"),
    ] {
        let error = Pattern::new(pattern).unwrap_err();
        assert_eq!(error.kind(), crate::ErrorKind::Unsupported);
        assert!(error.to_string().contains(named), "{pattern}: {error}");
    }
    assert!(Pattern::new(&"(".repeat(1_000)).is_err());
    assert!(Pattern::new("(?:(?:(?:(?:ab){99}){99}){99}){99}").is_err());
}

#[test]
fn an_expression_that_never_ends_is_stopped() {
    let pattern = Pattern::new(r"(?:a|a)+b").unwrap();
    let text = "a".repeat(40);
    let error = pattern.find(&text, 0, &mut Work::for_text(text.len())).unwrap_err();
    assert!(error.to_string().contains("too much time"), "{error}");
}

#[test]
fn long_runs_need_no_deep_stack() {
    let text = " ".repeat(200_000);
    assert_eq!(all(r"\s*[\r\n]+|\s+(?!\S)|\s+", &text).len(), 1);
}

#[test]
fn an_expression_that_remembers_too_much_is_stopped() {
    let pattern = Pattern::new(&format!("(?:{}a)*b", "(?:|x)".repeat(40))).unwrap();
    let text = "a".repeat(30_000);
    let error = pattern.find(&text, 0, &mut Work::for_text(text.len())).unwrap_err();
    assert!(error.to_string().contains("too much"), "{error}");
}
