//! The links between the devices of a plan: those that were measured, and one assumption for the rest.

use std::collections::BTreeMap;

use exo_telemetry::{
    Reading, Source,
    placement::{Device, Link, LinkSpeed},
    topology::{self, Figure, Topology},
};

use super::{
    Participant,
    assumption::{Assumption, amount},
};

/// A link of which nothing is known: an ordinary Wi-Fi with others on it.
pub(super) const ASSUMED: LinkSpeed = LinkSpeed { latency_s: 5e-3, bytes_per_s: 20e6 };

/// The measured links between devices that may work, in both directions.
pub(super) fn between(
    devices: &[Device],
    participants: &BTreeMap<String, Participant>,
    topology: &Topology,
    assumptions: &mut Vec<Assumption>,
) -> Vec<Link> {
    let allowed: Vec<&str> = devices.iter().filter(|it| it.allowed).map(|it| it.id.as_str()).collect();
    let mut links = Vec::new();
    let (mut pairs, mut unmeasured) = (0, 0);
    for (place, one) in allowed.iter().enumerate() {
        for other in allowed.iter().skip(place + 1) {
            pairs += 1;
            let Some(link) = topology.link(one, other).filter(|link| is_known(link)) else {
                unmeasured += 1;
                continue;
            };
            note(link, participants, assumptions);
            links.extend([directed(link, one, other), directed(link, other, one)]);
        }
    }
    if unmeasured > 0 {
        let all =
            if unmeasured == pairs { "no link".to_owned() } else { format!("{unmeasured} of {pairs} links") };
        let negation = if unmeasured == pairs { "was measured" } else { "were not measured" };
        assumptions.push(assumed(format!("{all} {negation}"), taken(true, true), "an ordinary Wi-Fi"));
    }
    links
}

fn is_known(link: &topology::Link) -> bool {
    let rates = [&link.bandwidth_up, &link.bandwidth_down];
    link.latency_p50.get().is_some() || rates.iter().any(|rate| usable(rate.get()).is_some())
}

fn usable(figure: Option<Figure>) -> Option<f64> {
    figure.map(|figure| figure.value).filter(|value| value.is_finite() && *value > 0.0)
}

/// One way takes half of a round trip; what is lost is sent again.
fn directed(link: &topology::Link, from: &str, to: &str) -> Link {
    let latency =
        link.latency_p50.get().map(|figure| figure.value / 2.0).filter(|it| it.is_finite() && *it >= 0.0);
    let arrives = 1.0 - link.loss.get().map_or(0.0, |loss| loss.value.clamp(0.0, 0.99));
    let rate = usable(link.bandwidth_from(from).get()).map(|rate| rate * arrives);
    Link {
        from: from.to_owned(),
        to: to.to_owned(),
        latency_s: latency.unwrap_or(ASSUMED.latency_s),
        bytes_per_s: rate.unwrap_or(ASSUMED.bytes_per_s),
    }
}

/// Says what of a measured link is not measured.
fn note(link: &topology::Link, participants: &BTreeMap<String, Participant>, notes: &mut Vec<Assumption>) {
    let name = |id: &str| participants.get(id).map_or_else(|| id.to_owned(), |it| it.name.clone());
    let between = format!("between {} and {}", name(&link.from), name(&link.to));
    let rates = [&link.bandwidth_up, &link.bandwidth_down];
    let no_latency = link.latency_p50.get().is_none();
    let no_rate = rates.iter().any(|rate| usable(rate.get()).is_none());
    if no_latency || no_rate {
        let what = if no_latency { "the delay" } else { "the bandwidth" };
        let unknown = format!("{what} {between} was not measured both ways");
        notes.push(assumed(unknown, taken(no_latency, no_rate), "an ordinary Wi-Fi"));
    }
    let aged =
        [&link.latency_p50, rates[0], rates[1]].into_iter().find(|it| it.source() == Source::Estimated);
    if let Some(Reading::Estimated { how, .. }) = aged {
        notes.push(assumed(format!("the link {between} is an estimate"), "it is taken".to_owned(), how));
    }
}

fn taken(latency: bool, rate: bool) -> String {
    let latency = latency.then(|| format!("{:.0} ms", ASSUMED.latency_s * 1e3));
    let rate = rate.then(|| amount(ASSUMED.bytes_per_s, "B/s"));
    let parts: Vec<String> = latency.into_iter().chain(rate).collect();
    format!("{} assumed", parts.join(" and "))
}

fn assumed(unknown: String, taken: String, because: &str) -> Assumption {
    Assumption { about: "links".to_owned(), device: None, unknown, taken, because: because.to_owned() }
}
