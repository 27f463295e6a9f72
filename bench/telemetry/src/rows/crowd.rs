//! P21: what a thousand phones that speak every second cost their listener.
//!
//! Parsing the messages, taking them in and asking for the news is counted; making the messages is not. Time is the
//! processor's, so that a busy machine makes little difference.

use std::{hint::black_box, time::Duration};

use anyhow::{Context, Result};
use bench_race::{
    plan::Plan,
    race::{Contestant, Outcome, Sample, once},
    row::{Bar, Field, Row, Spec, Unit},
    stats::Statistic,
};
use exo_telemetry::{Random, aggregator::Aggregator};
use serde_json::Value;

use crate::{common::at, counting, crowd};

const PHONES: usize = 1_000;

pub fn run(plan: &Plan) -> Vec<Row> {
    let seconds = if plan.quick { 5 } else { 60 };
    [("P21.cpu", cpu as fn(&Plan, u64) -> Row), ("P21.memory", memory)]
        .into_iter()
        .filter(|(id, _)| plan.wants(id))
        .map(|(_, row)| row(plan, seconds))
        .collect()
}

fn cpu(plan: &Plan, seconds: u64) -> Row {
    let spec = Spec {
        id: "P21.cpu",
        what: "aggregator of 1,000 devices at 1 Hz, CPU",
        unit: Unit::Cost { name: "% of one core", scale: 100.0 },
        goal: "<= 2%",
        bars: &[Bar::Limit(1.0)],
        statistic: Statistic::Median,
    };
    let share: Sample<'_> = Box::new(move || Ok(listen(seconds)?.worked.as_secs_f64() / seconds as f64));
    let parse: Sample<'_> = Box::new(move || Ok(parse(seconds)?.as_secs_f64() / seconds as f64));
    let ours = Contestant::new("ours", env!("CARGO_PKG_VERSION"), Ok(share));
    let peers = vec![Contestant::new("serde_json::Value, parse only", "1", Ok(parse))];
    let mut row = Field { spec, ours, limit: None, peers }.run(plan.rounds(7));
    row.limit = Some(Outcome::fixed("goal", 0.02));
    row
}

fn memory(_: &Plan, seconds: u64) -> Row {
    let spec = Spec {
        id: "P21.memory",
        what: "the same, heap: the most held at once",
        unit: Unit::Cost { name: "MB", scale: 1e-6 },
        goal: "<= 8 MB",
        bars: &[Bar::Limit(1.0)],
        statistic: Statistic::Median,
    };
    let ours = once("ours", env!("CARGO_PKG_VERSION"), || Ok(listen(seconds)?.most_bytes as f64));
    Row { spec, ours, limit: Some(Outcome::fixed("goal", 8e6)), peers: Vec::new() }
}

/// What listening took.
struct Cost {
    worked: Duration,
    most_bytes: isize,
}

fn listen(seconds: u64) -> Result<Cost> {
    let empty = counting::held();
    let (mut aggregator, mut random) = (Aggregator::default(), Random::seeded(1));
    let mut cost = Cost { worked: Duration::ZERO, most_bytes: 0 };
    for second in 0..seconds {
        let (now, before) = (at(second * 1_000), counting::held());
        let messages = crowd::second(PHONES, second, &mut random);
        // The messages are the network's, not the listener's.
        let theirs = counting::held() - before;
        let start = worked()?;
        let (most, heard) = counting::most_held(|| {
            for message in &messages {
                aggregator.hear(now, message)?;
                while let Some(news) = aggregator.poll() {
                    black_box(news);
                }
            }
            anyhow::Ok(())
        });
        heard?;
        cost.worked += worked()?.saturating_sub(start);
        cost.most_bytes = cost.most_bytes.max(most - theirs - empty);
    }
    Ok(cost)
}

fn parse(seconds: u64) -> Result<Duration> {
    let (mut random, mut busy) = (Random::seeded(1), Duration::ZERO);
    for second in 0..seconds {
        let messages = crowd::second(PHONES, second, &mut random);
        let start = worked()?;
        for message in &messages {
            black_box(serde_json::from_slice::<Value>(message)?);
        }
        busy += worked()?.saturating_sub(start);
    }
    Ok(busy)
}

/// How long this thread has had the processor, as Linux counts it.
pub fn worked() -> Result<Duration> {
    let path = "/proc/thread-self/schedstat";
    let text = std::fs::read_to_string(path).context(path)?;
    let nanos = text.split(' ').next().and_then(|first| first.parse().ok());
    nanos.map(Duration::from_nanos).with_context(|| format!("{path} says {text:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_listener_holds_is_what_it_keeps_and_not_the_messages() {
        let messages = crowd::second(PHONES, 0, &mut Random::seeded(1));
        let bytes: usize = messages.iter().map(Vec::len).sum();
        let empty = counting::held();
        let mut aggregator = Aggregator::default();
        for message in &messages {
            aggregator.hear(at(0), message).unwrap();
            while aggregator.poll().is_some() {}
        }
        let kept = counting::held() - empty;
        let most = listen(1).unwrap().most_bytes;
        // Beyond it comes what one message needs while it is read, or a table while it grows.
        assert!((kept..kept + kept / 2).contains(&most), "{kept} bytes are kept, {most} were held");
        assert!(bytes.cast_signed() > kept / 2, "the messages would have been noticed: {bytes} bytes");
    }
}
