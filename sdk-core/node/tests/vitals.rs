//! What a device makes of one look at itself, in virtual time.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::time::Duration;

use exo_node::{
    Now, Random, member,
    now::Moment,
    vitals::{Input, Output, Vitals, VitalsConfig, Work},
    worker::Offer,
};
use exo_telemetry::{
    Reading, Readings,
    policy::{Policy, QuietHours, State},
    probe::Identity,
    protocol::{Body, DeviceId, DeviceType, Message},
    reading::{Group, Groups},
    thermal::{GovernorConfig, Level},
};
use exo_wire::gathered::Backend;

const NOON: Duration = Duration::from_hours(12);

fn at(seconds: f64) -> Now {
    let since = Duration::from_secs_f64(seconds);
    Now { mono: Moment::after_start(since), wall: NOON + since }
}

fn id(name: &str) -> DeviceId {
    DeviceId::new(name).unwrap()
}

fn identity() -> Identity {
    Identity { name: "Ada's phone".into(), device_type: DeviceType::MobileAndroid, ..Identity::unknown() }
}

fn config(policy: Policy) -> VitalsConfig {
    VitalsConfig {
        device_id: id("pixel"),
        policy,
        governor: None,
        backends: vec![Backend::MlxCpu],
        offer: Offer::UNLIMITED,
        utc_offset: None,
    }
}

fn vitals(policy: Policy) -> Vitals {
    Vitals::new(at(0.0), config(policy), Random::seeded(1))
}

fn readings(battery: f64, celsius: f64) -> Readings {
    readings_at(at(0.0), battery, celsius)
}

fn readings_at(now: Now, battery: f64, celsius: f64) -> Readings {
    let at = now.wall.into();
    let mut readings = Readings::unavailable("this phone does not tell", at);
    readings.memory.total = Reading::measured(8 << 30, at);
    readings.memory.available = Reading::measured(4 << 30, at);
    readings.battery.level = Reading::measured(battery, at);
    readings.thermal.temperature = Reading::measured(celsius, at);
    readings
}

fn wishes(vitals: &mut Vitals) -> Vec<Output> {
    std::iter::from_fn(|| vitals.poll()).collect()
}

fn announced(wishes: Vec<Output>) -> Vec<member::Readings> {
    let announced = |wish| match wish {
        Output::Announce(readings) => Some(*readings),
        _ => None,
    };
    wishes.into_iter().filter_map(announced).collect()
}

/// One announcement, as the member asks for it.
fn ask(vitals: &mut Vitals, now: Now, readings: &Readings) -> member::Readings {
    vitals.handle(now, Input::Asked);
    vitals.handle(now, Input::Looked(Groups::ALL, readings));
    announced(wishes(vitals)).pop().expect("an announcement")
}

#[test]
fn one_look_at_a_time_and_what_is_wanted_meanwhile_is_looked_at_next() {
    let mut vitals = vitals(Policy::default());
    vitals.handle(at(0.0), Input::Noticed(Group::Battery.into()));
    vitals.handle(at(0.0), Input::Asked);
    vitals.handle(at(0.0), Input::Noticed(Group::Thermal.into()));
    let looks = |wishes: Vec<Output>| {
        let looks = wishes.into_iter().filter_map(|wish| match wish {
            Output::Look(groups) => Some(groups),
            _ => None,
        });
        looks.collect::<Vec<_>>()
    };
    assert_eq!(looks(wishes(&mut vitals)), [Groups::from(Group::Battery)]);
    vitals.handle(at(0.1), Input::Looked(Group::Battery.into(), &readings(0.5, 30.0)));
    assert_eq!(looks(wishes(&mut vitals)), [Groups::ALL]);
}

#[test]
fn exo_is_offered_what_the_owner_and_the_system_leave() {
    let mut vitals = vitals(Policy { memory_cap: Some(3 << 30), ..Policy::default() });
    let mut look = readings(0.5, 30.0);
    let told = ask(&mut vitals, at(0.0), &look);
    assert!(told.able && told.backends == [Backend::MlxCpu]);
    let memory = told.memory.unwrap();
    assert_eq!((memory.total, memory.available), (3 << 30, 3 << 30));
    look.memory.app_limit = Reading::measured(1 << 30, at(0.0).wall.into());
    assert_eq!(ask(&mut vitals, at(1.0), &look).memory.unwrap().available, 1 << 30);
}

#[test]
fn nobody_is_told_a_name_before_the_probe_said_it() {
    let mut vitals = vitals(Policy::default());
    assert_eq!(ask(&mut vitals, at(0.0), &readings(0.5, 30.0)).identity, None);
    vitals.handle(at(1.0), Input::Identified(identity()));
    assert_eq!(ask(&mut vitals, at(1.0), &readings(0.5, 30.0)).identity.unwrap().name, "Ada's phone");
}

