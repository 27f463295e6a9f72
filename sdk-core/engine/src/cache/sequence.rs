//! One sequence's share of the cache.

use super::{Grade, Known, PAGE, Pools};

/// Stands for no state: a sequence begins with zeros.
const NO_STATE: u32 = u32::MAX;

/// The pages of one sequence, in the order of its positions, and its state. Give it back with [`Sequence::end`].
#[derive(Debug, Default)]
pub(crate) struct Sequence {
    grade: Grade,
    pages: Vec<u32>,
    /// Positions that are in the cache.
    length: u32,
    /// The state after them.
    state: Option<u32>,
    /// Where the next step leaves its state. The very same one where nobody else needs what is there.
    next: Option<u32>,
}

impl Sequence {
    /// A sequence that begins with what others computed; it holds that from now on.
    pub(crate) fn beginning_with(known: Known) -> Self {
        let length = known.pages.len() as u32 * PAGE;
        Self { grade: known.grade, pages: known.pages, length, state: known.state, next: None }
    }

    /// An empty sequence whose keys and values are kept like this.
    pub(crate) fn of(grade: Grade) -> Self {
        Self { grade, ..Self::default() }
    }

    /// How its keys and values are kept.
    pub(crate) fn grade(&self) -> Grade {
        self.grade
    }

    pub(crate) fn length(&self) -> u32 {
        self.length
    }

    pub(crate) fn pages(&self) -> &[u32] {
        &self.pages
    }

    /// The state after all its positions.
    pub(crate) fn state(&self) -> Option<u32> {
        self.state
    }

    /// The places of the states that its next step begins with and leaves, as kernels count them.
    pub(crate) fn states_of_step(&self, pools: &Pools) -> [u32; 2] {
        let place = |state| pools.states.as_ref().map(|states| states.place(state));
        [self.state, self.next].map(|state| state.and_then(place).unwrap_or(NO_STATE))
    }

    /// The places of its pages, in the order of its positions.
    pub(crate) fn places(&self, pools: &Pools) -> impl Iterator<Item = u32> {
        let pool = pools.pages(self.grade);
        self.pages.iter().map(|page| pool.place(*page))
    }

    /// How many pages are missing for `more` positions.
    pub(crate) fn missing(&self, more: u32) -> usize {
        ((self.length + more).div_ceil(PAGE) as usize).saturating_sub(self.pages.len())
    }

    /// How many states are: one, if it has none that it may overwrite.
    pub(crate) fn missing_states(&self, pools: &Pools) -> usize {
        let Some(states) = &pools.states else { return 0 };
        let is_its_own = |state: u32| states.is_held_once(state);
        usize::from(self.next.is_none() && !self.state.is_some_and(is_its_own))
    }

    /// Whether [`reserve`](Self::reserve) would succeed.
    pub(crate) fn can_reserve(&self, more: u32, pools: &Pools) -> bool {
        let free_states = pools.states.as_ref().map_or(0, super::Pool::free);
        pools.pages(self.grade).free() >= self.missing(more) && free_states >= self.missing_states(pools)
    }

    /// Takes the pages for `more` positions and the place of their state. All or nothing: false if there is too little.
    pub(crate) fn reserve(&mut self, more: u32, pools: &mut Pools) -> bool {
        if !self.can_reserve(more, pools) {
            return false;
        }
        let missing_states = self.missing_states(pools);
        let pages = pools.pages_mut(self.grade);
        self.pages.extend((0..self.missing(more)).filter_map(|_| pages.take()));
        if let Some(states) = &mut pools.states
            && self.next.is_none()
        {
            self.next = if missing_states > 0 { states.take() } else { self.state };
        }
        true
    }

    /// The row of the slabs where a position lies. The position was reserved.
    pub(crate) fn slot(&self, position: u32, pools: &Pools) -> u32 {
        pools.pages(self.grade).place(self.pages[(position / PAGE) as usize]) * PAGE + position % PAGE
    }

    /// `more` positions were computed.
    pub(crate) fn advance(&mut self, more: u32, pools: &mut Pools) {
        self.length += more;
        debug_assert!(self.length <= self.pages.len() as u32 * PAGE);
        let Some(next) = self.next.take() else { return };
        if let Some(old) = self.state.replace(next).filter(|old| *old != next)
            && let Some(states) = &mut pools.states
        {
            states.give_back(old);
        }
    }

    /// Gives everything back.
    pub(crate) fn end(self, pools: &mut Pools) {
        for page in self.pages {
            pools.pages_mut(self.grade).give_back(page);
        }
        let Some(states) = &mut pools.states else { return };
        let next = self.next.filter(|next| self.state != Some(*next));
        for state in self.state.into_iter().chain(next) {
            states.give_back(state);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_overwritten_where_nobody_else_needs_it() {
        let mut pools = Pools::new(4, Some(2));
        let mut sequence = Sequence::default();
        assert!(sequence.reserve(3, &mut pools));
        assert_eq!(sequence.states_of_step(&pools), [NO_STATE, 0]);
        sequence.advance(3, &mut pools);
        assert!(sequence.reserve(1, &mut pools));
        assert_eq!(sequence.states_of_step(&pools), [0, 0]);
        sequence.end(&mut pools);
        assert_eq!(pools.states.unwrap().free(), 2);
    }

    #[test]
    fn a_state_that_somebody_keeps_is_left_as_it_is() {
        let mut pools = Pools::new(4, Some(2));
        let mut sequence = Sequence::default();
        assert!(sequence.reserve(3, &mut pools));
        sequence.advance(3, &mut pools);
        pools.states.as_mut().unwrap().share(0);
        assert!(sequence.reserve(1, &mut pools));
        assert_eq!(sequence.states_of_step(&pools), [0, 1]);
        sequence.advance(1, &mut pools);
        assert!(pools.states.as_ref().unwrap().is_held_once(0), "the sequence has let go of it");
        let other = Sequence::default();
        assert!(!other.can_reserve(1, &pools), "both states are held");
    }
}
