//! Takes the calls of tools out of an answer.

use super::arguments::OfferedTools;
use super::dialect::{self, ToolDialect};
use super::piece::{Output, Piece, ToolCall};

/// A call of more text than this is none.
const MAX_HELD: usize = 1 << 20;

#[derive(Debug)]
pub(super) struct Tools {
    offered: Option<OfferedTools>,
    calls: Vec<ToolCall>,
    held: Vec<Piece>,
    seen: String,
    /// Whether a bare call is out of question, since the answer began in another way.
    is_settled: bool,
}

impl Tools {
    pub(super) fn new(offered: Option<OfferedTools>) -> Self {
        Self { offered, calls: Vec::new(), held: Vec::new(), seen: String::new(), is_settled: false }
    }

    pub(super) fn push(&mut self, piece: Piece, out: &mut impl Extend<Output>) {
        match self.offered.as_ref().map(|offered| offered.dialect) {
            // A call that the model only thinks about is a thought.
            Some(ToolDialect::Tagged) if !piece.is_thinking => self.tagged(piece, out),
            Some(ToolDialect::Bare) if !piece.is_thinking && !self.is_settled => self.bare(piece, out),
            _ => {
                // What is held came first.
                self.give_back(out);
                out.extend([Output::Piece(piece)]);
            }
        }
    }

    fn tagged(&mut self, piece: Piece, out: &mut impl Extend<Output>) {
        let is_end = piece.finish.is_some();
        self.seen.push_str(&piece.text);
        if !self.may_be_tagged() {
            self.give_back(out);
            self.seen.push_str(&piece.text);
        }
        self.held.push(piece);
        if self.seen.trim_end().ends_with(dialect::CLOSE)
            && let Some(call) = dialect::tagged_call(&self.seen)
        {
            self.calls.push(call);
            let last = self.held.pop().filter(|_| is_end);
            self.held.clear();
            self.seen.clear();
            self.held.extend(last.map(|last| Piece { text: String::new(), ..last }));
        } else if self.seen.trim_end().ends_with(dialect::CLOSE)
            || !self.may_be_tagged()
            || self.seen.is_empty()
        {
            self.release(is_end, out);
        }
        if is_end {
            self.end(out);
        }
    }

    fn may_be_tagged(&self) -> bool {
        self.seen.len() <= MAX_HELD
            && (dialect::OPEN.starts_with(&*self.seen) || self.seen.starts_with(dialect::OPEN))
    }

    fn bare(&mut self, piece: Piece, out: &mut impl Extend<Output>) {
        let is_end = piece.finish.is_some();
        self.seen.push_str(&piece.text);
        self.held.push(piece);
        if self.seen.len() > MAX_HELD || !dialect::may_be_bare(&self.seen) {
            self.is_settled = true;
            self.release(is_end, out);
        } else if is_end && let Some(calls) = dialect::bare_calls(&self.seen) {
            self.calls = calls;
            self.held.clear();
        }
        if is_end {
            self.end(out);
        }
    }

    /// Lets go of what is held; the very last piece waits for [`Tools::end`].
    fn release(&mut self, is_end: bool, out: &mut impl Extend<Output>) {
        if !is_end {
            self.give_back(out);
        }
    }

    fn give_back(&mut self, out: &mut impl Extend<Output>) {
        self.seen.clear();
        out.extend(self.held.drain(..).map(Output::Piece));
    }