#[test]
fn what_no_device_can_have_is_not_announced() {
    let mut vitals = vitals(Policy::default());
    let told = ask(&mut vitals, at(0.0), &readings(0.5, -273.15));
    assert_eq!(told.gauges.temperature, None);
}

#[test]
fn a_device_without_an_engine_offers_nothing() {
    let mut vitals = Vitals::new(
        at(0.0),
        VitalsConfig { backends: Vec::new(), ..config(Policy::default()) },
        Random::seeded(1),
    );
    let told = ask(&mut vitals, at(0.0), &readings(0.5, 30.0));
    assert!(!told.able && told.backends.is_empty());
}

#[test]
fn a_rule_that_says_no_withdraws_the_offer_in_the_same_instant_and_drains_the_work() {
    let mut vitals = vitals(Policy { min_battery: Some(0.2), ..Policy::default() });
    assert!(ask(&mut vitals, at(0.0), &readings(0.5, 30.0)).able);
    vitals.handle(at(5.0), Input::Noticed(Group::Battery.into()));
    vitals.handle(at(5.0), Input::Looked(Group::Battery.into(), &readings(0.19, 30.0)));
    let told = announced(wishes(&mut vitals));
    assert!(told.len() == 1 && !told[0].able, "nobody asked, and exo is told: {told:?}");
    let condition = vitals.condition(at(5.0));
    assert!(matches!(condition.state, State::Draining { .. }) && condition.share() > 0.0);
    let due = vitals.deadline().expect("the end of the drain");
    vitals.handle(Now { mono: due, wall: NOON }, Input::Tick);
    let condition = vitals.condition(at(40.0));
    assert!(condition.state == State::Stopped && condition.share() == 0.0);
}

#[test]
fn who_is_hidden_hears_at_once_that_it_may_not_work() {
    let mut vitals = vitals(Policy { foreground_only: true, ..Policy::default() });
    vitals.handle(at(1.0), Input::Shown(true));
    ask(&mut vitals, at(1.0), &readings(0.8, 30.0));
    assert!(vitals.condition(at(1.0)).allowance.admit);
    wishes(&mut vitals);
    vitals.handle(at(2.0), Input::Shown(false));
    assert!(wishes(&mut vitals).iter().any(|wish| matches!(wish, Output::Changed)));
    assert!(!vitals.condition(at(2.0)).allowance.admit);
}

#[test]
fn quiet_hours_are_the_owners_and_hold_all_day_while_the_clock_is_not_known() {
    // It is noon in Greenwich.
    let policy = Policy { quiet_hours: Some(QuietHours { from: 22 * 60, to: 6 * 60 }), ..Policy::default() };
    let able_at = |utc_offset: Option<i16>| {
        let mut vitals =
            Vitals::new(at(0.0), VitalsConfig { utc_offset, ..config(policy.clone()) }, Random::seeded(1));
        ask(&mut vitals, at(0.0), &readings(0.5, 30.0)).able
    };
    assert!(able_at(Some(0)));
    assert!(!able_at(Some(11 * 60)), "23:00 in Noumea");
    assert!(!able_at(Some(-8 * 60)), "04:00 in Los Angeles");
    assert!(!able_at(None));
}

#[test]
fn the_heat_is_looked_at_twice_a_second_while_the_engine_computes_and_not_for_nothing() {
    let mut vitals = vitals(Policy::default());
    ask(&mut vitals, at(0.0), &readings(0.5, 30.0));
    assert_eq!(vitals.deadline(), None, "nobody listens and nothing works");
    vitals.handle(at(1.0), Input::Work(Work { busy: 1.0, memory: 1 << 30 }));
    let mut looks = 0;
    for half_seconds in 2..22 {
        let now = at(f64::from(half_seconds) / 2.0);
        vitals.handle(now, Input::Tick);
        for wish in wishes(&mut vitals) {
            if let Output::Look(groups) = wish {
                looks += 1;
                assert_eq!(groups, Group::Thermal.into());
                vitals.handle(now, Input::Looked(groups, &readings(0.5, 30.0)));
            }
        }
    }
    assert_eq!(looks, 20);
    vitals.handle(at(11.0), Input::Work(Work::default()));
    assert_eq!(vitals.deadline(), None);
}

