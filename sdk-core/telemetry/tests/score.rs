//! Scores: exact where the formula is, and monotone, bounded and stable whatever the readings are.

use exo_telemetry::{
    Random, Reading, Readings, Source, Timestamp,
    reading::ThermalStatus,
    score::{Candidate, DeviceScorer, Formula, Part, Reference, Task},
};

const AT: Timestamp = Timestamp(1_000);
const GIB: u64 = 1 << 30;

fn measured<T>(value: T) -> Reading<T> {
    Reading::measured(value, AT)
}

/// A device of which nothing is known.
fn stranger(id: &str) -> Candidate {
    Candidate::new(id, &Readings::unavailable("no sensor", AT), Reading::unavailable("never calibrated", AT))
}

/// 8 GiB and 1 TFLOP/s free of a reference of 16 GiB and 4 TFLOP/s; cool.
fn device(id: &str) -> Candidate {
    Candidate {
        memory: measured(8 * GIB),
        compute: measured(2e12),
        utilisation: measured(0.5),
        temperature: measured(40.0),
        ..stranger(id)
    }
}

fn linked(id: &str) -> Candidate {
    device(id).linked(measured(0.010), measured(12.5e6))
}

fn close(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-12
}

#[test]
fn the_quick_score_is_six_parts_memory_and_four_parts_compute() {
    let score = DeviceScorer::quick().score(&device("pixel"));
    assert!(close(score.value.unwrap(), 0.6 * 0.5 + 0.4 * 0.25), "{score:?}");
    assert!(close(score.confidence, 1.0));
}

#[test]
fn heat_costs_nothing_at_80_degrees_half_at_90_and_all_at_100() {
    let score = |celsius| {
        let hot = Candidate { temperature: measured(celsius), ..device("pixel") };
        DeviceScorer::quick().score(&hot).value.unwrap() / 0.4
    };
    for (celsius, left) in
        [(-10.0, 1.0), (79.9, 1.0), (80.0, 1.0), (85.0, 0.75), (90.0, 0.5), (100.0, 0.0), (120.0, 0.0)]
    {
        assert!(close(score(celsius), left), "{celsius} °C leaves {}", score(celsius));
    }
}

#[test]
fn the_composite_weighs_five_parts() {
    let score = DeviceScorer::composite().score(&linked("pixel"));
    // At 40 °C the headroom is whole; 10 ms is half of the network position; 12.5 of 125 MB/s is a tenth.
    let expected = 0.40 * 0.25 + 0.30 * 0.5 + 0.15 * 0.5 + 0.10 * 1.0 + 0.05 * 0.1;
    assert!(close(score.value.unwrap(), expected), "{score:?}");
    assert!(close(score.factors.iter().map(|factor| factor.weight).sum(), 1.0));
}

#[test]
fn what_is_not_known_lowers_the_confidence_and_not_the_score() {
    let known = DeviceScorer::composite().score(&linked("pixel"));
    let blind = Candidate { compute: Reading::unavailable("never calibrated", AT), ..linked("pixel") };
    let blind = DeviceScorer::composite().score(&blind);
    assert!(close(blind.confidence, known.confidence - 0.40));
    // The rest, stretched to the whole.
    assert!(close(blind.value.unwrap(), (known.value.unwrap() - 0.40 * 0.25) / 0.60));
    let compute = blind.factor(Part::Compute).unwrap();
    assert_eq!(
        (compute.value, compute.source, compute.note.as_str()),
        (None, Source::Unavailable, "never calibrated")
    );
    assert!(blind.sentence.contains("not known: compute"), "{}", blind.sentence);
}

#[test]
fn an_estimate_counts_half_towards_the_confidence() {
    let idle = Candidate { utilisation: Reading::unavailable("nobody tells", AT), ..linked("pixel") };
    let score = DeviceScorer::composite().score(&idle);
    assert!(close(score.confidence, 1.0 - 0.40 / 2.0));
    assert_eq!(score.factor(Part::Compute).unwrap().source, Source::Estimated);
}

#[test]
fn a_device_of_which_nothing_is_known_has_no_score_and_comes_last() {
    let weak = Candidate { memory: measured(0), ..stranger("weak") };
    let ranked = DeviceScorer::composite().rank(&[stranger("a stranger"), weak]);
    assert_eq!(ranked.iter().map(|score| score.id.as_str()).collect::<Vec<_>>(), ["weak", "a stranger"]);
    assert_eq!((ranked[1].value, ranked[1].confidence), (None, 0.0));
}

