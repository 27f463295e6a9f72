//! A small exo for the driver's tests: a zenoh router on loopback with a master that orders and repeats, written with
//! zenoh's own interface and nothing of ours.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::{Value, json};
use zenoh::{Config, Session, Wait, sample::Sample};

/// What the master has taken so far.
#[derive(Debug, Default)]
struct Log {
    /// Local events in the order in which they came.
    heard: Vec<Value>,
    /// Global events by their index.
    said: Vec<Value>,
    /// Whether what it hears is not said again.
    is_deaf: bool,
}

/// A running exo. Dropping it is a crash: no goodbye to anybody.
pub(crate) struct Exo {
    session: Session,
    log: Arc<Mutex<Log>>,
    beat: tokio::task::JoinHandle<()>,
    pub(crate) port: u16,
}

impl Exo {
    /// An exo with this id as master, at a port that the system chose.
    pub(crate) async fn start(master: &'static str) -> Self {
        Self::start_at(master, free_port()).await
    }

    /// The same at this port.
    pub(crate) async fn start_at(master: &'static str, port: u16) -> Self {
        let session = zenoh::open(config(port)).await.unwrap();
        let log = Arc::new(Mutex::new(Log::default()));
        let (inner, answers) = (log.clone(), session.clone());
        session
            .declare_subscriber("topics/local_events")
            .callback(move |sample: Sample| {
                let local: Value = serde_json::from_slice(&sample.payload().to_bytes()).unwrap();
                let is_deaf = {
                    let mut log = inner.lock().unwrap();
                    log.heard.push(local.clone());
                    log.is_deaf
                };
                if !is_deaf && local["session"]["master_node_id"] == master {
                    say(&answers, &inner, master, &local["event"]);
                }
            })
            .background()
            .await
            .unwrap();
        let (inner, beats) = (log.clone(), session.clone());
        let beat = tokio::spawn(async move {
            for number in 0u64.. {
                let event = json!({ "NodeGatheredInfo": {
                    "event_id": format!("beat-{master}-{number}"), "node_id": master,
                    "when": "2026-06-22T10:00:00.000000+00:00", "info": { "NodeConfig": {} },
                } });
                say(&beats, &inner, master, &event);
                tokio::time::sleep(Duration::from_millis(300)).await;
            }
        });
        Self { session, log, beat, port }
    }

    /// The link that leads here.
    pub(crate) fn link(&self) -> String {
        // Nothing serves /state at port 1.
        self.link_with(1)
    }

    /// The same, with HTTP at this port.
    pub(crate) fn link_with(&self, api: u16) -> String {
        format!("exo://127.0.0.1:{}?api={api}", self.port)
    }

    /// The local events so far.
    pub(crate) fn heard(&self) -> Vec<Value> {
        self.log.lock().unwrap().heard.clone()
    }

    /// The id of its router, as discovery tells it.
    pub(crate) fn zid(&self) -> [u8; 16] {
        self.session.zid().to_le_bytes()
    }

    /// From now on nothing is acknowledged.
    pub(crate) fn turn_deaf(&self) {
        self.log.lock().unwrap().is_deaf = true;
    }

    /// Ends it as a killed process ends: the sockets close.
    pub(crate) async fn kill(self) {
        self.beat.abort();
        self.session.close().await.unwrap();
    }
}

impl Drop for Exo {
    fn drop(&mut self) {
        self.beat.abort();
    }
}

fn say(session: &Session, log: &Mutex<Log>, master: &str, event: &Value) {
    let mut log = log.lock().unwrap();
    let global = json!({
        "origin_idx": log.said.len(), "origin": master,
        "session": { "master_node_id": master, "election_clock": 1 }, "event": event,
    });
    log.said.push(global.clone());
    session.put("topics/global_events", global.to_string()).wait().unwrap();
}

fn config(port: u16) -> Config {
    let mut config = Config::default();
    for (key, value) in [
        ("mode", r#""router""#.to_owned()),
        ("listen/endpoints", format!(r#"["tcp/127.0.0.1:{port}"]"#)),
        ("scouting/multicast/enabled", "false".to_owned()),
    ] {
        config.insert_json5(key, &value).unwrap();
    }
    config
}

fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}
