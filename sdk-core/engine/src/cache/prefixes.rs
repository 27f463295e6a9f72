//! Beginnings that were computed before, kept while nobody needs their memory.
//!
//! A tree of pages: a page's keys and values depend on its tokens and on all before it, so a page is found by the page
//! before it and its own tokens. Pages that only the tree holds are given back when memory is short, the longest unused
//! first, and never a page before the pages that build on it.

use std::collections::HashMap;

use super::{Grade, PAGE, Pools, Sequence};

/// A page by its tokens and the page before it.
type Key = (Option<u32>, Vec<u32>);

#[derive(Debug, Default)]
pub(crate) struct Prefixes {
    grade: Grade,
    pages: HashMap<Key, Kept>,
    /// The key of each page in the tree.
    keys: HashMap<u32, Key>,
    /// Counts uses: the clock of "longest unused".
    uses: u64,
}

/// A beginning that was computed before.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Known {
    pub(crate) grade: Grade,
    /// Its pages, all whole.
    pub(crate) pages: Vec<u32>,
    /// The state after them, where the model has one.
    pub(crate) state: Option<u32>,
}

#[derive(Debug)]
struct Kept {
    page: u32,
    /// The state after the page, where it was kept.
    state: Option<u32>,
    last_use: u64,
    /// How many pages of the tree come right after it.
    followers: usize,
}

impl Prefixes {
    /// Those whose keys and values are kept like this.
    pub(crate) fn of(grade: Grade) -> Self {
        Self { grade, ..Self::default() }
    }

    /// How their keys and values are kept.
    pub(crate) fn grade(&self) -> Grade {
        self.grade
    }

    /// The longest known beginning of `tokens`, held for the caller. The last token is always left to be computed: its
    /// output is what the caller wants.
    pub(crate) fn find(&mut self, tokens: &[u32], pools: &mut Pools) -> Known {
        self.uses += 1;
        let whole = tokens.len().saturating_sub(1) / PAGE as usize;
        let mut found: Vec<(u32, Option<u32>)> = Vec::new();
        for chunk in tokens.chunks_exact(PAGE as usize).take(whole) {
            let key = (found.last().map(|(page, _)| *page), chunk.to_vec());
            let Some(kept) = self.pages.get_mut(&key) else { break };
            kept.last_use = self.uses;
            found.push((kept.page, kept.state));
        }
        if pools.states.is_some() {
            // What comes after the last state that was kept is of no use.
            let usable = found.iter().rposition(|(_, state)| state.is_some()).map_or(0, |at| at + 1);
            found.truncate(usable);
        }
        let state = found.last().and_then(|(_, state)| *state);
        let state = pools.states.as_mut().zip(state).map(|(states, state)| states.share(state));
        let pool = pools.pages_mut(self.grade);
        Known { grade: self.grade, pages: found.iter().map(|(page, _)| pool.share(*page)).collect(), state }
    }

    /// Keeps the whole pages of a sequence of these tokens, and its state. Where the tree has a page of the same content
    /// already, that one stays. A sequence whose state is not the one after a whole page has nothing to keep.
    pub(crate) fn keep(&mut self, tokens: &[u32], sequence: &Sequence, pools: &mut Pools) {
        if pools.states.is_some() && !sequence.length().is_multiple_of(PAGE) {
            return;
        }
        self.uses += 1;
        let computed = &tokens[..tokens.len().min(sequence.length() as usize)];
        let mut before = None;
        for (chunk, &page) in computed.chunks_exact(PAGE as usize).zip(sequence.pages()) {
            let key = (before, chunk.to_vec());
            if let Some(known) = self.pages.get_mut(&key) {
                known.last_use = self.uses;
                before = Some(known.page);
                continue;
            }
            // The page may be in the tree under another parent of equal content; a page has one key.
            if self.keys.contains_key(&page) {
                return;
            }
            if let Some(parent) =
                before.and_then(|page| self.keys.get(&page)).and_then(|key| self.pages.get_mut(key))
            {
                parent.followers += 1;
            }
            self.pages.insert(
                key.clone(),
                Kept {
                    page: pools.pages_mut(self.grade).share(page),
                    state: None,
                    last_use: self.uses,
                    followers: 0,
                },
            );
            self.keys.insert(page, key);
            before = Some(page);
        }
        let last = before.and_then(|page| self.keys.get(&page)).and_then(|key| self.pages.get_mut(key));
        if let (Some(last), Some(states), Some(state)) = (last, &mut pools.states, sequence.state())
            && last.state.is_none()
        {
            last.state = Some(states.share(state));
        }
    }

