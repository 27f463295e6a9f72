//! What the owner allows: every rule, every combination of them, and how it goes over time.

use std::time::Duration;

use exo_telemetry::{
    Reading, Readings, Timestamp,
    now::Moment,
    policy::{Allowance, Policy, PolicyError, PolicyKeeper, QuietHours, Rule, State, Surroundings, Verdict},
    reading::{NetworkKind, ThermalStatus},
};

const AT: Timestamp = Timestamp(1_000);
const GIB: u64 = 1 << 30;

fn measured<T>(value: T) -> Reading<T> {
    Reading::measured(value, AT)
}

fn at(seconds: u64) -> Moment {
    Moment::after_start(Duration::from_secs(seconds))
}

/// A phone, and what the app knows besides.
#[derive(Clone)]
struct Phone {
    readings: Readings,
    memory_used: Option<u64>,
    minute: Option<u16>,
    foreground: Option<bool>,
}

impl Phone {
    fn unknown() -> Self {
        let readings = Readings::unavailable("no sensor", AT);
        Self { readings, memory_used: None, minute: None, foreground: None }
    }

    fn with(level: f64) -> Self {
        let mut phone = Self::unknown();
        phone.readings.battery.level = measured(level);
        phone
    }

    fn at_celsius(celsius: f64) -> Self {
        let mut phone = Self::unknown();
        phone.readings.thermal.temperature = measured(celsius);
        phone
    }

    fn around(&self) -> Surroundings<'_> {
        Surroundings {
            readings: &self.readings,
            memory_used: self.memory_used,
            minute_of_day: self.minute,
            foreground: self.foreground,
        }
    }

    fn under(&self, policy: &Policy) -> Allowance {
        policy.evaluate(&self.around())
    }
}

const RULES: [Rule; 8] = [
    Rule::OnlyWhileCharging,
    Rule::MinBattery,
    Rule::MaxTemperature,
    Rule::MaxThermalStatus,
    Rule::WifiOnly,
    Rule::MemoryCap,
    Rule::QuietHours,
    Rule::ForegroundOnly,
];

#[derive(Debug, Clone, Copy, PartialEq)]
enum Case {
    Off,
    Allowed,
    Denied,
    Unknown,
}

/// Sets one rule in the policy, and the phone so that the rule says what the case wants.
fn arrange(rule: Rule, case: Case, policy: &mut Policy, phone: &mut Phone) {
    let allowed = case == Case::Allowed;
    let known = matches!(case, Case::Allowed | Case::Denied);
    let on = case != Case::Off;
    let readings = &mut phone.readings;
    match rule {
        Rule::OnlyWhileCharging => {
            policy.only_while_charging = on;
            readings.battery.charging = if known { measured(allowed) } else { Reading::unavailable("?", AT) };
        }
        Rule::MinBattery => {
            policy.min_battery = on.then_some(0.2);
            let level = if allowed { 0.2 } else { 0.19 };
            readings.battery.level = if known { measured(level) } else { measured(f64::NAN) };
        }
        Rule::MaxTemperature => {
            policy.max_temperature = on.then_some(42.0);
            let celsius = if allowed { 30.0 } else { 42.0 };
            readings.thermal.temperature =
                if known { measured(celsius) } else { Reading::unavailable("?", AT) };
        }
        Rule::MaxThermalStatus => {
            policy.max_thermal_status = on.then_some(ThermalStatus::Moderate);
            let status = if allowed { ThermalStatus::Light } else { ThermalStatus::Severe };
            readings.thermal.status = if known { measured(status) } else { Reading::unavailable("?", AT) };
        }
        Rule::WifiOnly => {
            policy.wifi_only = on;
            let kind = if allowed { NetworkKind::Wifi } else { NetworkKind::Cellular };
            readings.network.kind = if known { measured(kind) } else { Reading::unavailable("?", AT) };
        }
        Rule::MemoryCap => {
            policy.memory_cap = on.then_some(GIB);
            phone.memory_used = known.then_some(if allowed { GIB - 1 } else { GIB });
        }
        Rule::QuietHours => {
            policy.quiet_hours = on.then_some(QuietHours { from: 22 * 60, to: 7 * 60 });
            phone.minute = known.then_some(if allowed { 7 * 60 } else { 23 * 60 });
        }
        Rule::ForegroundOnly => {
            policy.foreground_only = on;
            phone.foreground = known.then_some(allowed);
        }
    }
}

