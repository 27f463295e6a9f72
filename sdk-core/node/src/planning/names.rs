//! Which model is meant by what somebody typed.

use std::collections::BTreeSet;

/// The most names that are suggested.
const MOST_NEAR: usize = 5;

/// What a typed name means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Named {
    /// This model.
    One(String),
    /// None; these are near, nearest first. Empty where nothing is.
    Near(Vec<String>),
}

/// The model of that name, whole (`mlx-community/Qwen3-0.6B-4bit`) or without its owner, in capitals or not; or those
/// that may have been meant.
pub fn named(typed: &str, known: &BTreeSet<String>) -> Named {
    if known.contains(typed) {
        return Named::One(typed.to_owned());
    }
    let same = |name: &&String| name.eq_ignore_ascii_case(typed) || short(name).eq_ignore_ascii_case(typed);
    let mut fitting = known.iter().filter(same);
    match (fitting.next(), fitting.next()) {
        (Some(only), None) => Named::One(only.clone()),
        (Some(first), Some(second)) => {
            let all = [first, second].into_iter().chain(fitting);
            Named::Near(all.take(MOST_NEAR).cloned().collect())
        }
        (None, _) => Named::Near(near(typed, known)),
    }
}

/// Those that contain what was typed, shortest first, then those that differ least: as a whole, or as far as was typed.
fn near(typed: &str, known: &BTreeSet<String>) -> Vec<String> {
    let typed = short(typed).to_lowercase();
    let ranked = known.iter().filter_map(|name| {
        let lower = short(name).to_lowercase();
        let holds = typed.len() >= 2 && lower.contains(&typed);
        let beginning: String = lower.chars().take(typed.chars().count()).collect();
        let steps = if holds { 0 } else { steps(&typed, &lower).min(steps(&typed, &beginning) + 1) };
        (steps * 2 <= typed.chars().count()).then_some((steps, lower.len(), name))
    });
    let mut ranked: Vec<_> = ranked.collect();
    ranked.sort_unstable();
    ranked.into_iter().take(MOST_NEAR).map(|(_, _, name)| name.clone()).collect()
}

fn short(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// How many letters must be put in, taken out or changed.
fn steps(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (place, letter) in from.chars().enumerate() {
        let mut corner = place;
        let mut left = place + 1;
        for (cell, other) in row.iter_mut().skip(1).zip(&to) {
            let above = *cell;
            left = (corner + usize::from(letter != *other)).min(above + 1).min(left + 1);
            *cell = left;
            corner = above;
        }
        if let Some(first) = row.first_mut() {
            *first = place + 1;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known() -> BTreeSet<String> {
        let names =
            ["a/Qwen3-0.6B-4bit", "a/Qwen3-0.6B-8bit", "a/Llama-3.2-1B-Instruct-4bit", "b/Twin", "c/Twin"];
        names.into_iter().map(str::to_owned).collect()
    }

    #[test]
    fn a_name_is_known_without_its_owner_and_without_capitals() {
        for typed in ["a/Qwen3-0.6B-4bit", "Qwen3-0.6B-4bit", "qwen3-0.6b-4bit"] {
            assert_eq!(named(typed, &known()), Named::One("a/Qwen3-0.6B-4bit".into()), "{typed}");
        }
    }

    #[test]
    fn a_name_that_two_models_have_is_not_guessed() {
        assert_eq!(named("twin", &known()), Named::Near(vec!["b/Twin".into(), "c/Twin".into()]));
    }

    #[test]
    fn slips_and_parts_lead_to_near_names() {
        assert_eq!(
            named("Qwen3-0.6B-4bot", &known()),
            Named::Near(vec!["a/Qwen3-0.6B-4bit".into(), "a/Qwen3-0.6B-8bit".into()])
        );
        assert_eq!(named("llama", &known()), Named::Near(vec!["a/Llama-3.2-1B-Instruct-4bit".into()]));
        assert_eq!(named("lama-3", &known()), Named::Near(vec!["a/Llama-3.2-1B-Instruct-4bit".into()]));
        assert_eq!(named("zzzzzzzz", &known()), Named::Near(Vec::new()));
    }

    #[test]
    fn steps_are_counted_as_people_do() {
        for (from, to, count) in [("", "", 0), ("abc", "abc", 0), ("abc", "", 3), ("kitten", "sitting", 3)] {
            assert_eq!(steps(from, to), count, "{from} {to}");
        }
    }
}