#[test]
fn a_phone_that_tells_no_degrees_is_judged_by_what_it_tells() {
    let unknown = || Reading::unavailable("Android tells none", AT);
    let quick = |headroom: Reading<f64>, status: Reading<ThermalStatus>| {
        let phone = Candidate { temperature: unknown(), headroom, status, ..device("pixel") };
        DeviceScorer::quick().score(&phone)
    };
    let no_status = || Reading::unavailable("old Android", AT);
    assert!(close(quick(measured(0.5), no_status()).value.unwrap(), 0.4));
    assert!(close(quick(measured(1.0), no_status()).value.unwrap(), 0.2));
    assert!(close(quick(unknown(), measured(ThermalStatus::Severe)).value.unwrap(), 0.0));
    let blind = quick(unknown(), no_status());
    assert!(close(blind.value.unwrap(), 0.4) && close(blind.confidence, 0.8), "{blind:?}");
}

#[test]
fn equal_devices_stand_in_the_order_of_their_ids() {
    let devices = ["d", "b", "a", "c"].map(linked);
    let mut turned = devices.clone();
    turned.reverse();
    for order in [&devices, &turned] {
        let ranked = DeviceScorer::composite().rank(order);
        assert_eq!(ranked.iter().map(|score| score.id.as_str()).collect::<Vec<_>>(), ["a", "b", "c", "d"]);
    }
}

#[test]
fn nonsense_never_wins() {
    for nonsense in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0] {
        let mut liar = Candidate { compute: measured(nonsense), ..device("a liar") };
        liar = liar.linked(measured(nonsense), measured(nonsense));
        for scorer in [DeviceScorer::quick(), DeviceScorer::composite()] {
            let honest = Candidate { memory: measured(9 * GIB), compute: measured(8e12), ..linked("honest") };
            let best = Reference::best_of(&[liar.clone(), honest.clone()]);
            let ranked = scorer.against(best).rank(&[liar.clone(), honest]);
            assert_eq!(ranked[0].id, "honest", "{nonsense}: {ranked:#?}");
            assert!(ranked.iter().all(|score| score.value.is_some_and(|value| (0.0..=1.0).contains(&value))));
            assert_eq!(ranked[1].factor(Part::Compute).unwrap().source, Source::Unavailable);
        }
    }
}

#[test]
fn a_cluster_in_which_nobody_has_anything_divides_nothing_by_nothing() {
    let poor = Candidate { memory: measured(0), compute: measured(0.0), ..linked("poor") };
    let reference = Reference::best_of(std::slice::from_ref(&poor));
    let score = DeviceScorer::quick().against(reference).score(&poor);
    assert_eq!(score.value, Some(0.0));
    assert_eq!(Reference::best_of(&[]).memory, 0.0);
}

#[test]
fn the_app_limit_caps_what_counts_as_free() {
    let mut readings = Readings::unavailable("no sensor", AT);
    readings.memory.available = measured(6 * GIB);
    readings.memory.app_limit = measured(2 * GIB);
    let phone = Candidate::new("iphone", &readings, measured(1e12));
    assert_eq!(phone.memory.get(), Some(2 * GIB));
}

#[test]
fn the_best_for_a_task_fits_and_the_others_hear_why_not() {
    let small = Candidate { memory: measured(GIB), ..linked("small") };
    let hot = Candidate { temperature: measured(104.0), ..linked("hot") };
    let unknown = Candidate { memory: Reading::unavailable("permission denied", AT), ..linked("unknown") };
    let vague = Candidate { memory: measured(8 * GIB), ..stranger("vague") };
    let devices =
        [small, hot, unknown, vague, linked("good"), Candidate { compute: measured(4e12), ..linked("best") }];
    let choice = DeviceScorer::composite().best_for(&Task::needing(4 * GIB), &devices);
    assert_eq!(choice.best().unwrap().id, "best");
    assert_eq!(choice.fit.len(), 2);
    let refused: Vec<_> =
        choice.refused.iter().map(|refusal| (refusal.id.as_str(), refusal.why.as_str())).collect();
    assert_eq!(
        refused,
        [
            ("hot", "it is too hot (104 °C)"),
            ("small", "1.0 GiB are free, the task needs 4.0 GiB"),
            ("unknown", "it is not known how much memory is free"),
            ("vague", "too little is known of it (30%, asked is 50%)"),
        ]
    );
}

