//! How attention is cut: which tokens are computed together, and where a context is split between threads.

use std::ops::Range;

/// Queries from which on tokens of one sequence are multiplied together.
const WIDE: usize = 16;

/// Queries of a tile: enough that converting a row costs nothing beside them, few enough for the cache.
const TILE: usize = 64;

/// Heads of rows below which a stretch is not worth a task.
const SHORTEST: usize = 1024;

/// Tasks for each thread, since cores differ in speed.
const TASKS: usize = 4;

/// What a token sees: positions `start..to` of the table that begins at `first`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) first: usize,
    pub(super) start: usize,
    pub(super) to: usize,
}

/// Tokens that are computed together: one, or several of one table.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Tile {
    pub(super) tokens: Range<usize>,
    /// Everything that any of them sees.
    pub(super) positions: Range<usize>,
    /// How many parts the positions are cut into.
    pub(super) stretches: usize,
    /// The first slot for results of stretches: one for each stretch, head of the cache and query.
    pub(super) partial: usize,
}

impl Tile {
    /// The positions of a stretch.
    pub(super) fn stretch(&self, stretch: usize) -> Range<usize> {
        let Range { start, end } = self.positions;
        let length = self.positions.len().div_ceil(self.stretches);
        (start + stretch * length).min(end)..(start + (stretch + 1) * length).min(end)
    }

    /// Heads of the cache that one task takes. Heads of a row are neighbours, so a token by itself takes all of them
    /// and reads memory from end to end; several have so much to do for each that it does not matter.
    fn heads(&self, kv_heads: usize) -> usize {
        if self.tokens.len() == 1 { kv_heads } else { 1 }
    }
}

/// A stretch of a tile, for some heads of the cache.
#[derive(Debug)]
pub(super) struct Task {
    pub(super) tile: usize,
    pub(super) stretch: usize,
    pub(super) heads: Range<usize>,
}

/// All of it.
pub(super) struct Plan {
    pub(super) tiles: Vec<Tile>,
    pub(super) tasks: Vec<Task>,
    /// The most queries of a task, over all of its heads.
    pub(super) most_queries: usize,
    /// Whether any tile has several tokens.
    pub(super) is_wide: bool,
    /// Slots for results of stretches.
    pub(super) partial: usize,
    /// How often a token meets a position.
    pub(super) meetings: usize,
}

impl Plan {
    pub(super) fn new(spans: &[Span], group: usize, kv_heads: usize, threads: usize) -> Self {
        let mut tiles = Vec::new();
        for run in runs(spans) {
            let together = if run.len() * group >= WIDE { (TILE / group).max(1) } else { 1 };
            for start in run.clone().step_by(together) {
                let tokens = start..run.end.min(start + together);
                let seen = spans[tokens.clone()].iter().filter(|span| span.start < span.to);
                let from = seen.clone().map(|span| span.start).min().unwrap_or(0);
                let to = seen.map(|span| span.to).max().unwrap_or(0);
                tiles.push(Tile { tokens, positions: from..to, stretches: 1, partial: 0 });
            }
        }
        let of_all = |f: &dyn Fn(&Tile) -> usize| tiles.iter().map(f).sum::<usize>();
        let positions = of_all(&|tile| tile.positions.len());
        let meetings = of_all(&|tile| tile.positions.len() * tile.tokens.len());
        let heads_of_rows = (positions * kv_heads).div_ceil(TASKS * threads).max(SHORTEST);
        let (mut partial, mut most_queries, mut tasks) = (0, 0, Vec::new());
        for (at, tile) in tiles.iter_mut().enumerate() {
            let heads = tile.heads(kv_heads);
            let queries = tile.tokens.len() * group;
            most_queries = most_queries.max(heads * queries);
            tile.stretches = tile.positions.len().div_ceil(heads_of_rows.div_ceil(heads)).max(1);
            if tile.stretches > 1 {
                tile.partial = partial;
                partial += tile.stretches * kv_heads * queries;
            }
            for stretch in 0..tile.stretches {
                let starts = (0..kv_heads).step_by(heads);
                tasks.extend(starts.map(|kv| Task { tile: at, stretch, heads: kv..kv + heads }));
            }
        }
        let is_wide = tiles.iter().any(|tile| tile.tokens.len() > 1);
        Self { tiles, tasks, most_queries, is_wide, partial, meetings }
    }
}

/// Neighbouring tokens of one table.
fn runs(spans: &[Span]) -> Vec<Range<usize>> {
    let mut start = 0;
    let run = |same: &[Span]| {
        start += same.len();
        start - same.len()..start
    };
    spans.chunk_by(|a, b| a.first == b.first).map(run).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(first: usize, start: usize, to: usize) -> Span {
        Span { first, start, to }
    }

    #[test]
    fn plan_of_prefill_puts_tokens_of_one_sequence_together() {
        let spans: Vec<_> = (0..40).map(|position| seen(0, 0, position + 1)).collect();
        let plan = Plan::new(&spans, 4, 2, 2);
        let tokens: Vec<_> = plan.tiles.iter().map(|tile| tile.tokens.clone()).collect();
        assert_eq!(tokens, [0..16, 16..32, 32..40]);
        assert_eq!(plan.tiles[1].positions, 0..32);
        assert_eq!((plan.tasks.len(), plan.partial, plan.most_queries), (6, 0, 64));
        assert!(plan.is_wide);
    }

    #[test]
    fn plan_of_decoding_takes_each_sequence_by_itself_and_cuts_a_long_context() {
        let plan = Plan::new(&[seen(0, 0, 3000), seen(9, 0, 10)], 4, 2, 2);
        assert_eq!(plan.tiles.iter().map(|tile| tile.stretches).collect::<Vec<_>>(), [6, 1]);
        assert!(plan.tasks.iter().all(|task| task.heads == (0..2)));
        assert_eq!((plan.tasks.len(), plan.partial, plan.most_queries), (7, 6 * 2 * 4, 8));
        assert!(!plan.is_wide);
        let stretches: Vec<_> = (0..6).map(|stretch| plan.tiles[0].stretch(stretch)).collect();
        assert_eq!(stretches[0], 0..500);
        assert!(stretches.windows(2).all(|pair| pair[0].end == pair[1].start) && stretches[5].end == 3000);
    }

    #[test]
    fn plan_of_tokens_that_see_nothing_has_a_task_that_says_so() {
        let plan = Plan::new(&[seen(7, 12, 0)], 1, 1, 8);
        assert_eq!((plan.tiles[0].positions.len(), plan.tasks.len(), plan.partial), (0, 1, 0));
    }
}