#[test]
fn all_65536_combinations_of_rules_and_readings_say_what_they_should() {
    const CASES: [Case; 4] = [Case::Off, Case::Allowed, Case::Denied, Case::Unknown];
    for number in 0..4usize.pow(RULES.len() as u32) {
        let (mut policy, mut phone) = (Policy::default(), Phone::unknown());
        let mut expected = Vec::new();
        for (place, rule) in RULES.into_iter().enumerate() {
            let case = CASES[number / 4usize.pow(place as u32) % 4];
            arrange(rule, case, &mut policy, &mut phone);
            match case {
                Case::Denied => expected.push((rule, Verdict::Denied)),
                Case::Unknown => expected.push((rule, Verdict::Unknown)),
                Case::Off | Case::Allowed => {}
            }
        }
        let allowance = phone.under(&policy);
        let reasons: Vec<_> = allowance.reasons.iter().map(|reason| (reason.rule, reason.verdict)).collect();
        assert_eq!(reasons, expected, "{policy:?}");
        assert_eq!(allowance.admit, expected.is_empty(), "{policy:?}");
        assert_eq!(allowance.share, if expected.is_empty() { 1.0 } else { 0.0 }, "{policy:?}");
        assert_eq!(allowance.memory, policy.memory_cap);
    }
}

#[test]
fn without_rules_everything_is_allowed_even_to_a_phone_that_knows_nothing() {
    let allowance = Phone::unknown().under(&Policy::default());
    assert_eq!((allowance.admit, allowance.share), (true, 1.0));
    assert_eq!(allowance.sentence(), "everything is allowed");
}

#[test]
fn the_reasons_are_words_for_people() {
    let policy = Policy { only_while_charging: true, min_battery: Some(0.2), ..Policy::default() };
    let allowance = Phone::with(0.15).under(&policy);
    assert_eq!(
        allowance.sentence(),
        "it is not known whether the phone is being charged (no sensor); the battery is at 15%, 20% is asked for"
    );
}

#[test]
fn the_share_falls_over_the_last_five_degrees() {
    let policy = Policy { max_temperature: Some(42.0), ..Policy::default() };
    for (celsius, share) in [(30.0, 1.0), (37.0, 1.0), (39.5, 0.5), (41.0, 0.2), (42.0, 0.0), (50.0, 0.0)] {
        let allowance = Phone::at_celsius(celsius).under(&policy);
        assert!((allowance.share - share).abs() < 1e-9, "{celsius} °C: {allowance:?}");
        assert_eq!(allowance.admit, share > 0.0);
    }
}

#[test]
fn the_highest_status_that_is_allowed_leaves_half() {
    let policy = Policy { max_thermal_status: Some(ThermalStatus::Moderate), ..Policy::default() };
    let mut phone = Phone::unknown();
    phone.readings.thermal.status = measured(ThermalStatus::Moderate);
    let allowance = phone.under(&policy);
    assert_eq!(
        (allowance.admit, allowance.share, allowance.reasons[0].verdict),
        (true, 0.5, Verdict::Limited)
    );
}

#[test]
fn a_cable_is_as_good_as_wifi_and_a_hotspot_that_costs_money_is_not() {
    let policy = Policy { wifi_only: true, ..Policy::default() };
    let on = |kind, metered: Option<bool>| {
        let mut phone = Phone::unknown();
        phone.readings.network.kind = measured(kind);
        if let Some(metered) = metered {
            phone.readings.network.metered = measured(metered);
        }
        phone.under(&policy).admit
    };
    assert!(
        on(NetworkKind::Wifi, None) && on(NetworkKind::Wifi, Some(false)) && on(NetworkKind::Ethernet, None)
    );
    assert!(!on(NetworkKind::Wifi, Some(true)), "metered");
    for kind in [NetworkKind::Cellular, NetworkKind::Other, NetworkKind::None] {
        assert!(!on(kind, Some(false)), "{kind:?}");
    }
}

#[test]
fn quiet_hours_may_go_over_midnight() {
    let night = QuietHours { from: 22 * 60, to: 7 * 60 };
    let noon = QuietHours { from: 12 * 60, to: 13 * 60 };
    for (hours, minute, quiet) in [
        (night, 21 * 60 + 59, false),
        (night, 22 * 60, true),
        (night, 23 * 60 + 59, true),
        (night, 0, true),
        (night, 6 * 60 + 59, true),
        (night, 7 * 60, false),
        (noon, 11 * 60 + 59, false),
        (noon, 12 * 60, true),
        (noon, 13 * 60, false),
    ] {
        assert_eq!(hours.contains(minute), quiet, "{hours:?} at {minute}");
    }
    let policy = Policy { quiet_hours: Some(noon), ..Policy::default() };
    let odd = Phone { minute: Some(1440), ..Phone::unknown() };
    assert_eq!(odd.under(&policy).reasons[0].verdict, Verdict::Unknown, "no day has that minute");
}

