//! What sequences own and share, by its numbers: the memory itself lies in the layers' slabs.
//!
//! A number is a name. Where in the slabs its content lies is its *place*, which may change: so a slab can be made
//! shorter, and nobody who holds a number needs to know.

/// Positions of a page. Only whole pages are shared, so this many tokens at most are computed again for a prefix that
/// was seen before.
pub(crate) const PAGE: u32 = 32;

/// How exactly a sequence's keys and values are kept. It is the same for all of its pages, and never changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Grade {
    /// As the model was loaded.
    #[default]
    Full,
    /// In 8 bits, for want of memory.
    Small,
}

impl Grade {
    /// The other one.
    pub(crate) fn other(self) -> Self {
        match self {
            Self::Full => Self::Small,
            Self::Small => Self::Full,
        }
    }
}

/// Pages of positions, of either grade; and the states of layers that remember in one, where a model has such layers.
#[derive(Debug)]
pub(crate) struct Pools {
    full: Pool,
    small: Pool,
    pub(crate) states: Option<Pool>,
}

impl Pools {
    /// There is memory for all pages of the full grade, and none for the small one's.
    pub(crate) fn new(pages: u32, states: Option<u32>) -> Self {
        let full = Pool::new(pages, pages);
        Self { full, small: Pool::new(pages, 0), states: states.map(|count| Pool::new(count, count)) }
    }

    pub(crate) fn pages(&self, grade: Grade) -> &Pool {
        match grade {
            Grade::Full => &self.full,
            Grade::Small => &self.small,
        }
    }

    pub(crate) fn pages_mut(&mut self, grade: Grade) -> &mut Pool {
        match grade {
            Grade::Full => &mut self.full,
            Grade::Small => &mut self.small,
        }
    }
}

/// Numbers: which are free, how many hold on to each of the others, and where those lie.
#[derive(Debug)]
pub(crate) struct Pool {
    free: Vec<u32>,
    holders: Vec<u32>,
    /// Of each number that is held.
    places: Vec<u32>,
    /// Places with memory, where nothing lies that is held.
    vacant: Vec<u32>,
}

/// The content of one place goes to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Move {
    pub(crate) from: u32,
    pub(crate) to: u32,
}

impl Pool {
    /// `count` numbers, and memory for `room` of them.
    fn new(count: u32, room: u32) -> Self {
        // Handed out from the end: the first ones first.
        Self {
            free: (0..count).rev().collect(),
            holders: vec![0; count as usize],
            places: vec![0; count as usize],
            vacant: (0..room).rev().collect(),
        }
    }

    /// Numbers in all, whether or not there is memory for them now.
    pub(crate) fn count(&self) -> usize {
        self.holders.len()
    }

    /// How many can be taken with the memory that there is.
    pub(crate) fn free(&self) -> usize {
        self.vacant.len()
    }

    /// How many are held.
    pub(crate) fn held(&self) -> usize {
        self.holders.len() - self.free.len()
    }

    /// How many there is memory for.
    pub(crate) fn room(&self) -> usize {
        self.held() + self.vacant.len()
    }

    /// One that nobody holds; the caller does now.
    pub(crate) fn take(&mut self) -> Option<u32> {
        let place = self.vacant.pop()?;
        let number = self.free.pop()?;
        self.holders[number as usize] = 1;
        self.places[number as usize] = place;
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
            self.vacant.push(self.places[number as usize]);
        }
    }

    /// Whether the caller, who holds it, is the only one.
    pub(crate) fn is_held_once(&self, number: u32) -> bool {
        self.holders[number as usize] == 1
    }

    /// Where the content of a number that is held lies.
    pub(crate) fn place(&self, number: u32) -> u32 {
        self.places[number as usize]
    }

    /// What has to move so that all that is held lies in the first places. No place is both left and moved to.
    pub(crate) fn compaction(&self) -> Vec<Move> {
        let end = self.held() as u32;
        let mut gaps: Vec<u32> = self.vacant.iter().copied().filter(|place| *place < end).collect();
        gaps.sort_unstable_by(|a, b| b.cmp(a));
        let behind = self.held_numbers().map(|number| self.places[number]).filter(|place| *place >= end);
        behind.filter_map(|from| Some(Move { from, to: gaps.pop()? })).collect()
    }

    /// What had to move has moved.
    pub(crate) fn moved(&mut self, moves: &[Move]) {
        for place in &mut self.places {
            if let Some(moved) = moves.iter().find(|moved| moved.from == *place) {
                *place = moved.to;
            }
        }
        self.set_room(self.room() as u32);
    }

    /// There is memory for this many now: for all that are held at least, which lie within it.
    pub(crate) fn set_room(&mut self, room: u32) {
        let mut is_vacant = vec![true; room as usize];
        for number in self.held_numbers() {
            debug_assert!(self.places[number] < room, "{number} lies behind the end");
            if let Some(is_vacant) = is_vacant.get_mut(self.places[number] as usize) {
                *is_vacant = false;
            }
        }
        self.vacant = (0..room).rev().filter(|place| is_vacant[*place as usize]).collect();
    }

    fn held_numbers(&self) -> impl Iterator<Item = usize> {
        self.holders.iter().enumerate().filter(|(_, holders)| **holders > 0).map(|(number, _)| number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pool of eight, of which these are held.
    fn holding(held: &[u32]) -> Pool {
        let mut pool = Pool::new(8, 8);
        for number in 0..8 {
            assert_eq!(pool.take(), Some(number));
        }
        for number in (0..8).filter(|number| !held.contains(number)) {
            pool.give_back(number);
        }
        pool
    }

    #[test]
    fn what_is_held_moves_to_the_front_and_keeps_its_number() {
        let mut pool = holding(&[1, 5, 7]);
        let moves = pool.compaction();
        assert_eq!(moves, [Move { from: 5, to: 0 }, Move { from: 7, to: 2 }]);
        pool.moved(&moves);
        assert_eq!([1, 5, 7].map(|number| pool.place(number)), [1, 0, 2]);
        pool.set_room(3);
        assert_eq!((pool.free(), pool.held(), pool.room(), pool.count()), (0, 3, 3, 8));
        assert_eq!(pool.take(), None, "there is no memory for another");
    }

    #[test]
    fn memory_that_comes_back_is_handed_out_again() {
        let mut pool = holding(&[0]);
        pool.set_room(1);
        pool.set_room(4);
        let places: Vec<_> = (0..3).map(|_| pool.take().map(|number| pool.place(number)).unwrap()).collect();
        assert_eq!(places, [1, 2, 3]);
        assert_eq!(pool.take(), None);
    }

    #[test]
    fn a_pool_that_lies_close_has_nothing_to_move() {
        assert!(holding(&[0, 1, 2]).compaction().is_empty());
        assert!(holding(&[]).compaction().is_empty());
    }
}
