//! The prober in virtual time: right within three minutes, never over its budget, and silent where it must be.
#![allow(clippy::expect_used, reason = "a test fails by panicking")]

use std::time::Duration;

use exo_telemetry::{
    Now, Random, Source,
    now::Moment,
    reading::NetworkKind,
    topology::{
        Arrivals, Direction, Link, LinkKind, LinkProber, Order, PeerKind, ProbeLimits, Work,
        wire::{LARGEST_TRAIN, Refused},
    },
};

const BUDGET: f64 = 65536.0;
/// Bytes of one packet of a train on the network.
const PACKET: f64 = 1400.0;
/// Bytes of an echo and its answer.
const ECHO: f64 = 2.0 * (64.0 + 48.0);

/// A link behind a token bucket, as `tbf` makes it.
struct Wire {
    rate: f64,
    bucket: f64,
    delay: f64,
}

impl Wire {
    fn megabits(megabits: f64, bucket: f64) -> Self {
        Self { rate: megabits * 125e3, bucket, delay: 0.5e-3 }
    }

    /// What arrives of a train, and how long it took.
    fn carry(&self, packets: u32, random: &mut Random) -> (Arrivals, Duration) {
        let mut arrivals = Arrivals::default();
        let (mut tokens, mut clock, mut last) = (self.bucket, 0.0f64, 0.0f64);
        for number in 0..packets {
            let ready = clock.max(f64::from(number) * PACKET / 1.25e9);
            tokens = (tokens + (ready - clock) * self.rate).min(self.bucket);
            let wait = ((PACKET - tokens) / self.rate).max(0.0);
            tokens += wait * self.rate - PACKET;
            clock = ready + wait;
            last = last.max(clock + self.delay + random.fraction() * 100e-6);
            arrivals.record(Duration::from_secs_f64(last), PACKET as usize);
        }
        (arrivals, Duration::from_secs_f64(last))
    }
}

/// One prober and one clock.
struct Scene {
    prober: LinkProber,
    time: Duration,
    random: Random,
    spent: f64,
    orders: Vec<(Duration, Order)>,
}

impl Scene {
    fn new() -> Self {
        let mut prober =
            LinkProber::new("a phone", ProbeLimits::default(), Moment::default(), Random::seeded(1));
        prober.network(Some(NetworkKind::Wifi), Some(false));
        Self { prober, time: Duration::ZERO, random: Random::seeded(2), spent: 0.0, orders: Vec::new() }
    }

    fn now(&self) -> Now {
        Now { mono: Moment::after_start(self.time), wall: self.time }
    }

    fn peer(&mut self, id: &str, kind: PeerKind) {
        self.prober.peer_seen(self.now().mono, id, kind, LinkKind::Wifi);
    }

    /// Does what is ordered until then. No order may ever break the budget of the node.
    fn run(&mut self, seconds: u64, wire: &dyn Fn(&str) -> Wire) {
        let end = Duration::from_secs(seconds);
        while self.time < end {
            let Some(order) = self.prober.poll(self.now().mono) else {
                let next = self.prober.deadline(self.now().mono).map_or(end, Moment::since_start);
                assert!(next > self.time, "a deadline that does not move would burn the battery");
                self.time = next.min(end);
                continue;
            };
            self.obey(&order, &wire(&order.peer));
            self.orders.push((self.time, order));
            let allowed = BUDGET * self.time.as_secs_f64();
            assert!(self.spent <= allowed + 1.0, "{} of {allowed} at {:?}", self.spent, self.time);
        }
    }

    fn obey(&mut self, order: &Order, wire: &Wire) {
        match order.work {
            Work::Echoes(count) | Work::Connects(count) => {
                self.spent += f64::from(count) * ECHO;
                let jitter = |random: &mut Random| 2.0 * wire.delay + random.fraction() * 100e-6;
                let times: Vec<_> =
                    (0..count).map(|_| Some(Duration::from_secs_f64(jitter(&mut self.random)))).collect();
                self.time += Duration::from_millis(200);
                self.prober.echoed(self.now(), &order.peer, &times);
            }
            Work::Train { direction, packets } => {
                self.spent += f64::from(packets) * PACKET;
                let (arrivals, took) = wire.carry(packets, &mut self.random);
                self.time += took;
                match arrivals.throughput() {
                    Some(said) => self.prober.arrived(self.now(), &order.peer, direction, said),
                    None => self.prober.failed(self.now(), &order.peer, None),
                }
            }
        }
    }

