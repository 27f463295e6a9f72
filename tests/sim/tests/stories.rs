//! What can happen to a phone on somebody's cluster, one story a test. The judge watches all along: whenever a story
//! says that all is well, every phone must be joined within 5 s with a view that equals the master's state.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use exo_sim::{Config, World};

struct Lan(World);

impl Lan {
    fn of(exos: u16, phones: u16) -> Self {
        let config = Config { exos: Some(exos), calm: true, ..Config::of(7, phones) };
        let mut lan = Self(World::new(config));
        lan.run(20.0);
        assert!((0..phones).all(|phone| lan.0.is_joined(phone)), "everybody joined at first");
        lan
    }

    fn run(&mut self, seconds: f64) {
        self.0.pass(seconds).unwrap_or_else(|failure| panic!("{}\n\n{}", failure.diagram, failure.broken));
    }

    /// Trouble begins: nothing is expected until all is well again.
    fn trouble(&mut self) -> &mut World {
        self.0.expect_nothing();
        &mut self.0
    }

    /// All is well: joined within 5 s, and so it stays, with a complete view.
    fn well_again(&mut self) {
        self.0.expect_well();
        self.run(40.0);
        let judged = self.0.judge_quiet();
        let judged = judged.unwrap_or_else(|failure| panic!("{}\n\n{}", failure.diagram, failure.broken));
        assert!(judged > 0, "a quiet time that was too short to be judged");
    }
}

#[test]
fn a_phone_that_sleeps_through_a_master_change_rejoins_without_a_gap() {
    let mut lan = Lan::of(2, 2);
    let master = lan.0.master_at().unwrap();
    lan.trouble().asleep(0, true);
    lan.0.exo(master, false);
    lan.run(120.0);
    lan.0.exo(master, true);
    lan.run(10.0);
    lan.0.asleep(0, false);
    lan.well_again();
}

#[test]
fn a_master_that_is_killed_and_restarted_at_once_is_followed_though_clocks_begin_again() {
    let mut lan = Lan::of(1, 3);
    lan.trouble().exo(0, false);
    lan.0.exo(0, true);
    lan.well_again();
    assert_eq!(lan.0.counted().len(), 4, "everybody is in the new state");
}

#[test]
fn when_its_router_dies_a_phone_dials_another_exo_node() {
    let mut lan = Lan::of(2, 4);
    let router = lan.0.link_of(0).unwrap();
    lan.trouble().exo(router, false);
    lan.run(8.0);
    assert!((0..4).all(|phone| lan.0.link_of(phone).is_some_and(|to| to != router)));
    assert!((0..4).all(|phone| lan.0.is_joined(phone)), "joined at the survivor");
    lan.well_again();
}

#[test]
fn a_phone_that_cannot_hear_is_back_within_five_seconds_after_it_can() {
    let mut lan = Lan::of(1, 2);
    lan.trouble().cut(0, true, false);
    lan.run(25.0);
    assert!(!lan.0.is_joined(0) && lan.0.is_joined(1));
    lan.0.cut(0, false, false);
    lan.well_again();
}

#[test]
fn a_phone_that_cannot_be_heard_is_back_within_five_seconds_after_it_can() {
    let mut lan = Lan::of(1, 2);
    lan.trouble().cut(0, false, true);
    lan.run(50.0);
    assert!(!lan.0.counted().contains(lan.0.id_of(0)), "the master timed it out");
    lan.0.cut(0, false, false);
    lan.well_again();
    assert!(lan.0.counted().contains(lan.0.id_of(0)));
}

#[test]
fn a_killed_app_comes_back_as_the_same_node() {
    let mut lan = Lan::of(1, 2);
    lan.trouble().app(0, false);
    lan.run(3.0);
    lan.0.app(0, true);
    lan.well_again();
    assert_eq!(lan.0.counted().len(), 3, "no ghost of its former self");
}

#[test]
fn a_phone_that_roams_links_again() {
    let mut lan = Lan::of(1, 2);
    lan.trouble().roams(0);
    lan.well_again();
}

#[test]
fn a_third_of_everything_may_get_lost_without_a_gap_or_a_duplicate() {
    let mut lan = Lan::of(1, 8);
    lan.trouble().lossy(0.3);
    lan.run(120.0);
    lan.well_again();
}

#[test]
fn half_of_everything_may_come_twice_and_out_of_order_without_a_gap_or_a_duplicate() {
    let mut lan = Lan::of(2, 8);
    lan.trouble().astray(0.5);
    lan.run(120.0);
    assert!((0..8).all(|phone| lan.0.is_joined(phone)), "nothing was lost, so nobody is");
    lan.well_again();
}

#[test]
fn a_split_cluster_has_two_masters_until_it_is_whole_again() {
    let mut lan = Lan::of(2, 6);
    lan.trouble().apart(0, 1, true);
    lan.run(30.0);
    assert_eq!(lan.0.master_at(), None, "each half has its own");
    assert!((0..6).all(|phone| lan.0.is_joined(phone)), "and each phone is a member of its half");
    lan.0.apart(0, 1, false);
    lan.well_again();
    assert_eq!(lan.0.counted().len(), 8);
}

#[test]
fn a_cluster_that_was_away_for_minutes_is_found_again() {
    let mut lan = Lan::of(2, 3);
    lan.trouble().exo(0, false);
    lan.0.exo(1, false);
    lan.run(300.0);
    lan.0.exo(0, true);
    lan.0.exo(1, true);
    lan.well_again();
}
