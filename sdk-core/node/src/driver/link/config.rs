//! zenoh's settings, and why each is not the default.

use std::time::Duration;

use exo_wire::Zid;
use zenoh::Config;

use super::inbox::LARGEST_PAYLOAD;
use crate::discovery::Locator;

/// What our zenoh session is in the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::driver) enum Role {
    /// Attached to the router there. The only role towards exo.
    Client(Locator),
    /// A router with this id that listens there, for a cluster of phones alone.
    Router(Locator, Zid),
}

/// The settings for this role.
pub(super) fn config(role: Role, open_timeout: Duration) -> Result<Config, String> {
    let mut config = Config::default();
    let mut set = |key: &str, value: String| {
        config
            .insert_json5(key, &value)
            .map_err(|error| format!("zenoh does not take {key}: {}", plainly(error.as_ref())))
    };
    match role {
        Role::Client(locator) => {
            set("mode", r#""client""#.into())?;
            set("connect/endpoints", format!(r#"["{locator}"]"#))?;
            set("listen/endpoints", "[]".into())?;
            // One try: the member decides what comes next. The same after a loss, until we close the session.
            set("connect/timeout_ms", "0".into())?;
            let retry = r#"{"period_init_ms": 60000, "period_max_ms": 60000, "period_increase_factor": 1}"#;
            set("connect/retry", retry.into())?;
        }
        Role::Router(locator, zid) => {
            let id = zid.node_id().ok_or("a router needs an id")?;
            set("id", format!(r#""{id}""#))?;
            set("mode", r#""router""#.into())?;
            set("listen/endpoints", format!(r#"["{locator}"]"#))?;
            set("listen/exit_on_failure", "true".into())?;
            set("transport/unicast/max_sessions", "64".into())?;
        }
    }
    // Finding clusters is discovery's work, and a guest tells nobody about others.
    set("scouting/multicast/enabled", "false".into())?;
    set("scouting/gossip/enabled", "false".into())?;
    set("adminspace/enabled", "false".into())?;
    set("transport/unicast/open_timeout", open_timeout.as_millis().to_string())?;
    // What is larger is dropped while it arrives. The rest of the allowance is zenoh's own framing.
    set("transport/link/rx/max_message_size", (LARGEST_PAYLOAD + (64 << 10)).to_string())?;
    set("transport/link/tx/threads", "1".into())?;
    Ok(config)
}

/// What zenoh said, without the place in its source.
pub(super) fn plainly(error: &dyn std::error::Error) -> String {
    let text = error.to_string();
    text.split(" at /").next().unwrap_or_default().trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zenoh_takes_the_settings_of_both_roles() {
        let locator = Locator::new(([127, 0, 0, 1], 52414).into());
        for role in [Role::Client(locator), Role::Router(locator, Zid([7; 16]))] {
            config(role, Duration::from_secs(3)).unwrap();
        }
    }

    #[test]
    fn a_link_local_address_keeps_its_scope() {
        let address = "[fe80::1%2]:52414".parse().unwrap();
        let config = config(Role::Client(Locator::new(address)), Duration::from_secs(3)).unwrap();
        let endpoints = config.get_json("connect/endpoints").unwrap();
        assert!(endpoints.contains("tcp/[fe80::1%2]:52414"), "{endpoints}");
    }
}
