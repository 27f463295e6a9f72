//! Which pages are free, and how many hold on to each of the others.

/// Positions of a page. Only whole pages are shared, so this many tokens at most are computed again for a prefix that
/// was seen before.
pub(crate) const PAGE: u32 = 32;

/// The pages of a cache. Numbers only: the memory lies in the layers' slabs.
#[derive(Debug)]
pub(crate) struct Pages {
    free: Vec<u32>,
    holders: Vec<u32>,
}

impl Pages {
    pub(crate) fn new(count: u32) -> Self {
        // Handed out from the end: the first pages first.
        Self { free: (0..count).rev().collect(), holders: vec![0; count as usize] }
    }

    pub(crate) fn count(&self) -> usize {
        self.holders.len()
    }

    pub(crate) fn free(&self) -> usize {
        self.free.len()
    }

    /// A page that nobody holds; the caller does now.
    pub(crate) fn take(&mut self) -> Option<u32> {
        let page = self.free.pop()?;
        self.holders[page as usize] = 1;
        Some(page)
    }

    /// One more holds the page.
    pub(crate) fn share(&mut self, page: u32) -> u32 {
        self.holders[page as usize] += 1;
        page
    }

    /// One fewer does. Nobody gives back what he does not hold.
    pub(crate) fn give_back(&mut self, page: u32) {
        let holders = &mut self.holders[page as usize];
        debug_assert!(*holders > 0, "page {page} is given back twice");
        *holders = holders.saturating_sub(1);
        if *holders == 0 {
            self.free.push(page);
        }
    }

    /// Whether the caller, who holds the page, is the only one.
    pub(crate) fn is_held_once(&self, page: u32) -> bool {
        self.holders[page as usize] == 1
    }
}
