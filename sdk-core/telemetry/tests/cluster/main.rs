//! A cluster of Macs, phones and plain hosts over an hour of virtual time, from what each device reads of itself to the
//! plan: collectors speak over a network that loses, delays, turns round and repeats; an aggregator listens; scores rank;
//! a plan is made from what was heard, and changes when it must, in time, and for nothing else.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../common/mod.rs"]
mod common;
mod host;
mod network;
mod planner;
mod scene;
mod stories;