    fn link(&self, id: &str) -> Link {
        self.prober.links(self.now()).into_iter().find(|link| link.to == id).expect("the peer is known")
    }

    fn trains(&self) -> usize {
        self.orders.iter().filter(|(_, order)| matches!(order.work, Work::Train { .. })).count()
    }
}

fn within_a_tenth(link: &Link, rate: f64) -> bool {
    [&link.bandwidth_up, &link.bandwidth_down].into_iter().all(|reading| {
        let right = reading.get().is_some_and(|figure| (figure.value / rate - 1.0).abs() <= 0.10);
        right && reading.source() == Source::Measured
    })
}

#[test]
fn every_link_is_known_to_a_tenth_after_three_minutes_within_the_real_budget() {
    // No bucket holds more than a tenth of a second: a link that does so has no rate to speak of.
    for megabits in [5.0, 10.0, 54.0, 100.0, 500.0, 900.0] {
        for bucket in
            [2e3, 16e3, 64e3, 128e3, 512e3, 1e6].into_iter().filter(|bucket| *bucket <= megabits * 12.5e3)
        {
            let mut scene = Scene::new();
            scene.peer("b phone", PeerKind::Sdk);
            scene.run(180, &|_| Wire::megabits(megabits, bucket));
            let link = scene.link("b phone");
            assert!(within_a_tenth(&link, megabits * 125e3), "{megabits} Mbit/s, bucket {bucket}: {link:#?}");
            let p50 = link.latency_p50.get().unwrap().value;
            assert!((p50 / 1.05e-3 - 1.0).abs() < 0.10, "{p50}");
        }
    }
}

#[test]
fn a_link_is_burdened_with_a_hundredth_of_what_it_carries() {
    for megabits in [2.0, 10.0, 54.0] {
        let mut scene = Scene::new();
        scene.peer("b phone", PeerKind::Sdk);
        let wire = |_: &str| Wire::megabits(megabits, 32e3);
        scene.run(180, &wire);
        let allowed = 0.01 * megabits * 125e3;
        let early = scene.spent / 180.0;
        // The first trains go out before the link is known; their debt is paid by waiting.
        assert!(
            early <= allowed.max(BUDGET / 16.0),
            "{megabits} Mbit/s: {early} of {allowed} bytes a second"
        );
        scene.run(3600, &wire);
        let average = scene.spent / 3600.0;
        assert!(average <= allowed, "{megabits} Mbit/s: {average} of {allowed} bytes a second");
    }
}

#[test]
fn many_peers_share_one_budget_and_all_get_their_turn() {
    let mut scene = Scene::new();
    let names: Vec<_> = (0..12).map(|number| format!("b phone {number:02}")).collect();
    for name in &names {
        scene.peer(name, PeerKind::Sdk);
    }
    scene.run(1800, &|_| Wire::megabits(100.0, 64e3));
    for name in &names {
        let link = scene.link(name);
        assert!(link.latency_p50.get().is_some(), "{name}");
        // It may be a while ago that it was their turn.
        let rates = [link.bandwidth_up.get(), link.bandwidth_down.get()].map(|figure| figure.unwrap().value);
        assert!(rates.into_iter().all(|rate| (rate / 12.5e6 - 1.0).abs() < 0.10), "{name}: {link:#?}");
    }
}

#[test]
fn a_thousand_peers_get_round_trips_within_the_budget() {
    let mut scene = Scene::new();
    let names: Vec<_> = (0..1000).map(|number| format!("b phone {number:03}")).collect();
    for name in &names {
        scene.peer(name, PeerKind::Sdk);
    }
    scene.run(600, &|_| Wire::megabits(100.0, 64e3));
    let links = scene.prober.links(scene.now());
    assert_eq!(links.iter().filter(|link| link.latency_p50.get().is_some()).count(), 1000);
}

