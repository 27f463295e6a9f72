//! Runs the steps of an expression over a text, and goes back where they fail.
//!
//! The way back is a list, not the program's own stack: a text of a million spaces must not end the app.

use super::class::Class;
use super::program::Step;
use super::{Work, too_much};
use crate::Result;

/// Ways back that are kept at once. Runs of one class need one each, so that only repeated groups come near.
const MAX_BACK: usize = 1 << 20;

pub(super) struct Machine<'a> {
    steps: &'a [Step],
    classes: &'a [Class],
    text: &'a str,
    back: Vec<Back>,
}

/// Where to go on when the present way fails.
enum Back {
    To {
        step: usize,
        at: usize,
    },
    /// A run that ended at `at` and may give back down to `least`.
    Run {
        step: usize,
        least: usize,
        at: usize,
    },
}

impl<'a> Machine<'a> {
    pub(super) fn new(steps: &'a [Step], classes: &'a [Class], text: &'a str) -> Self {
        Self { steps, classes, text, back: Vec::new() }
    }

    /// Where the match that starts here ends.
    pub(super) fn run(&mut self, start: usize, work: &mut Work) -> Result<Option<usize>> {
        self.back.clear();
        self.from(0, start, work)
    }

    fn from(&mut self, step: usize, start: usize, work: &mut Work) -> Result<Option<usize>> {
        let floor = self.back.len();
        let (mut step, mut at) = (step, start);
        loop {
            work.spend(1)?;
            let next = match self.steps[step] {
                Step::Done => {
                    self.back.truncate(floor);
                    return Ok(Some(at));
                }
                Step::One(class) => self.one(class, at).map(|end| (step + 1, end)),
                Step::Run { class, least, most, gives_back } => {
                    self.whole_run(step, class, (least, most), gives_back, at, work)?
                }
                Step::Fork(first, second) => {
                    if self.back.len() >= MAX_BACK {
                        return Err(too_much());
                    }
                    self.back.push(Back::To { step: second, at });
                    Some((first, at))
                }
                Step::Jump(to) => Some((to, at)),
                Step::Ahead { is_negated, then } => {
                    let found = self.from(step + 1, at, work)?.is_some();
                    (found != is_negated).then_some((then, at))
                }
                Step::Start => (at == 0).then_some((step + 1, at)),
                Step::End => (at == self.text.len()).then_some((step + 1, at)),
            };
            match next.or_else(|| self.go_back(floor)) {
                Some((to, place)) => (step, at) = (to, place),
                None => return Ok(None),
            }
        }
    }

    fn one(&self, class: usize, at: usize) -> Option<usize> {
        let c = self.text[at..].chars().next()?;
        self.classes[class].has(c).then_some(at + c.len_utf8())
    }

    fn whole_run(
        &mut self,
        step: usize,
        class: usize,
        (least, most): (usize, usize),
        gives_back: bool,
        at: usize,
        work: &mut Work,
    ) -> Result<Option<(usize, usize)>> {
        let (mut end, mut count, mut floor) = (at, 0, at);
        while count < most
            && let Some(next) = self.one(class, end)
        {
            (end, count) = (next, count + 1);
            if count == least {
                floor = end;
            }
        }
        work.spend(count)?;
        if count < least {
            return Ok(None);
        }
        if gives_back && end > floor {
            self.back.push(Back::Run { step: step + 1, least: floor, at: end });
        }
        Ok(Some((step + 1, end)))
    }

    fn go_back(&mut self, floor: usize) -> Option<(usize, usize)> {
        if self.back.len() <= floor {
            return None;
        }
        match self.back.pop()? {
            Back::To { step, at } => Some((step, at)),
            Back::Run { step, least, at } => {
                let last = self.text[..at].chars().next_back()?.len_utf8();
                if at - last > least {
                    self.back.push(Back::Run { step, least, at: at - last });
                }
                Some((step, at - last))
            }
        }
    }
}
