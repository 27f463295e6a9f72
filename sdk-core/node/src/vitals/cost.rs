//! What a byte of the network costs.

use exo_telemetry::reading::{NetworkKind, NetworkReadings};

/// Why bytes may cost the owner money, if they may. The system's own word counts before ours; where it has none, cables
/// and Wi-Fi cost nothing as a rule, and what nobody knows is not tried out with a model of some gigabytes.
pub(super) fn costly(network: &NetworkReadings) -> Option<String> {
    let why = match (network.metered.get(), network.kind.get()) {
        (Some(true), _) => "this network costs money",
        (Some(false), _) | (None, Some(NetworkKind::Wifi | NetworkKind::Ethernet)) => return None,
        (None, Some(NetworkKind::Cellular)) => "mobile networks cost money, as a rule",
        (None, Some(NetworkKind::None)) => "there is no network",
        (None, Some(NetworkKind::Other) | None) => "it is not known what this network costs",
    };
    Some(why.to_owned())
}

#[cfg(test)]
mod tests {
    use exo_telemetry::{
        Readings,
        reading::{Reading, Timestamp},
    };

    use super::*;

    fn on(kind: Option<NetworkKind>, metered: Option<bool>) -> Option<String> {
        let mut network = Readings::unavailable("a test", Timestamp::default()).network;
        if let Some(kind) = kind {
            network.kind = Reading::measured(kind, Timestamp::default());
        }
        if let Some(metered) = metered {
            network.metered = Reading::measured(metered, Timestamp::default());
        }
        costly(&network)
    }

    #[test]
    fn the_systems_word_counts_before_what_is_usual() {
        assert_eq!(on(Some(NetworkKind::Cellular), Some(false)), None, "a contract without a limit");
        assert!(on(Some(NetworkKind::Wifi), Some(true)).is_some(), "somebody's hotspot");
    }

    #[test]
    fn without_its_word_cables_and_wifi_are_free_and_nothing_else() {
        for free in [NetworkKind::Wifi, NetworkKind::Ethernet] {
            assert_eq!(on(Some(free), None), None, "{free:?}");
        }
        for not in [Some(NetworkKind::Cellular), Some(NetworkKind::Other), Some(NetworkKind::None), None] {
            assert!(on(not, None).is_some(), "{not:?}");
        }
    }
}
