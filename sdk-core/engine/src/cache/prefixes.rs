//! Beginnings that were computed before, kept while nobody needs their memory.
//!
//! A tree of pages: a page's keys and values depend on its tokens and on all before it, so a page is found by the page
//! before it and its own tokens. Pages that only the tree holds are given back when memory is short, the longest unused
//! first, and never a page before the pages that build on it.

use std::collections::HashMap;

use super::{PAGE, Pages, Sequence};

/// A page by its tokens and the page before it.
type Key = (Option<u32>, Vec<u32>);

#[derive(Debug, Default)]
pub(crate) struct Prefixes {
    pages: HashMap<Key, Known>,
    /// The key of each page in the tree.
    keys: HashMap<u32, Key>,
    /// Counts uses: the clock of "longest unused".
    uses: u64,
}

#[derive(Debug)]
struct Known {
    page: u32,
    last_use: u64,
    /// How many pages of the tree come right after it.
    followers: usize,
}

impl Prefixes {
    /// The pages of the longest known beginning of `tokens`, held for the caller. The last token is always left to be
    /// computed: its output is what the caller wants.
    pub(crate) fn find(&mut self, tokens: &[u32], pages: &mut Pages) -> Vec<u32> {
        self.uses += 1;
        let whole = tokens.len().saturating_sub(1) / PAGE as usize;
        let mut found = Vec::new();
        for chunk in tokens.chunks_exact(PAGE as usize).take(whole) {
            let key = (found.last().copied(), chunk.to_vec());
            let Some(known) = self.pages.get_mut(&key) else { break };
            known.last_use = self.uses;
            found.push(pages.share(known.page));
        }
        found
    }

    /// Keeps the whole pages of a sequence of these tokens. Where the tree has a page of the same content already, that
    /// one stays.
    pub(crate) fn keep(&mut self, tokens: &[u32], sequence: &Sequence, pages: &mut Pages) {
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
            self.pages
                .insert(key.clone(), Known { page: pages.share(page), last_use: self.uses, followers: 0 });
            self.keys.insert(page, key);
            before = Some(page);
        }
    }

    /// Gives back pages that only the tree holds, until `wanted` are free or there are no more of them. Returns how many
    /// it gave back.
    pub(crate) fn shrink(&mut self, wanted: usize, pages: &mut Pages) -> usize {
        let mut given = 0;
        while pages.free() < wanted {
            let oldest = self
                .pages
                .values()
                .filter(|known| known.followers == 0 && pages.is_held_once(known.page))
                .min_by_key(|known| known.last_use)
                .map(|known| known.page);
            let Some(page) = oldest else { break };
            self.forget(page, pages);
            given += 1;
        }
        given
    }

    /// Pages that it holds.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }

    fn forget(&mut self, page: u32, pages: &mut Pages) {
        let Some(key) = self.keys.remove(&page) else { return };
        self.pages.remove(&key);
        if let Some(parent) =
            key.0.and_then(|page| self.keys.get(&page)).and_then(|key| self.pages.get_mut(key))
        {
            parent.followers -= 1;
        }
        pages.give_back(page);
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
    fn run(tokens: &[u32], prefixes: &mut Prefixes, pages: &mut Pages) -> Vec<u32> {
        let mut sequence = Sequence::beginning_with(prefixes.find(tokens, pages));
        let more = tokens.len() as u32 - sequence.length();
        assert!(sequence.reserve(more, pages));
        sequence.advance(more);
        prefixes.keep(tokens, &sequence, pages);
        let used = sequence.pages().to_vec();
        sequence.end(pages);
        used
    }

    #[test]
    fn a_beginning_that_was_computed_is_found_again_in_whole_pages() {
        let (mut prefixes, mut pages) = (Prefixes::default(), Pages::new(100));
        let first = tokens(3 * N + 5, 2 * N + 7, 1);
        let used = run(&first, &mut prefixes, &mut pages);
        assert_eq!(prefixes.find(&tokens(5 * N, 2 * N + 7, 2), &mut pages), used[..2]);
    }

    #[test]
    fn the_last_token_is_always_computed() {
        let (mut prefixes, mut pages) = (Prefixes::default(), Pages::new(100));
        let prompt = tokens(2 * N, 2 * N, 0);
        run(&prompt, &mut prefixes, &mut pages);
        assert_eq!(prefixes.find(&prompt, &mut pages).len(), 1);
    }

    #[test]
    fn the_same_tokens_after_another_beginning_are_not_the_same() {
        let (mut prefixes, mut pages) = (Prefixes::default(), Pages::new(100));
        let mut first = tokens(2 * N + 1, 2 * N + 1, 0);
        run(&first, &mut prefixes, &mut pages);
        first[0] += 1;
        assert!(prefixes.find(&first, &mut pages).is_empty());
    }

    #[test]
    fn memory_comes_back_longest_unused_first_and_from_the_ends() {
        let (mut prefixes, mut pages) = (Prefixes::default(), Pages::new(6));
        let (old, new) = (tokens(2 * N + 1, 0, 1), tokens(2 * N + 1, 0, 2));
        run(&old, &mut prefixes, &mut pages);
        run(&new, &mut prefixes, &mut pages);
        assert_eq!(pages.free(), 2, "two whole pages of each are kept");
        assert_eq!(prefixes.shrink(3, &mut pages), 1);
        let found = prefixes.find(&old, &mut pages);
        assert_eq!(found.len(), 1, "the old one's end is gone, its beginning is not");
        for page in found {
            pages.give_back(page);
        }
        assert_eq!(prefixes.find(&new, &mut pages).len(), 2);
    }

    #[test]
    fn pages_in_use_stay() {
        let (mut prefixes, mut pages) = (Prefixes::default(), Pages::new(4));
        let prompt = tokens(2 * N + 1, 0, 1);
        run(&prompt, &mut prefixes, &mut pages);
        let found = prefixes.find(&prompt, &mut pages);
        assert_eq!(prefixes.shrink(4, &mut pages), 0);
        for page in found {
            pages.give_back(page);
        }
        assert_eq!(prefixes.shrink(4, &mut pages), 2);
        assert_eq!((pages.free(), prefixes.len()), (4, 0));
    }
}