#[test]
fn a_phone_at_its_limit_pauses_and_is_not_offered() {
    let mut vitals = vitals(Policy::default());
    assert!(ask(&mut vitals, at(0.0), &readings(0.5, 30.0)).able);
    vitals.handle(at(1.0), Input::Work(Work { busy: 1.0, memory: 0 }));
    for half_seconds in 2..600 {
        let now = at(f64::from(half_seconds) / 2.0);
        vitals.handle(now, Input::Looked(Group::Thermal.into(), &readings_at(now, 0.5, 60.0)));
    }
    let condition = vitals.condition(at(300.0));
    assert!(!condition.offers && condition.share() == 0.0, "{:?}", condition.standing);
}

#[test]
fn a_probe_that_is_late_keeps_its_place_and_one_that_stays_away_tells_nothing() {
    let mut vitals = vitals(Policy { min_battery: Some(0.2), ..Policy::default() });
    assert!(ask(&mut vitals, at(0.0), &readings(0.5, 30.0)).able);
    for missed in 1..=3 {
        vitals.handle(at(f64::from(missed)), Input::Asked);
        vitals.handle(at(f64::from(missed)), Input::NotLooked);
        let told = announced(wishes(&mut vitals));
        if missed < 3 {
            assert!(told.is_empty(), "missed {missed}: {told:?}");
        } else {
            let told = told.last().unwrap();
            assert!(!told.able && told.memory.is_none());
        }
    }
}

#[test]
fn a_member_speaks_of_itself_alone() {
    let mut vitals = vitals(Policy::default());
    let mut other = Vitals::new(
        at(0.0),
        VitalsConfig { device_id: id("iphone"), ..config(Policy::default()) },
        Random::seeded(2),
    );
    other.handle(at(0.0), Input::Listened(true));
    other.handle(at(0.1), Input::Looked(Groups::ALL, &readings(0.5, 30.0)));
    let told: Vec<_> = wishes(&mut other)
        .into_iter()
        .filter_map(|wish| if let Output::Tell(bytes) = wish { Some(bytes) } else { None })
        .collect();
    assert!(!told.is_empty());
    for message in &told {
        vitals.handle(at(1.0), Input::Heard("mac", message));
    }
    let cluster = vitals.cluster(at(1.0));
    assert!(cluster.devices.is_empty() && cluster.refused == told.len() as u64);
    for message in &told {
        vitals.handle(at(1.0), Input::Heard("iphone", message));
    }
    assert_eq!(vitals.cluster(at(1.0)).devices.len(), 1);
    // Nobody tells us how we are.
    for message in &told {
        vitals.handle(at(1.0), Input::Heard("pixel", message));
    }
    assert_eq!(vitals.cluster(at(1.0)).devices.len(), 1);
}

#[test]
fn who_begins_to_listen_is_told_everything_and_who_leaves_says_goodbye() {
    let mut vitals = vitals(Policy::default());
    vitals.handle(at(0.0), Input::Listened(true));
    vitals.handle(at(0.1), Input::Looked(Groups::ALL, &readings(0.5, 30.0)));
    vitals.handle(at(1.0), Input::Leave);
    let kinds: Vec<_> = wishes(&mut vitals)
        .into_iter()
        .filter_map(|wish| match wish {
            Output::Tell(bytes) => Some(Message::parse(&bytes).unwrap().body),
            _ => None,
        })
        .collect();
    assert!(
        matches!(&kinds[..], [Body::Registration(_), Body::Heartbeat(beat), Body::Goodbye(_)] if beat.metrics.full),
        "{kinds:?}"
    );
}

#[test]
fn a_computer_is_not_too_warm_where_a_phone_is_and_the_owner_may_say_otherwise() {
    let level = |device_type, governor, celsius| {
        let config = VitalsConfig { governor, ..config(Policy::default()) };
        let mut vitals = Vitals::new(at(0.0), config, Random::seeded(1));
        vitals.handle(at(0.0), Input::Identified(Identity { device_type, ..identity() }));
        let told = ask(&mut vitals, at(0.0), &readings(1.0, celsius));
        let level = vitals.condition(at(0.0)).standing.level;
        assert_eq!(told.backends.is_empty(), level == Level::Paused, "{device_type:?} {celsius}");
        level
    };
    assert_eq!(level(DeviceType::MobileAndroid, None, 60.0), Level::Paused);
    assert_eq!(level(DeviceType::MobileIos, None, 60.0), Level::Paused);
    for computer in [DeviceType::Cpu, DeviceType::Intel, DeviceType::Nvidia, DeviceType::AppleSilicon] {
        assert_eq!(level(computer, None, 60.0), Level::Full, "it idles there");
        assert_eq!(level(computer, None, 90.0), Level::Paused);
        assert_eq!(
            level(computer, Some(GovernorConfig::default()), 60.0),
            Level::Paused,
            "the owner said so"
        );
    }
}
