//! The routers that the linked one knows, as its admin space tells.
//!
//! A phone that found exo by its link-local IPv6 address cannot ask for the state there, since exo's HTTP interface
//! speaks IPv4 only; and when that router dies it has nobody else to dial. The routers' own list of addresses helps
//! with both. It is a stranger's word: the driver keeps only addresses on subnets of our own.

use std::{borrow::Cow, net::SocketAddr};

use exo_wire::{NodeId, Zid};
use serde::Deserialize;

use crate::json;

/// More addresses of one router are not read.
const ADDRESSES: usize = 16;

/// One router and where it says that it listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Acquaintance {
    /// Who.
    pub zid: Zid,
    /// Where. A link-local address has no scope here.
    pub addresses: Vec<SocketAddr>,
}

impl Acquaintance {
    /// The key of all routers' entries.
    pub const KEY: &str = "@/*/router";

    /// Reads one entry of the admin space.
    pub fn parse(entry: &[u8]) -> Option<Self> {
        #[derive(Deserialize)]
        struct Told<'a> {
            #[serde(borrow)]
            zid: Cow<'a, str>,
            #[serde(borrow, default)]
            locators: Vec<Cow<'a, str>>,
        }
        let told: Told<'_> = json::read(entry).ok()?;
        let zid = Zid::of(&NodeId::heard(&told.zid))?;
        let tcp = told.locators.iter().filter_map(|locator| locator.strip_prefix("tcp/")?.parse().ok());
        Some(Self { zid, addresses: tcp.take(ADDRESSES).collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a real exo says, its sessions left out.
    const EXO: &str = r#"{"locators":["tcp/[fd77::1]:52414","tcp/[fe80::84cf:eeff:fe06:d119]:52414",
        "tcp/10.77.0.1:52414","quic/10.77.0.1:7447"],"metadata":null,"sessions":[],
        "version":"v1.9.0-release","zid":"7efe2a9f7a5edf530d55974a2e2aabe8"}"#;

    #[test]
    fn a_router_tells_where_it_listens() {
        let exo = Acquaintance::parse(EXO.as_bytes()).unwrap();
        assert_eq!(exo.zid.node_id().unwrap().as_str(), "7efe2a9f7a5edf530d55974a2e2aabe8");
        let expected = ["[fd77::1]:52414", "[fe80::84cf:eeff:fe06:d119]:52414", "10.77.0.1:52414"];
        assert_eq!(exo.addresses, expected.map(|address| address.parse().unwrap()));
    }

    #[test]
    fn anything_else_is_nobody() {
        for text in ["", "null", "{}", r#"{"zid":"0"}"#, r#"{"zid":"xyz","locators":[]}"#, r#"{"zid":7}"#] {
            assert_eq!(Acquaintance::parse(text.as_bytes()), None, "{text}");
        }
        let many =
            format!(r#"{{"zid":"7","locators":[{}"tcp/10.0.0.1:1"]}}"#, r#""tcp/10.0.0.1:1","#.repeat(1000));
        assert_eq!(Acquaintance::parse(many.as_bytes()).unwrap().addresses.len(), ADDRESSES);
    }
}
