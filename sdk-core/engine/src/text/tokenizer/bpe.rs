//! Byte-pair encoding: a word starts as its characters, and the pair that was learnt first is merged until none is left.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, SeqAccess, Visitor};

use super::vocabulary::Vocabulary;

/// The model inside a tokenizer.
#[derive(Debug)]
pub(super) struct Bpe {
    pub(super) vocabulary: Vocabulary,
    pub(super) merges: Merges,
    /// What stands for characters without a token of their own.
    pub(super) unknown: Option<u32>,
    pub(super) fuses_unknown: bool,
    /// The tokens of single bytes, where every byte has one.
    pub(super) bytes: Option<Vec<u32>>,
    /// A word that is a token is that token, whatever its merges say.
    pub(super) ignores_merges: bool,
}

/// Which pairs of tokens merge into which, and which go first. Sorted by pair.
#[derive(Debug, Default)]
pub(super) struct Merges(Vec<Merge>);

#[derive(Clone, Copy, Debug)]
struct Merge {
    pair: (u32, u32),
    rank: u32,
    merged: u32,
}

impl Merges {
    fn of(&self, pair: (u32, u32)) -> Option<Merge> {
        self.0.binary_search_by_key(&pair, |merge| merge.pair).ok().map(|at| self.0[at])
    }
}

/// Merges of one vocabulary; the largest known one has 514,000.
const MAX_MERGES: usize = 1 << 22;

/// A piece of a word on its way: a token, and its neighbours.
#[derive(Clone, Copy, Debug)]
struct Symbol {
    token: u32,
    before: u32,
    after: u32,
}

/// No neighbour.
const NONE: u32 = u32::MAX;
/// A symbol that was merged into the one before it.
const GONE: u32 = u32::MAX;

/// Memory that is kept from word to word.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    symbols: Vec<Symbol>,
    /// Merges that may be done: rank, then place, the lowest first.
    open: BinaryHeap<Reverse<(u32, u32)>>,
}

impl Bpe {
    pub(super) fn encode(&self, word: &str, scratch: &mut Scratch, tokens: &mut Vec<u32>) {
        if self.ignores_merges
            && let Some(token) = self.vocabulary.id(word)
        {
            tokens.push(token);
            return;
        }
        self.start(word, scratch);
        self.merge(scratch);
        let left = scratch.symbols.iter().map(|symbol| symbol.token).filter(|&token| token != GONE);
        tokens.extend(left);
    }

    /// One symbol for each character, or for each byte of a character without a token.
    fn start(&self, word: &str, scratch: &mut Scratch) {
        let symbols = &mut scratch.symbols;
        symbols.clear();
        let mut is_after_unknown = false;
        for c in word.chars() {
            let was_unknown = std::mem::take(&mut is_after_unknown);
            if let Some(token) = self.vocabulary.id_of_char(c) {
                push(symbols, token);
            } else if let Some(bytes) = &self.bytes {
                c.encode_utf8(&mut [0; 4]).bytes().for_each(|byte| push(symbols, bytes[usize::from(byte)]));
            } else if let Some(unknown) = self.unknown {
                is_after_unknown = true;
                if !(was_unknown && self.fuses_unknown) {
                    push(symbols, unknown);
                }
            }
        }
    }

    fn merge(&self, Scratch { symbols, open }: &mut Scratch) {
        open.clear();
        let merge_at = |symbols: &[Symbol], at: u32| {
            let symbol = symbols.get(at as usize).filter(|symbol| symbol.token != GONE)?;
            let after = symbols.get(symbol.after as usize)?;
            self.merges.of((symbol.token, after.token))
        };
        for at in 0..symbols.len() as u32 {
            open.extend(merge_at(symbols, at).map(|merge| Reverse((merge.rank, at))));
        }
        while let Some(Reverse((rank, at))) = open.pop() {
            // A neighbour may have changed since this was noted.
            let Some(merge) = merge_at(symbols, at).filter(|merge| merge.rank == rank) else { continue };
            let gone = symbols[at as usize].after;
            let after = symbols[gone as usize].after;
            symbols[gone as usize].token = GONE;
            symbols[at as usize].token = merge.merged;
            symbols[at as usize].after = after;
            if let Some(symbol) = symbols.get_mut(after as usize) {
                symbol.before = at;
            }
            for changed in [symbols[at as usize].before, at] {
                open.extend(merge_at(symbols, changed).map(|merge| Reverse((merge.rank, changed))));
            }
        }
    }
}

fn push(symbols: &mut Vec<Symbol>, token: u32) {
    let at = symbols.len() as u32;
    if let Some(last) = symbols.last_mut() {
        last.after = at;
    }
    symbols.push(Symbol { token, before: at.checked_sub(1).unwrap_or(NONE), after: NONE });
}