    /// Lets go of states that it keeps, the longest unused first, until `wanted` are free or there are no more of them.
    pub(crate) fn shrink_states(&mut self, wanted: usize, pools: &mut Pools) {
        let Some(states) = &mut pools.states else { return };
        while states.free() < wanted {
            let kept = self.pages.values_mut().filter(|kept| kept.state.is_some());
            let oldest = kept.min_by_key(|kept| kept.last_use).and_then(|kept| kept.state.take());
            let Some(state) = oldest else { break };
            states.give_back(state);
        }
    }

    /// Gives back pages that only the tree holds, until `wanted` are free or there are no more of them. Returns how many
    /// it gave back.
    pub(crate) fn shrink(&mut self, wanted: usize, pools: &mut Pools) -> usize {
        let mut given = 0;
        while pools.pages(self.grade).free() < wanted {
            let oldest = self
                .pages
                .values()
                .filter(|known| known.followers == 0 && pools.pages(self.grade).is_held_once(known.page))
                .min_by_key(|known| known.last_use)
                .map(|known| known.page);
            let Some(page) = oldest else { break };
            self.forget(page, pools);
            given += 1;
        }
        given
    }

    /// How many pages nobody holds but the tree.
    pub(crate) fn unused(&self, pools: &Pools) -> usize {
        let pool = pools.pages(self.grade);
        self.keys.keys().filter(|page| pool.is_held_once(**page)).count()
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self, pools: &mut Pools) {
        for kept in std::mem::take(&mut self.pages).into_values() {
            pools.pages_mut(self.grade).give_back(kept.page);
            if let (Some(states), Some(state)) = (&mut pools.states, kept.state) {
                states.give_back(state);
            }
        }
        self.keys.clear();
    }

    /// Pages that it holds.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }

