//! The cluster as a graph: against brute force, as text and as pictures.

use std::{collections::BTreeSet, path::Path};

use exo_telemetry::{
    Random, Reading, Source, Timestamp,
    topology::{Figure, Link, LinkKind, Topology},
};

const AT: Timestamp = Timestamp(1_000);

fn measured(value: f64, error: f64) -> Reading<Figure> {
    Reading::measured(Figure::new(value, error), AT)
}

/// A link with this round trip in milliseconds and these megabits a second, there and back.
fn link(from: &str, to: &str, milliseconds: f64, there: f64, back: f64) -> Link {
    Link {
        peer_to_peer: Reading::measured(true, AT),
        latency_min: measured(milliseconds * 0.9e-3, 0.0),
        latency_p50: measured(milliseconds * 1e-3, milliseconds * 0.1e-3),
        jitter: measured(milliseconds * 0.1e-3, 0.0),
        loss: measured(0.0, 0.01),
        bandwidth_up: measured(there * 125e3, there * 12.5e3),
        bandwidth_down: measured(back * 125e3, back * 12.5e3),
        ..Link::unmeasured(from, to, LinkKind::Ethernet, AT)
    }
}

fn topology(links: impl IntoIterator<Item = Link>) -> Topology {
    let mut topology = Topology::new();
    links.into_iter().for_each(|link| topology.add_link(link));
    topology
}

/// Two Macs on a cable, phones on Wi-Fi behind one of them, and a node of exo of which only the round trip is known.
fn household() -> Topology {
    let wifi = |from, to, milliseconds, there, back| Link {
        kind: LinkKind::Wifi,
        ..link(from, to, milliseconds, there, back)
    };
    let mut topology = topology([
        Link { kind: LinkKind::Thunderbolt, ..link("mac mini", "mac studio", 0.3, 9400.0, 9400.0) },
        wifi("mac studio", "pixel", 4.2, 310.0, 280.0),
        wifi("mac studio", "iphone", 3.1, 420.0, 400.0),
        wifi("iphone", "pixel", 7.5, 140.0, 150.0),
        Link { loss: measured(0.021, 0.01), ..wifi("mac studio", "old phone", 21.0, 18.0, 24.0) },
    ]);
    let why = "exo's nodes do not answer trains";
    topology.add_link(Link {
        bandwidth_up: Reading::unavailable(why, AT),
        bandwidth_down: Reading::unavailable(why, AT),
        ..link("linux box", "mac studio", 0.8, 0.0, 0.0)
    });
    topology
}

#[test]
fn a_transfer_takes_half_a_round_trip_and_its_bytes_with_an_error() {
    let link = link("a", "b", 10.0, 100.0, 50.0);
    let there = link.transfer_time("a", 12_500_000).get().unwrap();
    let back = link.transfer_time("b", 12_500_000).get().unwrap();
    assert!((there.value - 1.005).abs() < 1e-9 && (back.value - 2.005).abs() < 1e-9, "{there:?} {back:?}");
    // A tenth of the second, and a tenth of the 5 ms that hardly matter.
    assert!((there.error - 0.1f64.hypot(0.0005)).abs() < 1e-9, "{there:?}");
}

#[test]
fn a_transfer_over_what_was_not_measured_says_so() {
    let topology = household();
    let over_exo = topology.transfer_time("linux box", "mac studio", 1, AT);
    assert_eq!(over_exo.why(), Some("the bandwidth is not known: exo's nodes do not answer trains"));
    let no_link = topology.transfer_time("pixel", "old phone", 1, AT);
    assert_eq!(no_link.why(), Some("no link between pixel and old phone is known"));
    assert_eq!(topology.transfer_time("pixel", "pixel", 1 << 40, AT).get().unwrap().value, 0.0);
    let old = Reading::estimated(Figure::new(1e6, 5e5), "measured 8 minutes ago", AT);
    let faded = Link { bandwidth_up: old, ..link("a", "b", 1.0, 1.0, 1.0) };
    assert_eq!(faded.transfer_time("a", 1000).source(), Source::Estimated);
    assert_eq!(
        Link::unmeasured("a", "b", LinkKind::Usb, AT).transfer_time("a", 1).source(),
        Source::Unavailable
    );
}

#[test]
fn loss_makes_a_transfer_longer() {
    let lossy = Link { loss: measured(0.5, 0.1), ..link("a", "b", 0.0, 8.0, 8.0) };
    assert!((lossy.transfer_time("a", 1_000_000).get().unwrap().value - 2.0).abs() < 1e-9);
    let dead = Link { loss: measured(1.0, 0.1), ..link("a", "b", 0.0, 8.0, 8.0) };
    assert!(dead.transfer_time("a", 1_000_000).get().unwrap().value.is_finite());
}