#[test]
fn nothing_is_probed_where_bytes_cost_money() {
    use NetworkKind::{Cellular, Ethernet, None as Nothing, Other, Wifi};
    let orders = |kind, metered| {
        let mut scene = Scene::new();
        scene.prober.network(kind, metered);
        scene.peer("b phone", PeerKind::Sdk);
        scene.run(60, &|_| Wire::megabits(100.0, 64e3));
        (!scene.orders.is_empty(), scene.trains() > 0)
    };
    for kind in [Wifi, Ethernet, Other, Cellular, Nothing] {
        assert_eq!(orders(Some(kind), Some(true)), (false, false), "{kind:?}");
    }
    assert_eq!(orders(None, None), (false, false), "nobody knows where we are");
    assert_eq!(orders(Some(Cellular), Some(false)), (false, false));
    assert_eq!(orders(Some(Wifi), None), (true, false), "it may cost money: round trips only");
    assert_eq!(orders(Some(Wifi), Some(false)), (true, true));
    assert_eq!(orders(Some(Ethernet), None), (true, true));
}

#[test]
fn exo_nodes_are_only_connected_to_and_their_bandwidth_stays_unknown() {
    let mut scene = Scene::new();
    scene.peer("mac", PeerKind::Exo);
    scene.run(600, &|_| Wire::megabits(100.0, 64e3));
    assert!(
        scene.orders.iter().all(|(_, order)| matches!(order.work, Work::Connects(_))),
        "{:?}",
        scene.orders
    );
    let in_the_last_minutes = scene.orders.iter().filter(|(at, _)| at.as_secs() >= 300).count();
    assert!((4..=5).contains(&in_the_last_minutes), "once a minute: {:?}", scene.orders);
    let link = scene.link("mac");
    assert_eq!(link.latency_p50.source(), Source::Measured);
    assert_eq!(link.bandwidth_up.why(), Some("exo's nodes do not answer trains"));
    assert_eq!(link.bandwidth_down.source(), Source::Unavailable);
}

#[test]
fn one_end_of_a_link_sends_the_trains() {
    let mut scene = Scene::new();
    scene.peer("A phone", PeerKind::Sdk);
    scene.run(120, &|_| Wire::megabits(100.0, 64e3));
    assert!(!scene.orders.is_empty() && scene.trains() == 0, "the other end's name comes first");
}

#[test]
fn while_there_is_work_no_train_is_sent() {
    let mut scene = Scene::new();
    scene.prober.busy(true);
    scene.peer("b phone", PeerKind::Sdk);
    scene.run(300, &|_| Wire::megabits(100.0, 64e3));
    assert_eq!(scene.trains(), 0);
    assert!(scene.orders.len() < 30, "rounds are rarer too: {}", scene.orders.len());
    scene.prober.busy(false);
    scene.run(400, &|_| Wire::megabits(100.0, 64e3));
    assert!(scene.trains() > 0);
}

#[test]
fn who_refuses_is_asked_less_and_less() {
    let mut scene = Scene::new();
    scene.peer("b phone", PeerKind::Sdk);
    let mut asked = Vec::new();
    while scene.time < Duration::from_hours(1) {
        match scene.prober.poll(scene.now().mono) {
            Some(order) if matches!(order.work, Work::Train { .. }) => {
                asked.push(scene.time.as_secs());
                scene.prober.failed(scene.now(), "b phone", Some(Refused::Busy));
            }
            Some(order) => scene.obey(&order, &Wire::megabits(10.0, 2e3)),
            None => scene.time += Duration::from_millis(500),
        }
    }
    let waits: Vec<_> = asked.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(waits[0] >= 10 && waits.iter().is_sorted(), "{waits:?}");
    assert!(asked.len() <= 12, "{asked:?}");
}

