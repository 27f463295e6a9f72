//! Which pieces the model thinks, and which it says.
//!
//! exo swallows the tags and marks what lies between them. A tag is one where it starts with a token of its own: in the
//! middle of a token it is text about tags. Some templates open the section themselves, at the end of the prompt; the
//! answer then starts inside it.

use super::piece::Piece;
use crate::text::Tokenizer;

/// The tags around thoughts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThinkingTags {
    /// Opens the section.
    pub start: String,
    /// Closes it.
    pub end: String,
}

impl ThinkingTags {
    /// The tags that a vocabulary has as tokens, as mlx-lm looks for them.
    pub fn of(tokenizer: &Tokenizer) -> Option<Self> {
        // The tokens that must be there, and the whole of the opening tag.
        const KNOWN: [(&str, &str, &str); 3] = [
            ("<think>", "</think>", "<think>"),
            ("<longcat_think>", "</longcat_think>", "<longcat_think>"),
            ("<|channel>", "<channel|>", "<|channel>thought"),
        ];
        let has = |name: &str| tokenizer.id(name).is_some();
        let known = KNOWN.iter().find(|(start, end, _)| has(start) && has(end));
        known.map(|&(_, end, start)| Self { start: start.into(), end: end.into() })
    }

    /// Whether a prompt ends inside the section.
    pub fn is_open_at_the_end_of(&self, prompt: &str) -> bool {
        prompt.trim_end().ends_with(&*self.start)
    }
}

#[derive(Debug)]
pub(super) struct Thinking {
    tags: Option<ThinkingTags>,
    is_inside: bool,
    /// Pieces that together may be the start of a tag.
    held: Vec<Piece>,
    seen: String,
}

impl Thinking {
    pub(super) fn new(tags: Option<ThinkingTags>, starts_inside: bool) -> Self {
        let is_inside = starts_inside && tags.is_some();
        Self { tags, is_inside, held: Vec::new(), seen: String::new() }
    }

    pub(super) fn push(&mut self, mut piece: Piece, release: &mut Vec<Piece>) {
        let Some(tags) = &self.tags else {
            release.push(piece);
            return;
        };
        let is_start_of = |tag: &str, seen: &str| tag.starts_with(seen);
        self.seen.push_str(&piece.text);
        if !is_start_of(&tags.start, &self.seen) && !is_start_of(&tags.end, &self.seen) {
            // No tag after all; but this piece may be the start of one.
            self.seen.clear();
            self.seen.push_str(&piece.text);
            self.give_back(release);
        }
        let Some(tags) = &self.tags else { return };
        let turns = (self.seen == tags.start && !self.is_inside) || (self.seen == tags.end && self.is_inside);
        if turns {
            self.is_inside = !self.is_inside;
            self.seen.clear();
            self.held.clear();
            if piece.finish.is_some() {
                piece.text.clear();
                release.push(piece);
            }
        } else if piece.finish.is_some() {
            // exo says of the last piece that it is spoken, whatever came before.
            self.give_back(release);
            release.push(piece);
        } else if self.seen.is_empty() {
            piece.is_thinking = self.is_inside;
            release.push(piece);
        } else if is_start_of(&tags.start, &self.seen) || is_start_of(&tags.end, &self.seen) {
            self.held.push(piece);
        } else {
            self.seen.clear();
            piece.is_thinking = self.is_inside;
            release.push(piece);
        }
    }

    fn give_back(&mut self, release: &mut Vec<Piece>) {
        let is_thinking = self.is_inside;
        release.extend(self.held.drain(..).map(|piece| Piece { is_thinking, ..piece }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::answer::Finish;

    /// Thoughts in brackets.
    fn fed(starts_inside: bool, texts: &[&str]) -> String {
        fed_with(ThinkingTags { start: "<think>".into(), end: "</think>".into() }, starts_inside, texts)
    }

    fn fed_with(tags: ThinkingTags, starts_inside: bool, texts: &[&str]) -> String {
        let mut thinking = Thinking::new(Some(tags), starts_inside);
        let mut release = Vec::new();
        for (number, text) in texts.iter().enumerate() {
            let finish = (number + 1 == texts.len()).then_some(Finish::Stop);
            let piece = Piece { token: 0, text: (*text).into(), is_thinking: false, logprobs: None, finish };
            thinking.push(piece, &mut release);
        }
        release
            .iter()
            .map(|piece| if piece.is_thinking { format!("[{}]", piece.text) } else { piece.text.clone() })
            .collect()
    }

    #[test]
    fn tags_are_swallowed_and_what_lies_between_is_marked() {
        assert_eq!(fed(false, &["<think>", "hm", "</think>", "yes", ""]), "[hm]yes");
    }

    #[test]
    fn a_template_may_have_opened_the_section() {
        assert_eq!(fed(true, &["hm", "</think>", "yes", ""]), "[hm]yes");
        assert_eq!(fed(true, &["<think>", "hm", "</think>", "yes", ""]), "[<think>][hm]yes");
    }

    #[test]
    fn tags_may_be_spelt_with_several_tokens() {
        assert_eq!(fed(false, &["<", "thi", "nk>", "hm", "</", "think>", "a", ""]), "[hm]a");
        assert_eq!(fed(false, &["<", "<think>", "hm", ""]), "<[hm]");
    }

    #[test]
    fn a_tag_may_be_a_token_and_a_word() {
        let tags = ThinkingTags { start: "<|channel>thought".into(), end: "<channel|>".into() };
        let said = ["<|channel>", "thought", "\nhm", "<channel|>", "<|channel>", "final", ""];
        assert_eq!(fed_with(tags, false, &said), "[\nhm]<|channel>final");
    }

    #[test]
    fn text_that_only_looks_like_a_tag_is_given_back() {
        assert_eq!(fed(false, &["<", "thin", "g>", "x<think>", ""]), "<thing>x<think>");
        assert_eq!(fed(true, &["</", ""]), "[</]");
    }

    #[test]
    fn the_last_piece_is_always_there_and_spoken() {
        assert_eq!(fed(false, &["<think>", "hm"]), "hm");
        assert_eq!(fed(true, &["hm", "</think>"]), "[hm]");
    }

    #[test]
    fn whether_a_prompt_ends_inside_is_seen_from_its_end() {
        let tags = ThinkingTags { start: "<think>".into(), end: "</think>".into() };
        assert!(tags.is_open_at_the_end_of("assistant\n<think>\n"));
        assert!(!tags.is_open_at_the_end_of("assistant\n<think>\n\n</think>\n\n"));
    }
}
