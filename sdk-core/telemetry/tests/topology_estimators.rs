//! What echoes and trains say, under noise, bursts and loss.
#![allow(clippy::expect_used, reason = "a test fails by panicking")]

use std::time::Duration;

use exo_telemetry::{
    Now, Random, Source,
    now::Moment,
    topology::{Arrivals, Echoes, FORGOTTEN, FRESH, Throughput, confidence},
};

fn at(seconds: f64) -> Now {
    let since = Duration::from_secs_f64(seconds);
    Now { mono: Moment::after_start(since), wall: since }
}

fn within(value: f64, part: f64, truth: f64) -> bool {
    (value / truth - 1.0).abs() <= part
}

/// Packets of 1,400 bytes that a sender pushes into a link at `line` bytes a second, through a token bucket.
fn train(packets: u32, line: f64, rate: f64, bucket: f64, mut late: impl FnMut() -> f64) -> Arrivals {
    let mut arrivals = Arrivals::default();
    let (mut tokens, mut clock, mut last) = (bucket, 0.0f64, 0.0f64);
    for number in 0..packets {
        let sent = f64::from(number) * 1400.0 / line;
        let ready = clock.max(sent);
        tokens = (tokens + (ready - clock) * rate).min(bucket);
        let wait = ((1400.0 - tokens) / rate).max(0.0);
        tokens += wait * rate - 1400.0;
        clock = ready + wait;
        last = (clock + late()).max(last);
        arrivals.record(Duration::from_secs_f64(last), 1400);
    }
    arrivals
}

fn said(arrivals: &Arrivals) -> Throughput {
    arrivals.throughput().expect("something arrived")
}

#[test]
fn round_trips_give_their_least_their_middle_and_their_jitter() {
    let mut echoes = Echoes::default();
    for time in [5.0, 4.0, 6.0, 5.0, 50.0, 5.0, 4.0] {
        echoes.record(at(0.0), Some(Duration::from_secs_f64(time / 1e3)));
    }
    let latency = echoes.latency(at(1.0));
    let value = |reading: &exo_telemetry::Reading<exo_telemetry::topology::Figure>| {
        (reading.get().unwrap().value * 1e6).round() / 1e3
    };
    assert_eq!((value(&latency.min), value(&latency.p50)), (4.0, 5.0), "one late answer moves neither");
    assert_eq!(value(&latency.jitter), 1.5, "the middle of the changes 1, 1, 1, 2, 45, 45");
}

#[test]
fn the_error_of_the_median_covers_the_truth() {
    let mut random = Random::seeded(1);
    let mut covered = 0;
    for _ in 0..500 {
        let mut echoes = Echoes::default();
        for _ in 0..40 {
            // An exponential tail, as queues make it: its median is ln 2.
            let time = 0.010 - 0.002 * (1.0 - random.fraction()).ln();
            echoes.record(at(0.0), Some(Duration::from_secs_f64(time)));
        }
        let p50 = echoes.latency(at(0.0)).p50.get().unwrap();
        covered += u32::from((p50.value - 0.010 - 0.002 * 2f64.ln()).abs() <= p50.error);
    }
    assert!(covered >= 450, "{covered} of 500");
}

#[test]
fn loss_is_a_part_of_the_echoes_and_knows_how_few_they_were() {
    let mut echoes = Echoes::default();
    assert_eq!(echoes.loss(at(0.0)).why(), Some("not measured yet"));
    for number in 0..20 {
        echoes.record(at(0.0), (number % 4 != 0).then_some(Duration::from_millis(3)));
    }
    let loss = echoes.loss(at(0.0)).get().unwrap();
    assert_eq!(loss.value, 0.25);
    assert!((0.15..0.20).contains(&loss.error), "{loss:?}");
}

#[test]
fn too_few_answers_say_nothing() {
    let mut echoes = Echoes::default();
    for _ in 0..50 {
        echoes.record(at(0.0), None);
    }
    assert_eq!(echoes.latency(at(0.0)).p50.why(), Some("too few echoes were answered"));
    assert_eq!(echoes.loss(at(0.0)).get().unwrap().value, 1.0);
}