    fn forget(&mut self, page: u32, pools: &mut Pools) {
        let Some(key) = self.keys.remove(&page) else { return };
        let state = self.pages.remove(&key).and_then(|kept| kept.state);
        if let (Some(states), Some(state)) = (&mut pools.states, state) {
            states.give_back(state);
        }
        if let Some(parent) =
            key.0.and_then(|page| self.keys.get(&page)).and_then(|key| self.pages.get_mut(key))
        {
            parent.followers -= 1;
        }
        pools.pages_mut(self.grade).give_back(page);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const N: usize = PAGE as usize;

    /// `count` tokens; those after `same` depend on `seed`.
    fn tokens(count: usize, same: usize, seed: u32) -> Vec<u32> {
        (0..count as u32).map(|i| if (i as usize) < same { i } else { i * 1000 + seed }).collect()
    }

    /// Computes a prompt and ends it, keeping what it computed.
    fn run(tokens: &[u32], prefixes: &mut Prefixes, pools: &mut Pools) -> Vec<u32> {
        let mut sequence = Sequence::beginning_with(prefixes.find(tokens, pools));
        let more = tokens.len() as u32 - sequence.length();
        assert!(sequence.reserve(more, pools));
        sequence.advance(more, pools);
        prefixes.keep(tokens, &sequence, pools);
        let used = sequence.pages().to_vec();
        sequence.end(pools);
        used
    }

    #[test]
    fn a_beginning_that_was_computed_is_found_again_in_whole_pages() {
        let (mut prefixes, mut pools) = (Prefixes::default(), Pools::new(100, None));
        let first = tokens(3 * N + 5, 2 * N + 7, 1);
        let used = run(&first, &mut prefixes, &mut pools);
        assert_eq!(prefixes.find(&tokens(5 * N, 2 * N + 7, 2), &mut pools).pages, used[..2]);
    }

    #[test]
    fn the_last_token_is_always_computed() {
        let (mut prefixes, mut pools) = (Prefixes::default(), Pools::new(100, None));
        let prompt = tokens(2 * N, 2 * N, 0);
        run(&prompt, &mut prefixes, &mut pools);
        assert_eq!(prefixes.find(&prompt, &mut pools).pages.len(), 1);
    }

    #[test]
    fn the_same_tokens_after_another_beginning_are_not_the_same() {
        let (mut prefixes, mut pools) = (Prefixes::default(), Pools::new(100, None));
        let mut first = tokens(2 * N + 1, 2 * N + 1, 0);
        run(&first, &mut prefixes, &mut pools);
        first[0] += 1;
        assert!(prefixes.find(&first, &mut pools).pages.is_empty());
    }

    #[test]
    fn memory_comes_back_longest_unused_first_and_from_the_ends() {
        let (mut prefixes, mut pools) = (Prefixes::default(), Pools::new(6, None));
        let (old, new) = (tokens(2 * N + 1, 0, 1), tokens(2 * N + 1, 0, 2));
        run(&old, &mut prefixes, &mut pools);
        run(&new, &mut prefixes, &mut pools);
        assert_eq!(pools.pages(Grade::Full).free(), 2, "two whole pages of each are kept");
        assert_eq!(prefixes.shrink(3, &mut pools), 1);
        let found = prefixes.find(&old, &mut pools).pages;
        assert_eq!(found.len(), 1, "the old one's end is gone, its beginning is not");
        for page in found {
            pools.pages_mut(Grade::Full).give_back(page);
        }
        assert_eq!(prefixes.find(&new, &mut pools).pages.len(), 2);
    }

    #[test]
    fn pages_in_use_stay() {
        let (mut prefixes, mut pools) = (Prefixes::default(), Pools::new(4, None));
        let prompt = tokens(2 * N + 1, 0, 1);
        run(&prompt, &mut prefixes, &mut pools);
        let found = prefixes.find(&prompt, &mut pools).pages;
        assert_eq!(prefixes.shrink(4, &mut pools), 0);
        for page in found {
            pools.pages_mut(Grade::Full).give_back(page);
        }
        assert_eq!(prefixes.shrink(4, &mut pools), 2);
        assert_eq!((pools.pages(Grade::Full).free(), prefixes.len()), (4, 0));
    }

    /// Computes a prompt up to its last whole page, where its state is kept, and then the rest.
    fn run_with_state(tokens: &[u32], prefixes: &mut Prefixes, pools: &mut Pools) -> u32 {
        let mut sequence = Sequence::beginning_with(prefixes.find(tokens, pools));
        let known = sequence.length();
        let border = (tokens.len() as u32 - 1) / PAGE * PAGE;
        for end in [border, tokens.len() as u32] {
            let more = end - sequence.length();
            assert!(sequence.reserve(more, pools));
            sequence.advance(more, pools);
            prefixes.keep(tokens, &sequence, pools);
        }
        sequence.end(pools);
        known
    }

    #[test]
    fn a_beginning_is_found_only_up_to_a_state_that_was_kept() {
        let (mut prefixes, mut pools) = (Prefixes::default(), Pools::new(100, Some(6)));
        let first = tokens(3 * N + 5, 2 * N + 7, 1);
        assert_eq!(run_with_state(&first, &mut prefixes, &mut pools), 0);
        assert_eq!(
            run_with_state(&tokens(5 * N, 2 * N + 7, 2), &mut prefixes, &mut pools),
            0,
            "no state there"
        );
        let longer = [first, tokens(2 * N, 0, 3)].concat();
        assert_eq!(run_with_state(&longer, &mut prefixes, &mut pools), 3 * PAGE);
    }

    #[test]
    fn states_come_back_longest_unused_first() {
        let (mut prefixes, mut pools) = (Prefixes::default(), Pools::new(100, Some(3)));
        let (old, new) = (tokens(2 * N + 1, 0, 1), tokens(2 * N + 1, 0, 2));
        run_with_state(&old, &mut prefixes, &mut pools);
        run_with_state(&new, &mut prefixes, &mut pools);
        let free = |pools: &Pools| pools.states.as_ref().unwrap().free();
        assert_eq!(free(&pools), 1);
        prefixes.shrink_states(2, &mut pools);
        assert_eq!(free(&pools), 2);
        assert_eq!(run_with_state(&new, &mut prefixes, &mut pools), 2 * PAGE);
        assert_eq!(run_with_state(&old, &mut prefixes, &mut pools), 0);
    }
}