#[test]
fn the_household_is_seen_as_it_is() {
    let analysis = household().analyse();
    let far = analysis.diameter.unwrap();
    assert_eq!((far.from.as_str(), far.to.as_str(), far.hops), ("old phone", "pixel", 2));
    assert!((far.round_trip - 0.0252).abs() < 1e-9);
    assert_eq!(analysis.cut_devices, ["mac studio"]);
    assert_eq!(analysis.parts, 1);
    let narrow: Vec<_> =
        analysis.bottlenecks.iter().map(|link| (link.from.as_str(), link.to.as_str())).collect();
    assert_eq!(narrow, [("mac studio", "old phone")]);
    let rates = [9400.0, 9400.0, 310.0, 280.0, 420.0, 400.0, 140.0, 150.0, 18.0, 24.0];
    let mean = rates.iter().sum::<f64>() / 10.0 * 125e3;
    assert!((analysis.average_bandwidth.unwrap() / mean - 1.0).abs() < 1e-12);
}

#[test]
fn nothing_is_made_of_nothing() {
    let empty = Topology::new().analyse();
    assert_eq!((empty.parts, empty.diameter, empty.average_bandwidth), (0, None, None));
    let mut alone = Topology::new();
    alone.add_device("a");
    alone.add_link(link("a", "a", 1.0, 1.0, 1.0));
    assert_eq!(alone.links().len(), 0, "a link to oneself says nothing");
    alone.add_link(Link::unmeasured("a", "b", LinkKind::Unknown, AT));
    let analysis = alone.analyse();
    assert_eq!((analysis.parts, analysis.diameter, analysis.average_bandwidth), (1, None, None));
    alone.remove_device("b");
    assert_eq!((alone.devices().len(), alone.links().len()), (1, 0));
    assert!(Topology::new().svg().starts_with("<svg"));
}

#[test]
fn of_two_who_measured_a_link_the_better_informed_is_believed() {
    let newer = |mut link: Link, at| {
        link.latency_p50 = Reading::measured(Figure::new(0.5, 0.0), Timestamp(at));
        link
    };
    let ends = ["a", "b"];
    let latency = |topology: &Topology| topology.link("b", "a").unwrap().latency_p50.get().unwrap().value;
    let mut topology = topology([link(ends[0], ends[1], 10.0, 1.0, 1.0)]);
    topology.add_link(newer(link(ends[1], ends[0], 10.0, 1.0, 1.0), 2_000));
    assert_eq!(latency(&topology), 0.5, "newer");
    topology.add_link(link(ends[0], ends[1], 10.0, 1.0, 1.0));
    assert_eq!(latency(&topology), 0.5, "older");
    let mut blind = newer(Link::unmeasured("a", "b", LinkKind::Wifi, AT), 9_000);
    blind.latency_p50 = Reading::measured(Figure::new(0.7, 0.0), Timestamp(9_000));
    topology.add_link(blind);
    assert_eq!(latency(&topology), 0.5, "newer, but it knows no bandwidth");
}

#[test]
fn a_position_is_what_the_score_wants_to_know() {
    let topology = household();
    let studio = topology.position("mac studio", AT);
    assert!((studio.round_trip.get().unwrap() - 3.1e-3).abs() < 1e-9);
    assert!(
        (studio.bandwidth.get().unwrap() / 125e3 - 365.0).abs() < 1e-6,
        "the middle of 9400, 420, 310, 18"
    );
    assert_eq!(topology.position("linux box", AT).bandwidth.why(), Some("no link was measured"));
    assert_eq!(topology.position("nobody", AT).round_trip.source(), Source::Unavailable);
}

#[allow(clippy::needless_range_loop, reason = "a matrix is indexed")]
/// A random graph, its adjacency with round trips in milliseconds.
fn any_graph(random: &mut Random) -> (Topology, Vec<Vec<Option<f64>>>) {
    let count = 1 + random.below(9) as usize;
    let mut near = vec![vec![None; count]; count];
    let mut topology = Topology::new();
    for one in 0..count {
        topology.add_device(one.to_string());
        for other in 0..one {
            if random.below(3) == 0 {
                let time = 1.0 + random.below(50) as f64;
                (near[one][other], near[other][one]) = (Some(time), Some(time));
                let rate = 1.0 + random.below(1000) as f64;
                topology.add_link(link(&one.to_string(), &other.to_string(), time, rate, rate));
            }
        }
    }
    (topology, near)
}

