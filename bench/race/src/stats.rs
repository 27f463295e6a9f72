//! Best and median of a contestant's costs.
//!
//! A cost is whatever a sample measures, less being better: seconds for one piece of work, or bytes. Rates are
//! made of costs only when they are shown, so that ratios have one direction in the whole program.

/// The costs of several samples, summed up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stats {
    /// The least cost: what the machine can do when nobody disturbs it.
    pub best: f64,
    /// The middle cost: what a user sees.
    pub median: f64,
    /// How many samples.
    pub samples: usize,
}

/// Which of the two figures decides a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statistic {
    /// Throughput rows: noise only ever adds to a cost.
    Best,
    /// Latency rows, whose goal is a p50.
    Median,
}

impl Stats {
    /// Sums up `costs`; `None` when there are none.
    pub fn of(costs: &[f64]) -> Option<Self> {
        let mut sorted = costs.to_vec();
        sorted.sort_by(f64::total_cmp);
        let best = *sorted.first()?;
        Some(Self { best, median: median_of_sorted(&sorted)?, samples: sorted.len() })
    }

    /// A figure that is known, not measured: a budget.
    pub fn fixed(cost: f64) -> Self {
        Self { best: cost, median: cost, samples: 0 }
    }

    /// The figure that decides.
    pub fn get(&self, statistic: Statistic) -> f64 {
        match statistic {
            Statistic::Best => self.best,
            Statistic::Median => self.median,
        }
    }
}

/// The median of unsorted values; `None` when there are none.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    median_of_sorted(&sorted)
}

fn median_of_sorted(sorted: &[f64]) -> Option<f64> {
    let middle = sorted.len() / 2;
    let upper = *sorted.get(middle)?;
    if sorted.len() % 2 == 1 {
        return Some(upper);
    }
    Some(f64::midpoint(*sorted.get(middle - 1)?, upper))
}

/// How many times better `ours` is than `theirs`, both being costs: above 1 we win. Nothing beside nothing is parity.
pub fn ratio(ours: f64, theirs: f64) -> f64 {
    if ours == theirs { 1.0 } else { theirs / ours }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_odd_number_is_the_middle_and_of_an_even_number_the_mean_of_two() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(median(&[]), None);
    }

    #[test]
    fn the_best_is_the_least_cost_whatever_the_order() {
        let stats = Stats::of(&[5.0, 2.0, 9.0]).unwrap();
        assert_eq!((stats.best, stats.median, stats.samples), (2.0, 5.0, 3));
        assert_eq!(stats.get(Statistic::Best), 2.0);
        assert_eq!(stats.get(Statistic::Median), 5.0);
    }

    #[test]
    fn nothing_measured_is_nothing_said() {
        assert_eq!(Stats::of(&[]), None);
    }

    #[test]
    fn half_the_cost_is_a_ratio_of_two() {
        assert_eq!(ratio(1.0, 2.0), 2.0);
        assert_eq!(ratio(2.0, 1.0), 0.5);
    }

    #[test]
    fn a_budget_of_nothing_is_kept_by_nothing_alone() {
        assert_eq!(ratio(0.0, 0.0), 1.0);
        assert_eq!(ratio(3.0, 0.0), 0.0);
    }
}
