//! Seeds run side by side, and what comes out is as if they had not.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use exo_sim::{Bug, Config, seeds::Seeds};

fn seeds(jobs: usize) -> Seeds {
    let first = Config { minutes: 3, ..Config::of(5, 8) };
    Seeds { first, count: 4, jobs, keep_going: true, samples: true }
}

#[test]
fn two_at_a_time_come_to_the_same_as_one_after_the_other() {
    let (one, two) = (seeds(1).run(|_, _| {}), seeds(2).run(|_, _| {}));
    assert_eq!((one.total, one.samples), (two.total, two.samples));
    assert!(one.failures.is_empty() && two.failures.is_empty());
}

#[test]
fn failures_come_in_the_order_of_their_seeds_and_each_says_what_to_type() {
    let first = Config { bug: Some(Bug::Floods), ..seeds(2).first };
    let failures = Seeds { first, ..seeds(2) }.run(|_, _| {}).failures;
    assert_eq!(failures.iter().map(|failure| failure.config.seed).collect::<Vec<_>>(), [5, 6, 7, 8]);
    let replay = failures[0].config.replay();
    assert_eq!(replay, "./scripts/test sim --seed 5 --seeds 1 --phones 8 --minutes 3 --break floods --trace");
}

#[test]
fn a_sample_has_every_kind_of_thing_that_is_said() {
    let samples = seeds(1).run(|_, _| {}).samples;
    // Memory alone has no name of its own in exo's messages.
    for word in
        [r#""info":{"ram_total""#, "MacmonMetrics", "NodeDiskUsage", "NodeNetworkInterfaces", "NodeConfig"]
    {
        let of_a_phone = |name: &str| name.contains("phone");
        let said = samples.iter().filter(|sample| of_a_phone(&sample.name) && sample.json.contains(word));
        assert!(said.count() > 0, "no phone said {word}");
    }
    for topic in ["local_events", "commands", "global_events", "election_messages"] {
        assert!(samples.iter().any(|sample| sample.topic.name() == topic), "nothing on {topic}");
    }
}