    /// What is left: text, and then the calls, which take the place of the last piece's finish.
    fn end(&mut self, out: &mut impl Extend<Output>) {
        if self.calls.is_empty() {
            self.give_back(out);
            return;
        }
        let spoken = self.held.drain(..).filter(|piece| piece.finish.is_none() || !piece.text.is_empty());
        out.extend(spoken.map(|piece| Output::Piece(Piece { finish: None, ..piece })));
        let fitted = self.calls.drain(..).map(|call| match &self.offered {
            Some(offered) => offered.fitted(call),
            None => call,
        });
        out.extend([Output::ToolCalls(fitted.collect())]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::answer::Finish;

    /// Pieces apart, calls in brackets, a full stop where the answer ends.
    fn fed(dialect: ToolDialect, texts: &[&str]) -> String {
        let mut tools = Tools::new(Some(dialect.into()));
        let mut out = Vec::new();
        for (number, text) in texts.iter().enumerate() {
            let finish = (number + 1 == texts.len()).then_some(Finish::Stop);
            tools.push(
                Piece { token: 0, text: (*text).into(), is_thinking: false, logprobs: None, finish },
                &mut out,
            );
        }
        let shown = |output: &Output| match output {
            Output::Piece(piece) => {
                format!("{}{}", piece.text, if piece.finish.is_some() { "." } else { "|" })
            }
            Output::ToolCalls(calls) => {
                calls.iter().map(|call| ["[", &call.name, &call.arguments, "]"].concat()).collect()
            }
        };
        out.iter().map(shown).collect()
    }

    use ToolDialect::{Bare, Tagged};

    const CALL: &str = "{\"name\": \"f\", \"arguments\": {}}";

    #[test]
    fn tagged_calls_are_taken_out_and_told_in_the_end() {
        assert_eq!(fed(Tagged, &["Sure", "<tool_call>", CALL, "</tool_call>", ""]), "Sure|[f{}]");
        assert_eq!(
            fed(
                Tagged,
                &["<tool_call>", CALL, "</tool_call>", "\n", "<tool_call>", CALL, "</tool_call>", ""]
            ),
            "\n|[f{}][f{}]"
        );
    }

    #[test]
    fn tags_may_be_spelt_with_several_tokens() {
        assert_eq!(fed(Tagged, &["<", "tool_", "call>", CALL, "</tool", "_call>", ""]), "[f{}]");
        assert_eq!(
            fed(Tagged, &["<", "tool", "box>", "<tool_call>", CALL, "</tool_call>"]),
            "<|tool|box>|[f{}]"
        );
    }

    #[test]
    fn a_broken_or_unfinished_call_is_text() {
        assert_eq!(
            fed(Tagged, &["<tool_call>", "{oops", "</tool_call>", "so", ""]),
            "<tool_call>|{oops|</tool_call>|so|."
        );
        assert_eq!(fed(Tagged, &["<tool_call>", "{\"name\":"]), "<tool_call>|{\"name\":.");
    }

    #[test]
    fn text_flows_while_no_call_is_near() {
        assert_eq!(fed(Tagged, &["a", "", "b", "."]), "a||b|..");
        assert_eq!(fed(Bare, &["a", "{", "b", ""]), "a|{|b|.");
    }

    #[test]
    fn a_thought_does_not_overtake_what_is_held() {
        let mut tools = Tools::new(Some(Tagged.into()));
        let mut out = Vec::new();
        for (text, is_thinking) in [("<tool", false), ("hm", true)] {
            tools.push(
                Piece { token: 0, text: text.into(), is_thinking, logprobs: None, finish: None },
                &mut out,
            );
        }
        let texts = out.iter().map(|output| match output {
            Output::Piece(piece) => &*piece.text,
            Output::ToolCalls(_) => "call",
        });
        assert_eq!(texts.collect::<Vec<_>>(), ["<tool", "hm"]);
    }

    #[test]
    fn a_bare_call_is_the_whole_answer() {
        let call = ["{\"name\": ", "\"f\", \"parameters\": ", "{\"x\": 1}}", ""];
        assert_eq!(fed(Bare, &call), "[f{\"x\": 1}]");
        assert_eq!(fed(Bare, &["<|python_tag|>", CALL, ""]), "[f{}]");
        assert_eq!(fed(Bare, &["{\"na", "me\": 1}", ""]), "{\"na|me\": 1}|.");
        assert_eq!(fed(Bare, &["{\"key\"", ": 1}", ""]), "{\"key\"|: 1}|.");
    }
}