#[test]
fn a_policy_that_cannot_be_meant_is_refused_and_would_allow_nothing() {
    let percent = Policy { min_battery: Some(20.0), ..Policy::default() };
    assert_eq!(percent.check(), Err(PolicyError::Battery(20.0)));
    assert!(!Phone::with(1.0).under(&percent).admit);
    let nan = Policy { max_temperature: Some(f64::NAN), ..Policy::default() };
    assert!(matches!(nan.check(), Err(PolicyError::Temperature(_))));
    assert!(!Phone::at_celsius(20.0).under(&nan).admit);
    let never = QuietHours { from: 60, to: 60 };
    let hours = Policy { quiet_hours: Some(never), ..Policy::default() };
    assert_eq!(hours.check(), Err(PolicyError::QuietHours { from: 60, to: 60 }));
    assert_eq!(Policy { memory_cap: Some(0), ..Policy::default() }.check(), Err(PolicyError::NoMemory));
    assert_eq!(Policy { min_battery: Some(0.2), ..Policy::default() }.check(), Ok(()));
}

#[test]
fn a_policy_is_json_that_an_app_can_write_by_hand() {
    let policy: Policy = serde_json::from_str(
        r#"{"only_while_charging": true, "max_thermal_status": "moderate", "quiet_hours": {"from": 1320, "to": 420}, "drain": 12.5}"#,
    )
    .unwrap();
    assert_eq!(policy.max_thermal_status, Some(ThermalStatus::Moderate));
    assert_eq!((policy.drain, policy.settle), (Duration::from_millis(12_500), Duration::from_secs(30)));
    assert_eq!(serde_json::from_str::<Policy>(&serde_json::to_string(&policy).unwrap()).unwrap(), policy);
    assert!(
        serde_json::from_str::<Policy>(r#"{"only_while_chargin": true}"#).is_err(),
        "a misspelt rule is no rule"
    );
    assert!(serde_json::from_str::<Policy>(r#"{"drain": -1}"#).is_err());
}

fn keeper() -> PolicyKeeper {
    PolicyKeeper::new(Policy { min_battery: Some(0.2), ..Policy::default() })
}

#[test]
fn nothing_is_allowed_before_the_first_reading_and_all_right_after_it() {
    let mut keeper = keeper();
    assert_eq!((keeper.state(), keeper.allowance().admit), (State::Stopped, false));
    // At the threshold, without the margin that is asked of one that comes back.
    assert!(keeper.observe(at(0), &Phone::with(0.2).around()).admit);
    assert_eq!(keeper.state(), State::Working);
}

#[test]
fn work_is_drained_before_it_is_stopped() {
    let mut keeper = keeper();
    keeper.observe(at(0), &Phone::with(0.5).around());
    let draining = keeper.observe(at(10), &Phone::with(0.19).around()).clone();
    assert_eq!(keeper.state(), State::Draining { until: at(40) });
    assert_eq!(
        (draining.admit, draining.share),
        (false, 0.5),
        "what is under way goes on, nothing new comes"
    );
    assert_eq!(keeper.deadline(), Some(at(40)));
    keeper.observe(at(39), &Phone::with(0.19).around());
    assert_eq!(keeper.state(), State::Draining { until: at(40) }, "the deadline does not move");
    let stopped = keeper.observe(at(40), &Phone::with(0.19).around());
    assert_eq!((stopped.admit, stopped.share), (false, 0.0));
    assert_eq!((keeper.state(), keeper.deadline()), (State::Stopped, None));
}

#[test]
fn a_drain_ends_early_when_the_work_does() {
    let mut keeper = keeper();
    keeper.observe(at(0), &Phone::with(0.5).around());
    keeper.work_ended();
    assert_eq!(keeper.state(), State::Working, "there was nothing to drain");
    keeper.observe(at(1), &Phone::with(0.1).around());
    keeper.work_ended();
    assert_eq!((keeper.state(), keeper.allowance().share), (State::Stopped, 0.0));
}

#[test]
fn work_begins_again_with_a_margin_and_after_a_while() {
    let mut keeper = keeper();
    keeper.observe(at(0), &Phone::with(0.5).around());
    keeper.observe(at(1), &Phone::with(0.1).around());
    keeper.work_ended();
    let waiting = keeper.observe(at(100), &Phone::with(0.22).around());
    assert!(!waiting.admit);
    assert_eq!(waiting.sentence(), "the battery is at 22%, 25% is asked for", "it says what is waited for");
    keeper.observe(at(200), &Phone::with(0.26).around());
    assert_eq!((keeper.state(), keeper.deadline()), (State::Stopped, Some(at(230))));
    keeper.observe(at(229), &Phone::with(0.26).around());
    assert_eq!(keeper.state(), State::Stopped);
    assert!(keeper.observe(at(230), &Phone::with(0.26).around()).admit);
    assert_eq!(keeper.state(), State::Working);
}

#[test]
fn a_cause_that_goes_away_while_draining_lets_the_work_go_on() {
    let policy = Policy { only_while_charging: true, drain: Duration::from_mins(2), ..Policy::default() };
    let mut keeper = PolicyKeeper::new(policy);
    let plugged = |yes: bool| {
        let mut phone = Phone::unknown();
        phone.readings.battery.charging = measured(yes);
        phone
    };
    keeper.observe(at(0), &plugged(true).around());
    keeper.observe(at(10), &plugged(false).around());
    keeper.observe(at(15), &plugged(true).around());
    assert_eq!(keeper.deadline(), Some(at(45)));
    keeper.observe(at(45), &plugged(true).around());
    assert_eq!(keeper.state(), State::Working);
}

#[test]
fn a_battery_at_the_threshold_does_not_make_the_phone_come_and_go() {
    let mut keeper = keeper();
    let mut switches = 0;
    let mut before = keeper.state();
    for second in 0..3600 {
        let level = if second % 2 == 0 { 0.205 } else { 0.195 };
        keeper.observe(at(second), &Phone::with(level).around());
        let works = |state| state == State::Working;
        switches += u32::from(works(before) != works(keeper.state()));
        before = keeper.state();
    }
    assert_eq!(switches, 2, "it began once and ended once");
}

#[test]
fn a_loose_charger_switches_at_most_once_in_each_wait() {
    let policy = Policy { only_while_charging: true, ..Policy::default() };
    let mut keeper = PolicyKeeper::new(policy);
    let mut random = exo_telemetry::Random::seeded(3);
    let (mut switches, mut works) = (0, false);
    for second in 0..3600 {
        let mut phone = Phone::unknown();
        phone.readings.battery.charging = measured(random.below(10) > 0);
        keeper.observe(at(second), &phone.around());
        let now_works = keeper.state() == State::Working;
        switches += u32::from(works != now_works);
        works = now_works;
    }
    assert!(switches <= 2 * 3600 / 30, "{switches}");
}

#[test]
fn a_phone_that_slept_through_its_deadline_wakes_up_stopped() {
    let mut keeper = keeper();
    keeper.observe(at(0), &Phone::with(0.5).around());
    keeper.observe(at(1), &Phone::with(0.1).around());
    keeper.observe(at(8 * 3600), &Phone::with(0.1).around());
    assert_eq!(keeper.state(), State::Stopped);
}

#[test]
fn an_owner_who_allows_more_does_not_wait_and_one_who_allows_less_is_obeyed() {
    let mut keeper = keeper();
    keeper.observe(at(0), &Phone::with(0.15).around());
    assert_eq!(keeper.state(), State::Stopped);
    keeper.set_policy(Policy { min_battery: Some(0.1), ..Policy::default() });
    assert!(keeper.observe(at(1), &Phone::with(0.15).around()).admit);
    keeper.set_policy(Policy { min_battery: Some(0.9), ..Policy::default() });
    assert!(!keeper.observe(at(2), &Phone::with(0.15).around()).admit);
    assert_eq!(keeper.state(), State::Draining { until: at(32) });
}

#[test]
fn a_sensor_that_is_lost_ends_the_work_gently() {
    let mut keeper = keeper();
    keeper.observe(at(0), &Phone::with(0.5).around());
    keeper.observe(at(1), &Phone::unknown().around());
    assert!(matches!(keeper.state(), State::Draining { .. }));
    assert_eq!(keeper.allowance().reasons[0].verdict, Verdict::Unknown);
}
