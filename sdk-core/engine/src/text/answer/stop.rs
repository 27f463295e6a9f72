//! Ends an answer before a text that must not be in it, wherever tokens are cut.
//!
//! A piece waits as long as the texts so far may turn out to be the start of such a text, and no longer.

use std::collections::VecDeque;

use super::piece::{Finish, Piece};
use crate::{Error, Result};

/// Texts that end an answer; a request with more is a mistake or an attack.
const MAX_COUNT: usize = 64;
const MAX_BYTES: usize = 1024;

#[derive(Debug)]
pub(super) struct Stops {
    texts: Vec<String>,
    held: VecDeque<Piece>,
    /// The text of what is held.
    window: String,
}

impl Stops {
    pub(super) fn new(texts: &[String]) -> Result<Self> {
        // An empty text is everywhere, so it would allow no answer at all: nobody means that.
        let texts: Vec<String> = texts.iter().filter(|text| !text.is_empty()).cloned().collect();
        if texts.len() > MAX_COUNT || texts.iter().any(|text| text.len() > MAX_BYTES) {
            let longest = texts.iter().map(String::len).max().unwrap_or(0);
            return Err(Error::InvalidRequest {
                what: "stop",
                asked: format!("{} texts of up to {longest} bytes", texts.len()),
                allowed: format!("{MAX_COUNT} texts of up to {MAX_BYTES} bytes"),
            });
        }
        Ok(Self { texts, held: VecDeque::new(), window: String::new() })
    }

    /// Takes a piece and gives those that are safe. The last one given has a finish if the answer ends.
    pub(super) fn push(&mut self, piece: Piece, release: &mut Vec<Piece>) {
        let is_end = piece.finish.is_some();
        self.window.push_str(&piece.text);
        self.held.push_back(piece);
        if let Some(at) = self.texts.iter().filter_map(|text| self.window.find(&**text)).min() {
            self.cut(at);
            release.extend(self.held.drain(..));
            self.window.clear();
            return;
        }
        let mut safe = if is_end { self.window.len() } else { self.window.len() - self.suspicious() };
        while let Some(piece) = self.held.front()
            && piece.text.len() <= safe
        {
            safe -= piece.text.len();
            self.window.drain(..piece.text.len());
            release.extend(self.held.pop_front());
        }
    }

    /// How many bytes at the end may be the start of a text that stops.
    fn suspicious(&self) -> usize {
        let start_of = |text: &String| {
            let most = self.window.len().min(text.len() - 1);
            (1..=most)
                .rev()
                .find(|&count| self.window.as_bytes().ends_with(&text.as_bytes()[..count]))
                .unwrap_or(0)
        };
        self.texts.iter().map(start_of).max().unwrap_or(0)
    }

    /// Takes all text from here on out of the pieces, and ends with the last.
    fn cut(&mut self, at: usize) {
        let mut left = at;
        for piece in &mut self.held {
            let keeps = piece.text.len().min(left);
            piece.text.truncate(keeps);
            left -= keeps;
        }
        if let Some(last) = self.held.back_mut() {
            last.finish = Some(Finish::Stop);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What each of these pieces releases, and whether it ends the answer.
    fn fed(stops: &[&str], texts: &[&str]) -> Vec<String> {
        let mut machine = Stops::new(&stops.iter().map(ToString::to_string).collect::<Vec<_>>()).unwrap();
        let mut steps = Vec::new();
        for text in texts {
            let mut release = Vec::new();
            let piece =
                Piece { token: 0, text: (*text).into(), is_thinking: false, logprobs: None, finish: None };
            machine.push(piece, &mut release);
            let ends = release.last().is_some_and(|piece| piece.finish == Some(Finish::Stop));
            let texts: Vec<&str> = release.iter().map(|piece| &*piece.text).collect();
            steps.push(texts.join("|") + if ends { " END" } else { "" });
        }
        steps
    }

    #[test]
    fn a_text_is_found_across_tokens_and_nothing_of_it_is_shown() {
        assert_eq!(fed(&["STOP"], &["a", "S", "TO", "P", "b"])[..4], ["a", "", "", "|| END"]);
        assert_eq!(fed(&["STOP"], &["abSTOPcd"]), ["ab END"]);
    }

    #[test]
    fn what_turns_out_harmless_is_released_at_once() {
        assert_eq!(fed(&["STOP"], &["S", "T", "x", "y"]), ["", "", "S|T|x", "y"]);
        assert_eq!(fed(&["aab"], &["a", "a", "a", "b"]), ["", "", "a", "|| END"]);
    }

    #[test]
    fn the_first_text_in_the_answer_wins() {
        assert_eq!(fed(&["cd", "bc"], &["abcd"]), ["a END"]);
    }

    #[test]
    fn without_such_texts_nothing_waits() {
        assert_eq!(fed(&[], &["a", "", "b"]), ["a", "", "b"]);
        assert_eq!(fed(&[""], &["a"]), ["a"]);
    }

    #[test]
    fn the_end_of_an_answer_releases_everything() {
        let mut stops = Stops::new(&["STOP".to_owned()]).unwrap();
        let piece = |text: &str, finish| Piece {
            token: 0,
            text: text.into(),
            is_thinking: false,
            logprobs: None,
            finish,
        };
        let mut release = Vec::new();
        stops.push(piece("ST", None), &mut release);
        assert!(release.is_empty());
        stops.push(piece("O", Some(Finish::Length)), &mut release);
        assert_eq!(release.iter().map(|piece| &*piece.text).collect::<String>(), "STO");
    }

    #[test]
    fn letters_of_several_bytes_are_not_torn() {
        assert_eq!(fed(&["漢字"], &["x漢", "漢", "字"]), ["", "x漢", "| END"]);
    }

    #[test]
    fn far_too_many_are_refused() {
        let error = Stops::new(&vec!["x".to_owned(); 65]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "stop: 65 texts of up to 1 bytes was asked, 64 texts of up to 1024 bytes is allowed"
        );
    }
}
