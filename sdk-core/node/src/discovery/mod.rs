//! Finding a cluster: every way at once, honestly reported.
//!
//! Providers run side by side and the first *verified* answer wins; each keeps a [`ProviderStatus`] that says what it
//! did and what came of it, so that a person who sees "searching" can learn why. The machine decides what is sent
//! where and when; the driver owns the sockets and the DNS-SD daemon and reports what happened.
//!
//! ```text
//!  Interfaces, Datagram, Service, Resolved, Refused
//!        |
//!   [Discovery] -- a Seeker each: loopback, multicast, unicast sweep, DNS-SD, link
//!        |              all ask by a Hello with a nonce of their own (question)
//!   one WhatsUp -> whose nonce? fresh? plausible? -> Findings (rate) -> Found
//! ```
//!
//! What it does not do: dial. A [`Found`] is an address where a node of the right namespace answered; whether it is
//! an exo that we know is for the member to learn.

mod advertisement;
mod config;
mod contract;
mod dns_sd;
mod findings;
mod given;
mod link;
mod locator;
mod loopback;
mod machine;
mod multicast;
mod obstacles;
mod question;
mod reach;
mod seeker;
mod subnet;
mod sweep;
#[cfg(test)]
mod tests;
mod txt;

pub use advertisement::Advertisement;
pub use config::{Provider, SearchConfig, UnknownProvider};
pub use contract::{Activity, Found, Input, Obstacle, Output, ProviderStatus, Service};
pub use link::{BadLink, Host, Link, UnconfirmedLink};
pub use locator::Locator;
pub use machine::Discovery;
#[cfg(feature = "driver")]
pub(crate) use reach::{Reach, is_lan};
pub use txt::{Role, Txt};