/// How many parts are left without this device.
fn parts(near: &[Vec<Option<f64>>], without: Option<usize>) -> usize {
    let mut left: BTreeSet<usize> = (0..near.len()).filter(|device| Some(*device) != without).collect();
    let mut parts = 0;
    while let Some(start) = left.pop_first() {
        parts += 1;
        let mut open = vec![start];
        while let Some(device) = open.pop() {
            let found: Vec<_> = left.iter().copied().filter(|other| near[device][*other].is_some()).collect();
            left.retain(|other| !found.contains(other));
            open.extend(found);
        }
    }
    parts
}

#[test]
fn parts_and_cut_devices_agree_with_taking_each_device_away() {
    let mut random = Random::seeded(21);
    for _ in 0..2_000 {
        let (topology, near) = any_graph(&mut random);
        let analysis = topology.analyse();
        let whole = parts(&near, None);
        // Without a device that stood alone there is one part less, not more.
        let cut: Vec<_> = (0..near.len())
            .filter(|device| parts(&near, Some(*device)) > whole)
            .map(|device| device.to_string())
            .collect();
        assert_eq!((analysis.parts, analysis.cut_devices), (whole, cut), "{near:?}");
    }
}

#[test]
fn the_diameter_agrees_with_all_shortest_paths() {
    let mut random = Random::seeded(22);
    for _ in 0..2_000 {
        let (topology, near) = any_graph(&mut random);
        let count = near.len();
        let mut time = vec![vec![f64::INFINITY; count]; count];
        for (one, row) in near.iter().enumerate() {
            for (other, step) in row.iter().enumerate() {
                time[one][other] = step.unwrap_or(f64::INFINITY);
            }
        }
        for middle in 0..count {
            for one in 0..count {
                for other in 0..count {
                    time[one][other] = time[one][other].min(time[one][middle] + time[middle][other]);
                }
            }
        }
        let pairs = (0..count).flat_map(|one| (0..one).map(move |other| (one, other)));
        let longest =
            pairs.map(|(one, other)| time[one][other]).filter(|time| time.is_finite()).reduce(f64::max);
        let found = topology.analyse().diameter.map(|far| far.round_trip * 1e3);
        assert!(
            match (found, longest) {
                (Some(found), Some(longest)) => (found - longest).abs() < 1e-9,
                (found, longest) => found == longest,
            },
            "{found:?} {longest:?}"
        );
    }
}

#[test]
fn a_long_chain_needs_no_deep_stack() {
    let chain = topology((0..20_000).map(|number| {
        Link::unmeasured(format!("{number:05}"), format!("{:05}", number + 1), LinkKind::Usb, AT)
    }));
    let analysis = chain.analyse();
    assert_eq!((analysis.parts, analysis.cut_devices.len()), (1, 19_999));
}

#[test]
fn names_that_would_break_out_of_a_picture_do_not() {
    let topology = topology([link("<script>\"&", "a\\\"b\n", 1.0, 1.0, 1.0)]);
    let (svg, dot) = (topology.svg(), topology.dot());
    assert!(svg.contains("&lt;script&gt;&quot;&amp;") && !svg.contains("<script>"), "{svg}");
    assert!(dot.contains(r#""a\\\"b" "#) || dot.contains(r#""a\\\"b" ["#), "{dot}");
}

#[test]
fn links_travel_as_json() {
    let before = link("a", "b", 10.0, 100.0, 50.0);
    let text = serde_json::to_string(&before).unwrap();
    assert!(
        text.contains(
            r#""latency_p50":{"source":"measured","value":{"value":0.01,"error":0.001},"at":1000}"#
        ),
        "{text}"
    );
    assert_eq!(serde_json::from_str::<Link>(&text).unwrap(), before);
}

/// The summary and the picture in docs/ are what the code makes today. `EXO_BLESS=1` writes them anew.
#[test]
fn the_documents_show_what_the_code_makes() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let topology = household();
    let picture = docs.join("images/topology.svg");
    if std::env::var_os("EXO_BLESS").is_some() {
        std::fs::write(&picture, topology.svg()).unwrap();
        println!("{}\n{}", topology.summary(), topology.dot());
    }
    assert_eq!(std::fs::read_to_string(picture).unwrap_or_default(), topology.svg(), "run with EXO_BLESS=1");
    let page = std::fs::read_to_string(docs.join("topology.md")).unwrap_or_default();
    assert!(page.contains(&topology.summary()), "docs/topology.md should show:\n{}", topology.summary());
}