#[test]
fn what_was_measured_fades_and_is_forgotten() {
    let mut echoes = Echoes::default();
    for _ in 0..10 {
        echoes.record(at(0.0), Some(Duration::from_millis(10)));
    }
    let (fresh, forgotten) = (FRESH.as_secs_f64(), FORGOTTEN.as_secs_f64());
    let p50 = |seconds| echoes.latency(at(seconds)).p50;
    assert_eq!(p50(fresh).source(), Source::Measured);
    let old = p50(f64::midpoint(fresh, forgotten));
    assert_eq!(old.source(), Source::Estimated);
    assert!(old.get().unwrap().error > 0.2 * old.get().unwrap().value, "{old:?}");
    assert!(format!("{old:?}").contains("measured 6 minutes ago"), "{old:?}");
    assert_eq!(p50(forgotten).why(), Some("not measured for 10 minutes"));
    assert_eq!((confidence(FRESH), confidence(FORGOTTEN)), (1.0, 0.0));
    assert!((confidence((FRESH + FORGOTTEN) / 2) - 0.5).abs() < 1e-9);
}

#[test]
fn a_train_measures_the_rate_behind_the_bucket() {
    for megabits in [1.0f64, 10.0, 100.0, 500.0] {
        for bucket in [1.5e3f64, 16e3, 64e3, 256e3, 1e6] {
            let rate = megabits * 125e3;
            // Large enough to outlast the bucket by a twentieth of a second.
            let packets = ((bucket + rate * 0.05) / 1400.0).ceil() as u32 + 20;
            let said = said(&train(packets, 1.25e9, rate, bucket, || 0.0));
            assert!(said.conclusive && within(said.rate.value, 0.03, rate), "{megabits} {bucket}: {said:?}");
        }
    }
}

#[test]
fn a_train_that_fits_into_the_bucket_is_not_believed() {
    let burst = said(&train(46, 1.25e9, 1.25e6, 1e6, || 0.0));
    assert!(!burst.conclusive, "{burst:?}");
}

#[test]
fn a_train_that_only_just_outlasts_the_bucket_is_right_or_says_that_it_is_not() {
    for packets in 20..400 {
        let said = said(&train(packets, 1.25e9, 1.25e6, 64e3, || 0.0));
        assert!(!said.conclusive || within(said.rate.value, 0.10, 1.25e6), "{packets}: {said:?}");
    }
}

#[test]
fn a_receiver_that_is_late_now_and_then_moves_the_rate_little() {
    let mut random = Random::seeded(2);
    let (mut conclusive, mut right) = (0, 0);
    for _ in 0..500 {
        let noise = || {
            let lag = random.fraction() * 300e-6;
            if random.below(300) == 0 { lag + 5e-3 } else { lag }
        };
        let said = said(&train(500, 1.25e9, 12.5e6, 32e3, noise));
        conclusive += u32::from(said.conclusive);
        right += u32::from(said.conclusive && within(said.rate.value, 0.10, 12.5e6));
        assert!(!said.conclusive || within(said.rate.value, 0.30, 12.5e6), "{said:?}");
    }
    // One or two gaps of a tenth of the train are in nearly every one of these.
    assert!(
        conclusive >= 400 && right * 100 >= conclusive * 95,
        "{right} right of {conclusive} conclusive of 500"
    );
}

#[test]
fn a_network_that_delivers_in_lumps_is_measured_all_the_same() {
    // All packets of each two milliseconds arrive together, as Wi-Fi does it.
    let smooth = train(900, 1.25e9, 12.5e6, 16e3, || 0.0);
    assert!(within(said(&smooth).rate.value, 0.02, 12.5e6));
    let mut lumps = Arrivals::default();
    for number in 0..900 {
        let due = f64::from(number) * 1400.0 / 12.5e6;
        lumps.record(Duration::from_secs_f64((due / 2e-3).ceil() * 2e-3), 1400);
    }
    let said = said(&lumps);
    assert!(said.conclusive && within(said.rate.value, 0.05, 12.5e6), "{said:?}");
}

#[test]
fn no_train_makes_the_estimator_fail() {
    assert_eq!(Arrivals::default().throughput(), None);
    let mut random = Random::seeded(3);
    for _ in 0..3_000 {
        let mut arrivals = Arrivals::default();
        for _ in 0..random.below(80) {
            // Clocks may stand still, jump, or go back.
            arrivals.record(
                Duration::from_micros(random.below(3) * random.below(50_000)),
                random.below(1500) as usize,
            );
        }
        if let Some(said) = arrivals.throughput() {
            assert!(said.rate.value.is_finite() && said.rate.error.is_finite() && said.rate.value > 0.0);
        }
    }
}
