//! P13: how much longer a message takes because a member hears it and not a bare zenoh subscriber.
//!
//! One router, one publisher, and two listeners beside each other on loopback: a zenoh callback that counts, and a
//! member that has parsed the event, applied it to its replica and counted it as applied. The same 256 bytes; the median
//! of many.

use std::{
    net::TcpListener,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::SeqCst},
    },
    time::{Duration, Instant},
};

use anyhow::{Context, Result, anyhow, ensure};
use bench_race::{
    plan::Plan,
    race::{Contestant, Sample},
    row::{Bar, Field, Row, Spec, Unit},
    stats::{Statistic, median},
};
use exo_node::{
    discovery::{Link, Provider, SearchConfig},
    driver::{JoinOptions, Node, WhoAmI},
};
use exo_wire::Topic;
use zenoh::{Session, Wait, qos::CongestionControl};

const SIZE: usize = 256;
const PUTS: usize = 300;
const WITHIN: Duration = Duration::from_secs(5);

pub fn run(plan: &Plan) -> Vec<Row> {
    let spec = Spec {
        id: "P13",
        what: "put to callback, 256 bytes, through the member",
        unit: Unit::Cost { name: "us", scale: 1e6 },
        goal: "<= 1.2x bare zenoh",
        bars: &[Bar::Limit(1.0 / 1.2)],
        statistic: Statistic::Median,
    };
    let scene = Scene::build().map(Arc::new);
    let contestant = |name: &str, version: &str, sample: fn(&Scene) -> Result<f64>| match &scene {
        Ok(scene) => {
            let scene = scene.clone();
            let sample: Sample<'static> = Box::new(move || sample(&scene));
            Contestant::new(name, version, Ok(sample))
        }
        Err(error) => Contestant::absent(name, error),
    };
    let ours = contestant("ours", env!("CARGO_PKG_VERSION"), Scene::through_the_member);
    let limit = contestant("bare zenoh", "1.9.0", Scene::bare);
    vec![Field { spec, ours, limit: Some(limit), peers: Vec::new() }.run(plan.rounds(15))]
}

/// Everybody who takes part.
struct Scene {
    publisher: Session,
    node: Node,
    bare: Arc<AtomicU64>,
    next: AtomicU64,
    /// Kept open.
    _others: [Session; 2],
}

impl Scene {
    fn build() -> Result<Self> {
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let router = session("router", "listen", port)?;
        let publisher = session("client", "connect", port)?;
        let listener = session("client", "connect", port)?;
        let bare = Arc::new(AtomicU64::new(0));
        let counter = bare.clone();
        let count = move |_| {
            counter.fetch_add(1, SeqCst);
        };
        listener
            .declare_subscriber("bench/bare")
            .callback(count)
            .background()
            .wait()
            .map_err(|e| anyhow!(e))?;

        let link =
            Link::parse(&format!("exo://127.0.0.1:{port}")).map_err(|error| anyhow!("{error}"))?.confirm();
        let mut options = JoinOptions::new(WhoAmI::New);
        options.search =
            SearchConfig { link: Some(link), only: Some([Provider::Link].into()), ..SearchConfig::default() };
        options.listen_only = true;
        let node = Node::join(options)?;
        let scene = Self { publisher, node, bare, next: AtomicU64::new(0), _others: [router, listener] };
        let start = Instant::now();
        // The first event of a log needs no state to be applied upon. It is said until the member is there to hear it.
        while scene.node.stats().member.applied == 0 {
            ensure!(start.elapsed() < WITHIN, "the member applied nothing: {:?}", scene.node.state());
            scene.next.store(0, SeqCst);
            scene.put(Topic::GlobalEvents.key())?;
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(scene)
    }

    /// A global event of exactly that size, each with the next index.
    fn put(&self, key: &'static str) -> Result<()> {
        let index = self.next.fetch_add(1, SeqCst);
        let mut payload = format!(
            r#"{{"origin_idx":{index},"origin":"b","session":{{"master_node_id":"b","election_clock":0}},"event":{{"NodeGatheredInfo":{{"event_id":"{index}","node_id":"b","when":"","info":{{"MiscData":{{"friendly_name":""#
        );
        let end = r#""}}}}}"#;
        payload.push_str(&"x".repeat(SIZE.saturating_sub(payload.len() + end.len())));
        payload.push_str(end);
        ensure!(payload.len() == SIZE, "the payload has {} bytes", payload.len());
        let put = self.publisher.put(key, payload).congestion_control(CongestionControl::Block);
        put.wait().map_err(|error| anyhow!(error))
    }

    fn bare(&self) -> Result<f64> {
        // Not one of the log's: it begins where it is left off.
        let log = self.next.load(SeqCst);
        let median = self.median_of(PUTS, "bench/bare", || self.bare.load(SeqCst));
        self.next.store(log, SeqCst);
        median
    }

    fn through_the_member(&self) -> Result<f64> {
        self.median_of(PUTS, Topic::GlobalEvents.key(), || self.node.stats().member.applied)
    }

    fn median_of(&self, puts: usize, key: &'static str, heard: impl Fn() -> u64) -> Result<f64> {
        let mut seconds = Vec::with_capacity(puts);
        for _ in 0..puts {
            let before = heard();
            let start = Instant::now();
            self.put(key)?;
            while heard() == before {
                ensure!(start.elapsed() < WITHIN, "nothing was heard on {key}");
                std::hint::spin_loop();
            }
            seconds.push(start.elapsed().as_secs_f64());
        }
        median(&seconds).context("nothing was timed")
    }
}

fn session(mode: &str, direction: &str, port: u16) -> Result<Session> {
    let mut config = zenoh::Config::default();
    let settings = [
        ("mode", format!("{mode:?}")),
        ("scouting/multicast/enabled", "false".to_owned()),
        ("listen/endpoints", "[]".to_owned()),
        (&format!("{direction}/endpoints"), format!(r#"["tcp/127.0.0.1:{port}"]"#)),
    ];
    for (key, value) in settings {
        config.insert_json5(key, &value).map_err(|error| anyhow!(error))?;
    }
    zenoh::open(config).wait().map_err(|error| anyhow!(error))
}