#[test]
fn an_order_that_is_never_answered_for_does_not_stop_the_prober() {
    let mut scene = Scene::new();
    scene.peer("b phone", PeerKind::Sdk);
    scene.time = Duration::from_secs(1);
    assert!(scene.prober.poll(scene.now().mono).is_some());
    assert!(scene.prober.poll(scene.now().mono).is_none(), "one thing at a time");
    scene.time = scene.prober.deadline(scene.now().mono).unwrap().since_start();
    assert!(scene.prober.poll(scene.now().mono).is_some());
}

#[test]
fn a_link_that_became_another_is_followed() {
    let mut scene = Scene::new();
    scene.peer("b phone", PeerKind::Sdk);
    scene.run(180, &|_| Wire::megabits(100.0, 16e3));
    assert!(within_a_tenth(&scene.link("b phone"), 12.5e6));
    scene.run(900, &|_| Wire::megabits(10.0, 16e3));
    assert!(within_a_tenth(&scene.link("b phone"), 1.25e6), "slower: {:#?}", scene.link("b phone"));
    scene.run(1800, &|_| Wire::megabits(100.0, 16e3));
    assert!(within_a_tenth(&scene.link("b phone"), 12.5e6), "faster: {:#?}", scene.link("b phone"));
}

#[test]
fn a_link_too_fast_for_any_train_is_at_least_as_fast_as_was_seen() {
    let mut scene = Scene::new();
    scene.peer("b phone", PeerKind::Sdk);
    scene.run(300, &|_| Wire::megabits(40_000.0, 64e3));
    let link = scene.link("b phone");
    assert_eq!(link.bandwidth_up.source(), Source::Estimated);
    assert!(format!("{:?}", link.bandwidth_up).contains("at least this much"));
    let largest = scene.orders.iter().filter_map(|(_, order)| match order.work {
        Work::Train { packets, .. } => Some(packets),
        _ => None,
    });
    assert!(f64::from(largest.max().unwrap()) * 1420.0 <= f64::from(LARGEST_TRAIN));
}

#[test]
fn a_peer_that_is_gone_is_forgotten_and_one_that_is_silent_fades() {
    let mut scene = Scene::new();
    scene.peer("b phone", PeerKind::Sdk);
    scene.run(180, &|_| Wire::megabits(100.0, 16e3));
    scene.prober.busy(true);
    scene.time += Duration::from_mins(11);
    let link = scene.link("b phone");
    assert_eq!(link.bandwidth_up.why(), Some("not measured for 10 minutes"));
    assert_eq!(link.latency_p50.why(), Some("not measured for 10 minutes"));
    assert_eq!(link.peer_to_peer.source(), Source::Unavailable);
    scene.prober.peer_gone("b phone");
    assert!(scene.prober.links(scene.now()).is_empty());
    // What comes late about somebody who is gone is no surprise.
    scene.prober.echoed(scene.now(), "b phone", &[None]);
    scene.prober.failed(scene.now(), "b phone", None);
    assert!(!scene.prober.is_measured("b phone"));
}

#[test]
fn directions_are_kept_apart() {
    let mut scene = Scene::new();
    scene.peer("b phone", PeerKind::Sdk);
    let mut random = Random::seeded(9);
    while scene.time < Duration::from_mins(3) {
        match scene.prober.poll(scene.now().mono) {
            Some(Order { work: Work::Train { direction, packets }, peer }) => {
                let megabits = if direction == Direction::Up { 10.0 } else { 100.0 };
                let (arrivals, took) = Wire::megabits(megabits, 16e3).carry(packets, &mut random);
                scene.time += took;
                scene.prober.arrived(scene.now(), &peer, direction, arrivals.throughput().unwrap());
            }
            Some(order) => scene.obey(&order, &Wire::megabits(10.0, 2e3)),
            None => scene.time += Duration::from_millis(100),
        }
    }
    let link = scene.link("b phone");
    let rate = |from: &str| link.bandwidth_from(from).get().unwrap().value;
    assert!((rate("a phone") / 1.25e6 - 1.0).abs() < 0.1, "{link:#?}");
    assert!((rate("b phone") / 12.5e6 - 1.0).abs() < 0.1, "{link:#?}");
}