#[test]
fn the_sentence_says_what_a_person_wants_to_know() {
    let warm = Candidate { temperature: measured(90.0), ..device("pixel") };
    assert_eq!(
        DeviceScorer::quick().score(&warm).sentence,
        "pixel gets 0.20 of 1: strongest is memory (8.0 GiB free), weakest is compute (1.00 TFLOP/s free); \
         heat (90 °C) takes 50% off; confidence 100%."
    );
    assert_eq!(
        DeviceScorer::quick().score(&stranger("tablet")).sentence,
        "tablet has no score: nothing that counts is known of it."
    );
}

/// Any device: sensible, absurd or unknown in each reading.
fn any_device(random: &mut Random, id: &str) -> Candidate {
    fn any(random: &mut Random, most: f64) -> Reading<f64> {
        let value = match random.below(12) {
            0 => f64::NAN,
            1 => f64::INFINITY,
            2 => -random.fraction(),
            3 => 0.0,
            _ => random.fraction() * most,
        };
        match random.below(4) {
            0 => Reading::unavailable("no sensor", AT),
            1 => Reading::estimated(value, "a guess", AT),
            _ => measured(value),
        }
    }
    Candidate {
        id: id.into(),
        memory: any(random, 32e9).map(|bytes| bytes as u64),
        compute: any(random, 8e12),
        utilisation: any(random, 1.2),
        temperature: any(random, 120.0),
        headroom: any(random, 1.5),
        status: any(random, 1.0)
            .map(|part| if part > 0.5 { ThermalStatus::Moderate } else { ThermalStatus::None }),
        round_trip: any(random, 0.1),
        bandwidth: any(random, 1e9),
    }
}

#[test]
fn every_score_is_between_0_and_1_and_so_is_its_confidence() {
    let mut random = Random::seeded(5);
    for _ in 0..20_000 {
        let device = any_device(&mut random, "any");
        let reference = Reference::best_of(&[device.clone(), any_device(&mut random, "other")]);
        for scorer in [DeviceScorer::new(Formula::Quick), DeviceScorer::composite().against(reference)] {
            let score = scorer.score(&device);
            assert!(score.value.is_none_or(|value| (0.0..=1.0).contains(&value)), "{device:?} {score:?}");
            assert!((0.0..=1.0).contains(&score.confidence), "{score:?}");
            assert_eq!(score.value.is_none(), score.confidence == 0.0, "{score:?}");
        }
    }
}

#[test]
fn better_never_scores_lower() {
    let mut random = Random::seeded(6);
    for _ in 0..20_000 {
        let worse = any_device(&mut random, "any");
        let others = [any_device(&mut random, "one"), any_device(&mut random, "two")];
        let mut better = worse.clone();
        let more = 1.0 + random.fraction() * 3.0;
        let less = random.fraction();
        match random.below(6) {
            0 => better.memory = better.memory.map(|bytes| (bytes as f64 * more) as u64),
            1 => better.compute = better.compute.map(|rate| rate * more),
            2 if better.utilisation.get().is_some_and(|used| (0.0..=1.0).contains(&used)) => {
                better.utilisation = better.utilisation.map(|used| used * less);
            }
            3 => better.bandwidth = better.bandwidth.map(|rate| rate * more),
            4 => better.round_trip = better.round_trip.map(|time| time * less),
            _ if better.temperature.get().is_some_and(|celsius| (0.0..=150.0).contains(&celsius)) => {
                better.temperature = better.temperature.map(|celsius| celsius * less);
            }
            _ => {}
        }
        for formula in [Formula::Quick, Formula::Composite] {
            let stated = DeviceScorer::new(formula);
            assert!(stated.score(&better).value >= stated.score(&worse).value, "{worse:?}\n{better:?}");
            // Against the best of the cluster too, although the device itself may move what counts as 1.
            let among = |device: &Candidate| {
                let cluster = [device.clone(), others[0].clone(), others[1].clone()];
                stated.against(Reference::best_of(&cluster)).score(device).value
            };
            let (before, after) = (among(&worse), among(&better));
            assert!(
                after.zip(before).is_none_or(|(after, before)| after >= before - 1e-12),
                "{worse:?}\n{better:?}"
            );
        }
    }
}
