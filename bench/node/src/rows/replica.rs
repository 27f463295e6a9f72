//! P18: how many global events a member parses and applies in a second, on one core.
//!
//! The mix is a real exo cluster's: for each memory event two tellings about downloads, which are six times as long.
//! Beside it, what it costs merely to read the same bytes into a tree of JSON values.

use std::{hint::black_box, time::Duration};

use anyhow::{Context, Result, ensure};
use bench_race::{
    plan::Plan,
    race::{Contestant, Outcome, seconds_each},
    row::{Bar, Field, Row, Spec, Unit},
    stats::Statistic,
};
use exo_node::{
    Now, Random,
    member::{Input, Member, MemberConfig},
    now::Moment,
};
use exo_wire::{NodeId, Topic};
use serde_json::Value;

const EVENTS: usize = 120_000;

pub fn run(plan: &Plan) -> Vec<Row> {
    let spec = Spec {
        id: "P18",
        what: "global events parsed and applied, one core",
        unit: Unit::Rate { name: "events/s", work: 1.0 },
        goal: ">= 100,000 a second",
        bars: &[Bar::Limit(1.0)],
        statistic: Statistic::Median,
    };
    let log = Log::record(plan);
    let ours = match &log {
        Ok(log) => Contestant::new("ours", env!("CARGO_PKG_VERSION"), Ok(Box::new(|| log.apply()))),
        Err(error) => Contestant::absent("ours", error),
    };
    let peer = match &log {
        Ok(log) => Contestant::new("serde_json::Value, parse only", "1", Ok(Box::new(|| log.parse()))),
        Err(error) => Contestant::absent("serde_json::Value", error),
    };
    let mut row = Field { spec, ours, limit: None, peers: vec![peer] }.run(plan.rounds(8));
    row.limit = Some(Outcome::fixed("goal", 1.0 / 100_000.0));
    vec![row]
}

/// A state, and the events after it.
struct Log {
    state: Vec<u8>,
    events: Vec<Vec<u8>>,
}

impl Log {
    /// Four nodes, in turns, as a real exo writes.
    fn record(plan: &Plan) -> Result<Self> {
        let vectors = plan.root.join("tests/vectors/exo");
        let state = std::fs::read(vectors.join("state_before_join.json"))?;
        let golden = std::fs::read_to_string(vectors.join("golden_local_events.jsonl"))?;
        let memory = event(&golden, "NodeGatheredInfo/MemoryUsage")?;
        let download = event(&golden, "NodeDownloadProgress/DownloadPending")?;
        let master = "669743c9aef71413b3b6698f4bce62d0";
        let events = (0..EVENTS).map(|number| {
            let body = if number % 3 == 0 { &memory } else { &download };
            let body = body.replace("a1b2c3d4e5f60718293a4b5c6d7e8f90", ["a1", "b2", "c3", "d4"][number / 3 % 4]);
            let body = body.replace("00000000-0000-4000-8000-0000000000e0", &format!("event-{number}"));
            let index = 146 + number;
            format!(
                r#"{{"origin_idx":{index},"origin":"{master}","session":{{"master_node_id":"{master}","election_clock":0}},"event":{body}}}"#
            )
            .into_bytes()
        });
        Ok(Self { state, events: events.collect() })
    }

    /// Seconds for one event: parsed, put in order, applied.
    fn apply(&self) -> Result<f64> {
        let now =
            |millis| Now { mono: Moment::after_start(Duration::from_millis(millis)), wall: Duration::ZERO };
        let config = MemberConfig { listen_only: true, ..MemberConfig::of(NodeId::heard("be9c4")) };
        let mut member = Member::new(config, Random::seeded(1), now(0));
        let mut events = self.events.iter();
        let first = events.next().context("no events")?;
        let locator = exo_node::discovery::Locator::new(([127, 0, 0, 1], 1).into());
        member.handle(now(0), Input::Linked { locator, zid: None });
        member.handle(now(0), Input::Heard { topic: Topic::GlobalEvents, payload: first });
        member.handle(now(0), Input::State(Ok(&self.state)));
        let mut millis = 0;
        let seconds = seconds_each(events.len() as u32, || {
            let payload = events.next().context("ran dry")?;
            millis += 1;
            member.handle(now(millis), Input::Heard { topic: Topic::GlobalEvents, payload });
            while black_box(member.poll()).is_some() {}
            Ok(())
        })?;
        let last = 145 + self.events.len() as u64;
        ensure!(
            member.view().complete_to == Some(last),
            "applied to {:?} of {last}",
            member.view().complete_to
        );
        Ok(seconds)
    }

    fn parse(&self) -> Result<f64> {
        let mut events = self.events.iter();
        seconds_each(events.len() as u32, || {
            let payload = events.next().context("ran dry")?;
            black_box(serde_json::from_slice::<Value>(payload)?);
            Ok(())
        })
    }
}

/// The event of that variant, as text.
fn event(golden: &str, variant: &str) -> Result<String> {
    let lines = golden.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let line =
        lines.into_iter().find(|line| line["variant"] == variant).with_context(|| format!("no {variant}"))?;
    let message: Value = serde_json::from_str(line["json"].as_str().context("no json")?)?;
    Ok(message["event"].to_string())
}