/// Reads `["a b", ...]` or `[["a", "b"], ...]` against the names of a vocabulary.
pub(super) struct Pairs<'v>(pub(super) &'v Vocabulary);

#[derive(Deserialize)]
#[serde(untagged)]
enum Pair {
    Apart(String, String),
    Joined(String),
}

impl<'de> DeserializeSeed<'de> for Pairs<'_> {
    type Value = Merges;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Merges, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Pairs<'_> {
    type Value = Merges;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of pairs of tokens")
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut seq: S) -> Result<Merges, S::Error> {
        let mut merges = Vec::new();
        let mut merged = String::new();
        while let Some(pair) = seq.next_element::<Pair>()? {
            let (left, right) = match &pair {
                Pair::Apart(left, right) => (&**left, &**right),
                Pair::Joined(both) => both.split_once(' ').unwrap_or((both, "")),
            };
            merged.clear();
            merged.extend([left, right]);
            let id = |name: &str| {
                let missing =
                    || serde::de::Error::custom(format!("a merge names {name:?}, which is no token"));
                self.0.id(name).ok_or_else(missing)
            };
            if merges.len() == MAX_MERGES {
                return Err(serde::de::Error::custom(format!("more than {MAX_MERGES} merges")));
            }
            let rank = merges.len() as u32;
            merges.push(Merge { pair: (id(left)?, id(right)?), rank, merged: id(&merged)? });
        }
        // Where a pair is named twice, the last one counts.
        merges.sort_unstable_by_key(|merge| (merge.pair, Reverse(merge.rank)));
        merges.dedup_by_key(|merge| merge.pair);
        Ok(Merges(merges))
    }
}

#[cfg(test)]
mod tests {
    use super::super::vocabulary::Names;
    use super::*;

    fn bpe(vocabulary: &str, merges: &str) -> Bpe {
        let vocabulary = Names.deserialize(&mut serde_json::Deserializer::from_str(vocabulary)).unwrap();
        let merges = Pairs(&vocabulary).deserialize(&mut serde_json::Deserializer::from_str(merges)).unwrap();
        Bpe { vocabulary, merges, unknown: None, fuses_unknown: false, bytes: None, ignores_merges: false }
    }

    fn encode(bpe: &Bpe, word: &str) -> Vec<u32> {
        let mut tokens = Vec::new();
        bpe.encode(word, &mut Scratch::default(), &mut tokens);
        tokens
    }

    const VOCABULARY: &str = r#"{"a": 0, "b": 1, "c": 2, "ab": 3, "bc": 4, "abc": 5, "?": 6, "aa": 7}"#;

    #[test]
    fn the_pair_that_was_learnt_first_goes_first() {
        assert_eq!(encode(&bpe(VOCABULARY, r#"["a b", "b c"]"#), "abc"), [3, 2]);
        assert_eq!(encode(&bpe(VOCABULARY, r#"[["b", "c"], ["a", "b"]]"#), "abc"), [0, 4]);
        assert_eq!(encode(&bpe(VOCABULARY, r#"["a b", "ab c"]"#), "abcab"), [5, 3]);
    }

    #[test]
    fn of_equal_pairs_the_left_one_goes_first() {
        assert_eq!(encode(&bpe(VOCABULARY, r#"["a a"]"#), "aaa"), [7, 0]);
    }

    #[test]
    fn a_word_that_is_a_token_may_ignore_merges() {
        let mut bpe = bpe(VOCABULARY, "[]");
        assert_eq!(encode(&bpe, "abc"), [0, 1, 2]);
        bpe.ignores_merges = true;
        assert_eq!(encode(&bpe, "abc"), [5]);
    }

    #[test]
    fn what_has_no_token_is_unknown_or_left_out() {
        let mut bpe = bpe(VOCABULARY, "[]");
        assert_eq!(encode(&bpe, "axyb"), [0, 1]);
        bpe.unknown = Some(6);
        assert_eq!(encode(&bpe, "axyb"), [0, 6, 6, 1]);
        bpe.fuses_unknown = true;
        assert_eq!(encode(&bpe, "axybz"), [0, 6, 1, 6]);
    }

    #[test]
    fn a_merge_of_strangers_is_an_error() {
        let vocabulary = Names.deserialize(&mut serde_json::Deserializer::from_str(VOCABULARY)).unwrap();
        for merges in [r#"["a x"]"#, r#"["c a"]"#, r#"["a"]"#, "[1]", r#"[["a"]]"#] {
            assert!(
                Pairs(&vocabulary).deserialize(&mut serde_json::Deserializer::from_str(merges)).is_err(),
                "{merges}"
            );
        }
    }

    #[test]
    fn long_words_take_little_more_than_linear_time() {
        let bpe = bpe(VOCABULARY, r#"["a b", "ab c", "a a"]"#);
        assert_eq!(encode(&bpe, &"abca".repeat(20_000)).len(), 40_000);
    }
}
