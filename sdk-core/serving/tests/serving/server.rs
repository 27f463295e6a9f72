//! A server of the tiny model in memory, and the client that asks it.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::PathBuf,
    sync::{Arc, Condvar, Mutex},
};

use exo_models::{Fetcher, Flow, Head, Options, Receiver, Request, Unfetched};
use exo_serving::Supply;
use sha1::{Digest, Sha1};

use crate::stage::{directory, own_directory};

const WEIGHTS: &str = "model.safetensors";

/// A server with one model, and the directory into which it goes.
pub(crate) struct Server {
    pub(crate) root: PathBuf,
    files: BTreeMap<String, Vec<u8>>,
    mood: Mutex<Mood>,
    changed: Condvar,
}

#[derive(Default)]
struct Mood {
    /// What all requests are answered with, instead of what they ask for.
    status: Option<u16>,
    /// So many answers with weights are cut in the middle.
    cuts: u32,
    /// Weights come to the middle, and no further.
    holds: bool,
    unwanted: BTreeSet<u64>,
    /// Files that were asked for, and from which byte on.
    asked: Vec<(String, usize)>,
}

impl Server {
    /// Nothing of the test's earlier runs is there.
    pub(crate) fn new() -> Arc<Self> {
        Self::with(|_| {})
    }

    pub(crate) fn with(change: impl FnOnce(&mut BTreeMap<String, Vec<u8>>)) -> Arc<Self> {
        let root = own_directory("fetched");
        let _ = fs::remove_dir_all(&root);
        let listed = fs::read_dir(directory()).unwrap().map(|entry| entry.unwrap());
        let file =
            |entry: fs::DirEntry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap());
        let mut files = listed.map(file).collect();
        change(&mut files);
        Arc::new(Self { root, files, mood: Mutex::default(), changed: Condvar::new() })
    }

    pub(crate) fn supply(self: &Arc<Self>) -> Supply {
        let options = Options { reserve: 0, attempts: 2, ..Options::default() };
        Supply::new(&self.root, exo_models::Server::hugging_face(), self.clone()).with(options)
    }

    pub(crate) fn says(&self, status: u16) {
        self.mood.lock().unwrap().status = Some(status);
    }

    pub(crate) fn cuts(&self, answers: u32) {
        self.mood.lock().unwrap().cuts = answers;
    }

    pub(crate) fn holds(&self, holds: bool) {
        self.mood.lock().unwrap().holds = holds;
        self.changed.notify_all();
    }

    /// From which bytes on the weights were asked for.
    pub(crate) fn asked_for_weights(&self) -> Vec<usize> {
        let mood = self.mood.lock().unwrap();
        mood.asked.iter().filter(|(name, _)| name == WEIGHTS).map(|(_, from)| *from).collect()
    }

    fn list(&self) -> Vec<u8> {
        let file = |(name, bytes): (&String, &Vec<u8>)| {
            format!(
                r#"{{"type": "file", "path": "{name}", "size": {}, "oid": "{}"}}"#,
                bytes.len(),
                git(bytes)
            )
        };
        format!("[{}]", self.files.iter().map(file).collect::<Vec<_>>().join(", ")).into_bytes()
    }
}

/// What git calls these bytes.
fn git(bytes: &[u8]) -> String {
    let mut hash = Sha1::new();
    hash.update(format!("blob {}\0", bytes.len()));
    hash.update(bytes);
    hash.finalize().iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
}

impl Fetcher for Server {
    fn get(&self, request: &Request, into: &Arc<dyn Receiver>) -> Result<(), Unfetched> {
        let head = |status, headers| {
            let head = Head { status, url: request.url.clone(), headers };
            into.head(head) == Flow::Continue
        };
        let name = request.url.rsplit('/').next().unwrap();
        let listed = request.url.contains("/api/models/").then(|| self.list());
        let range = request.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("range"));
        let from = range.and_then(|(_, range)| range.strip_prefix("bytes=")?.split('-').next()?.parse().ok());
        let from: usize = from.unwrap_or(0);
        let (is_cut, holds) = {
            let mut mood = self.mood.lock().unwrap();
            mood.asked.push((name.to_owned(), from));
            if let Some(status) = mood.status {
                head(status, Vec::new());
                return Ok(());
            }
            let is_cut = name == WEIGHTS && mood.cuts > 0;
            mood.cuts -= u32::from(is_cut);
            (is_cut, name == WEIGHTS && mood.holds)
        };
        let Some(body) = listed.or_else(|| self.files.get(name).cloned()) else {
            head(404, Vec::new());
            return Ok(());
        };
        let (total, middle) = (body.len(), from + (body.len() - from) / 2);
        let mut headers = vec![("content-length".to_owned(), (total - from).to_string())];
        if from > 0 {
            headers.push(("content-range".to_owned(), format!("bytes {from}-{}/{total}", total - 1)));
        }
        if !head(if from > 0 { 206 } else { 200 }, headers) || into.chunk(&body[from..middle]) == Flow::Stop {
            return Ok(());
        }
        if is_cut {
            return Err(Unfetched("cut on purpose".into()));
        }
        if holds {
            let mood = self.mood.lock().unwrap();
            drop(self.changed.wait_while(mood, |mood| mood.holds && !mood.unwanted.contains(&request.id)));
        }
        let _ = into.chunk(&body[middle..]);
        Ok(())
    }

    fn cancel(&self, id: u64) {
        self.mood.lock().unwrap().unwanted.insert(id);
        self.changed.notify_all();
    }
}
