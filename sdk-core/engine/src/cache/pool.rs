//! What sequences own and share, by its numbers: the memory itself lies in the layers' slabs.

/// Positions of a page. Only whole pages are shared, so this many tokens at most are computed again for a prefix that
/// was seen before.
pub(crate) const PAGE: u32 = 32;

/// Pages of positions; and the states of layers that remember in one, where a model has such layers.
#[derive(Debug)]
pub(crate) struct Pools {
    pub(crate) pages: Pool,
    pub(crate) states: Option<Pool>,
}

impl Pools {
    pub(crate) fn new(pages: u32, states: Option<u32>) -> Self {
        Self { pages: Pool::new(pages), states: states.map(Pool::new) }
    }
}

/// Numbers: which are free, and how many hold on to each of the others.
#[derive(Debug)]
pub(crate) struct Pool {
    free: Vec<u32>,
    holders: Vec<u32>,
}

impl Pool {
    fn new(count: u32) -> Self {
        // Handed out from the end: the first ones first.
        Self { free: (0..count).rev().collect(), holders: vec![0; count as usize] }
    }

    pub(crate) fn count(&self) -> usize {
        self.holders.len()
    }

    pub(crate) fn free(&self) -> usize {
        self.free.len()
    }

    /// One that nobody holds; the caller does now.
    pub(crate) fn take(&mut self) -> Option<u32> {
        let number = self.free.pop()?;
        self.holders[number as usize] = 1;
        Some(number)
    }

    /// One more holds it.
    pub(crate) fn share(&mut self, number: u32) -> u32 {
        self.holders[number as usize] += 1;
        number
    }

    /// One fewer does. Nobody gives back what he does not hold.
    pub(crate) fn give_back(&mut self, number: u32) {
        let holders = &mut self.holders[number as usize];
        debug_assert!(*holders > 0, "{number} is given back twice");
        *holders = holders.saturating_sub(1);
        if *holders == 0 {
            self.free.push(number);
        }
    }

    /// Whether the caller, who holds it, is the only one.
    pub(crate) fn is_held_once(&self, number: u32) -> bool {
        self.holders[number as usize] == 1
    }
}
