//! Measures the link between two machines, as members of this SDK do.
//!
//! ```text
//! link_probe serve   0.0.0.0:52900               on one machine
//! link_probe measure 192.168.1.7:52900           on the other; prints the link as JSON
//! link_probe measure 192.168.1.7:52900 --within 60 --budget-factor 20
//! ```
//! Without `--budget-factor` a measurement takes up to three minutes: it stays within 1% of the link and 64 KiB/s. Both
//! sides need the factor. Use it only on networks of your own.

use std::{
    error::Error,
    net::SocketAddr,
    process::ExitCode,
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant, SystemTime},
};

use exo_node::{
    Now, Random,
    now::Moment,
    probing::{Answerer, Clock, perform, tell},
};
use exo_telemetry::{
    reading::NetworkKind,
    topology::{LinkKind, LinkProber, PeerKind, ProbeLimits, Topology},
};

const USAGE: &str = "usage: link_probe serve|measure ADDRESS:PORT [--within SECONDS] [--budget-factor N]";

struct Options {
    serve: bool,
    address: SocketAddr,
    within: Duration,
    factor: f64,
}

fn main() -> ExitCode {
    let done = options()
        .map_err(Into::into)
        .and_then(|options| if options.serve { serve(&options) } else { measure(&options) });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn options() -> Result<Options, String> {
    let mut words = std::env::args().skip(1);
    let serve = match words.next().as_deref() {
        Some("serve") => true,
        Some("measure") => false,
        _ => return Err(USAGE.into()),
    };
    let address = words.next().ok_or(USAGE)?;
    let address = address.parse().map_err(|_| format!("{address} is no address with a port; {USAGE}"))?;
    let mut options = Options { serve, address, within: Duration::from_mins(3), factor: 1.0 };
    while let Some(word) = words.next() {
        let number = words.next().and_then(|text| text.parse::<f64>().ok()).filter(|number| *number > 0.0);
        match (word.as_str(), number) {
            ("--within", Some(seconds)) => options.within = Duration::from_secs_f64(seconds.min(3600.0)),
            ("--budget-factor", Some(factor)) => options.factor = factor.min(1e4),
            _ => return Err(format!("{word} is no option, or has no number; {USAGE}")),
        }
    }
    Ok(options)
}

fn clock() -> Clock {
    let started = Instant::now();
    Arc::new(move || Now {
        mono: Moment::after_start(started.elapsed()),
        wall: SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default(),
    })
}

fn prober(own: &str, options: &Options, now: Now) -> LinkProber {
    let limits = ProbeLimits::default().times(options.factor);
    let mut prober = LinkProber::new(own, limits, now.mono, Random::seeded(u64::from(std::process::id())));
    prober.network(Some(NetworkKind::Ethernet), Some(false));
    prober
}

fn serve(options: &Options) -> Result<(), Box<dyn Error>> {
    let clock = clock();
    let prober = Arc::new(Mutex::new(prober("there", options, clock())));
    let answerer = Answerer::start(options.address, prober, clock)?;
    println!("{}", serde_json::json!({ "say": "ready", "address": answerer.address() }));
    loop {
        thread::park();
    }
}

fn measure(options: &Options) -> Result<(), Box<dyn Error>> {
    const PEER: &str = "there";
    let clock = clock();
    // The name that comes first in the alphabet is the one that sends trains.
    let mut prober = prober("here", options, clock());
    prober.peer_seen(clock().mono, PEER, PeerKind::Sdk, LinkKind::Unknown);
    while clock().mono.since_start() < options.within && !prober.is_settled(PEER) {
        let now = clock();
        let Some(order) = prober.poll(now.mono) else {
            let due = prober.deadline(now.mono).map_or(Duration::from_secs(1), |due| due.since(now.mono));
            thread::sleep(due.clamp(Duration::from_millis(1), Duration::from_secs(1)));
            continue;
        };
        let outcome = perform(&order, options.address);
        eprintln!("{:7.3} s  {:?}  {outcome:?}", clock().mono.since_start().as_secs_f64(), order.work);
        tell(&mut prober, clock(), &order, &outcome);
    }
    let now = clock();
    let mut topology = Topology::new();
    prober.links(now).into_iter().for_each(|link| topology.add_link(link));
    eprint!("{}", topology.summary());
    let link = topology.link("here", PEER);
    println!(
        "{}",
        serde_json::json!({
            "say": "measured", "seconds": now.mono.since_start().as_secs_f64(),
            "complete": prober.is_measured(PEER), "link": link,
        })
    );
    if prober.is_measured(PEER) {
        Ok(())
    } else {
        Err("not measured in time; the lines above say why".into())
    }
}
