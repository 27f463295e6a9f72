//! One sequence's share of the cache.

use super::{PAGE, Pages};

/// The pages of one sequence, in the order of its positions. Give it back with [`Sequence::end`].
#[derive(Debug, Default)]
pub(crate) struct Sequence {
    pages: Vec<u32>,
    /// Positions that are in the cache.
    length: u32,
}

impl Sequence {
    /// A sequence that begins with whole pages which others computed; it holds them from now on.
    pub(crate) fn beginning_with(pages: Vec<u32>) -> Self {
        let length = pages.len() as u32 * PAGE;
        Self { pages, length }
    }

    pub(crate) fn length(&self) -> u32 {
        self.length
    }

    pub(crate) fn pages(&self) -> &[u32] {
        &self.pages
    }

    /// How many pages are missing for `more` positions.
    pub(crate) fn missing(&self, more: u32) -> usize {
        ((self.length + more).div_ceil(PAGE) as usize).saturating_sub(self.pages.len())
    }

    /// Takes the pages for `more` positions. All or none: false if there are too few.
    pub(crate) fn reserve(&mut self, more: u32, pages: &mut Pages) -> bool {
        let missing = self.missing(more);
        if pages.free() < missing {
            return false;
        }
        self.pages.extend((0..missing).filter_map(|_| pages.take()));
        true
    }

    /// The row of the slabs where a position lies. The position was reserved.
    pub(crate) fn slot(&self, position: u32) -> u32 {
        self.pages[(position / PAGE) as usize] * PAGE + position % PAGE
    }

    /// `more` positions were computed.
    pub(crate) fn advance(&mut self, more: u32) {
        self.length += more;
        debug_assert!(self.length <= self.pages.len() as u32 * PAGE);
    }

    /// Gives every page back.
    pub(crate) fn end(self, pages: &mut Pages) {
        for page in self.pages {
            pages.give_back(page);
        }
    }
}
