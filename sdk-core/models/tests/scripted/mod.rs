//! A model, a disk in memory, and a server that does what a story tells it: everything around a [`Download`], in
//! virtual time.
#![allow(dead_code, reason = "each file of tests uses some of it")]

use std::{
    collections::{BTreeMap, VecDeque},
    io,
    path::{Path, PathBuf},
    sync::LazyLock,
    time::{Duration, Instant},
};

use exo_models::{
    Digest, Disk, Download, Error, Form, Head, Input, Listed, Options, Output, Progress, Request, Source,
    Transfer,
};
use sha1::{Digest as _, Sha1};
use sha2::Sha256;

pub(crate) const BASE: &str = "https://models.test";
pub(crate) const INDEX: &str = "model.safetensors.index.json";
pub(crate) const SHARD: &str = "model-00001-of-00002.safetensors";
pub(crate) const OTHER_SHARD: &str = "model-00002-of-00002.safetensors";

/// Files with their true bytes.
#[derive(Clone, Default)]
pub(crate) struct Model(pub(crate) BTreeMap<String, Vec<u8>>);

impl Model {
    /// Settings, text, an index and two shards; and what nobody needs.
    pub(crate) fn tiny() -> Self {
        static TINY: LazyLock<Model> = LazyLock::new(|| Model::of(3_000_000, 1_000_000));
        TINY.clone()
    }

    /// The same with shards of that many bytes.
    pub(crate) fn of(shard: u32, other: u32) -> Self {
        let index = format!(r#"{{"metadata":{{}},"weight_map":{{"a":"{SHARD}","b":"{OTHER_SHARD}"}}}}"#);
        let bytes = |seed: u32, length: u32| {
            (0..length).map(|i| (i.wrapping_mul(seed) >> 7) as u8).collect::<Vec<u8>>()
        };
        Self::default()
            .with("config.json", b"{\"model_type\":\"llama\"}".to_vec())
            .with("tokenizer.json", b"{\"model\":{}}".to_vec())
            .with("chat_template.jinja", Vec::new())
            .with(INDEX, index.into_bytes())
            .with(SHARD, bytes(2_654_435_761, shard))
            .with(OTHER_SHARD, bytes(40_503, other))
            .with("model-old.safetensors", b"not in the index".to_vec())
            .with("README.md", b"# Tiny".to_vec())
    }

    pub(crate) fn with(mut self, name: &str, bytes: Vec<u8>) -> Self {
        self.0.insert(name.into(), bytes);
        self
    }

    pub(crate) fn without(mut self, name: &str) -> Self {
        self.0.remove(name);
        self
    }

    /// The files that the engine needs of it.
    pub(crate) fn needed(&self) -> Vec<&str> {
        let is_needed = |name: &&str| !["model-old.safetensors", "README.md"].contains(name);
        self.0.keys().map(String::as_str).filter(is_needed).collect()
    }

    /// As Hugging Face lists it.
    pub(crate) fn list(&self) -> Vec<u8> {
        let entry = |(name, bytes): (&String, &Vec<u8>)| {
            let (size, git) = (bytes.len(), hex(&git_sha1(bytes)));
            let lfs = name.ends_with(".safetensors").then(|| {
                format!(
                    r#","lfs":{{"oid":"{}","size":{size},"pointerSize":134}}"#,
                    hex(&Sha256::digest(bytes))
                )
            });
            format!(
                r#"{{"type":"file","oid":"{git}","size":{size},"path":"{name}"{}}}"#,
                lfs.unwrap_or_default()
            )
        };
        format!("[{}]", self.0.iter().map(entry).collect::<Vec<_>>().join(",")).into_bytes()
    }
}

pub(crate) fn git_sha1(bytes: &[u8]) -> Vec<u8> {
    let mut sha = Sha1::new();
    sha.update(format!("blob {}\0", bytes.len()));
    sha.update(bytes);
    sha.finalize().to_vec()
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

/// A directory in memory.
#[derive(Default)]
pub(crate) struct Memory {
    pub(crate) files: BTreeMap<(String, Form), Vec<u8>>,
    pub(crate) known: BTreeMap<String, Listed>,
    pub(crate) free: Option<u64>,
    /// Writes fail as if it were full once so many bytes were written.
    pub(crate) full_after: Option<u64>,
    pub(crate) written: u64,
}

impl Memory {
    pub(crate) fn whole(&self, name: &str) -> Option<&[u8]> {
        self.files.get(&(name.into(), Form::Whole)).map(Vec::as_slice)
    }

    pub(crate) fn part(&self, name: &str) -> Option<&[u8]> {
        self.files.get(&(name.into(), Form::Part)).map(Vec::as_slice)
    }

    pub(crate) fn put_part(&mut self, name: &str, bytes: &[u8]) {
        self.files.insert((name.into(), Form::Part), bytes.to_vec());
    }

    /// What this crate promises, whatever a server does.
    pub(crate) fn assert_names_are_true(&self, model: &Model) {
        for ((name, form), bytes) in &self.files {
            if *form == Form::Whole {
                assert!(
                    model.0.get(name) == Some(bytes),
                    "{name} has its final name and other bytes than were promised"
                );
            }
        }
    }
}

impl Disk for Memory {
    fn place(&self) -> &Path {
        Path::new("/models/tiny")
    }

    fn free_bytes(&self) -> Option<u64> {
        self.free
    }

    fn size(&self, name: &str, form: Form) -> io::Result<Option<u64>> {
        Ok(self.files.get(&(name.into(), form)).map(|bytes| bytes.len() as u64))
    }

    fn read(&self, name: &str, form: Form, at: u64, most: usize) -> io::Result<Vec<u8>> {
        let bytes = self.files.get(&(name.into(), form)).ok_or(io::ErrorKind::NotFound)?;
        let from = bytes.len().min(at as usize);
        Ok(bytes[from..bytes.len().min(from + most)].to_vec())
    }

    fn write(&mut self, name: &str, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.written += bytes.len() as u64;
        if self.full_after.is_some_and(|most| self.written > most) {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let file = self.files.entry((name.into(), Form::Part)).or_default();
        assert!(at <= file.len() as u64, "a hole in {name}");
        file.truncate(at as usize);
        file.extend_from_slice(bytes);
        Ok(())
    }

    fn discard(&mut self, name: &str, form: Form) -> io::Result<()> {
        self.files.remove(&(name.into(), form));
        Ok(())
    }

    fn seal(&mut self, name: &str) -> io::Result<()> {
        let bytes = self.files.remove(&(name.into(), Form::Part)).ok_or(io::ErrorKind::NotFound)?;
        self.files.insert((name.into(), Form::Whole), bytes);
        Ok(())
    }

    fn recall(&self) -> BTreeMap<String, Listed> {
        self.known.clone()
    }

    fn remember(&mut self, files: &BTreeMap<String, Listed>) -> io::Result<()> {
        self.known.clone_from(files);
        Ok(())
    }
}

/// What a server does with one request.
#[derive(Clone, Debug)]
pub(crate) enum Act {
    /// What a good server does.
    Serve,
    /// This status and nothing more.
    Status(u16),
    /// This status with headers.
    Says(u16, Vec<(&'static str, String)>),
    /// So many bytes of the right answer, then the connection is cut.
    CutAfter(usize),
    /// So many bytes, then an orderly end.
    EndAfter(usize),
    /// So many bytes, then silence.
    SilentAfter(usize),
    /// A byte every so often, for ever.
    Dribble(Duration),
    /// Right in everything, but one byte is another.
    Flip,
    /// The right bytes, and then more and more.
    Endless,
    /// All of it, although a range was asked for.
    IgnoreRange,
    /// A range, but from somewhere else.
    WrongRange,
    /// With these headers instead of its own, whatever they mean.
    With(Vec<(&'static str, String)>),
    /// Says that it came from there.
    From(String),
    /// No connection.
    Refuse,
}

struct Live {
    id: Transfer,
    at: Instant,
    left: VecDeque<Step>,
    is_over: bool,
}

enum Step {
    Head(Head),
    Chunk(Vec<u8>),
    End,
    Broken(&'static str),
    Dribble(Duration),
}

/// A world with one download in it.
pub(crate) struct World {
    pub(crate) model: Model,
    pub(crate) disk: Memory,
    pub(crate) start: Instant,
    pub(crate) now: Instant,
    pub(crate) options: Options,
    /// What happens to the next requests for a file (or `list`), in order; afterwards it is served.
    pub(crate) script: BTreeMap<String, VecDeque<Act>>,
    /// What happens to every request that no script is left for.
    pub(crate) otherwise: Box<dyn FnMut(&str) -> Act>,
    pub(crate) list: Option<Vec<u8>>,
    pub(crate) list_headers: Vec<(&'static str, String)>,
    /// Every request: the file or `list`, and its range.
    pub(crate) asked: Vec<(String, Option<String>)>,
    pub(crate) requests: Vec<Request>,
    pub(crate) most_at_once: usize,
    pub(crate) progress: Vec<Progress>,
    pub(crate) token: Option<&'static str>,
    pub(crate) cancel_at: Option<u64>,
    pub(crate) dropped: usize,
}

impl World {
    pub(crate) fn new() -> Self {
        Self::with(Model::tiny())
    }

    pub(crate) fn with(model: Model) -> Self {
        let now = Instant::now();
        Self {
            model,
            disk: Memory::default(),
            start: now,
            now,
            options: Options::default(),
            script: BTreeMap::new(),
            otherwise: Box::new(|_| Act::Serve),
            list: None,
            list_headers: Vec::new(),
            asked: Vec::new(),
            requests: Vec::new(),
            most_at_once: 0,
            progress: Vec::new(),
            token: None,
            cancel_at: None,
            dropped: 0,
        }
    }

    pub(crate) fn on(mut self, file: &str, acts: &[Act]) -> Self {
        self.script.entry(file.into()).or_default().extend(acts.iter().cloned());
        self
    }

    pub(crate) fn always(mut self, file: &'static str, act: Act) -> Self {
        self.otherwise = Box::new(move |asked| if asked == file { act.clone() } else { Act::Serve });
        self
    }

    pub(crate) fn seconds(&self) -> u64 {
        (self.now - self.start).as_secs()
    }

    pub(crate) fn times_asked(&self, file: &str) -> usize {
        self.asked.iter().filter(|(name, _)| name == file).count()
    }

    /// Runs one download to its end.
    pub(crate) fn run(&mut self) -> Result<(), Error> {
        let mut source = Source::at(BASE, "org/tiny".parse().unwrap()).unwrap();
        if let Some(token) = self.token {
            source = source.token(token).unwrap();
        }
        let mut download = Download::new(self.now, source, self.options);
        let mut live: Vec<Live> = Vec::new();
        download.handle(self.now, Input::Tick, &mut self.disk);
        for _ in 0..100_000 {
            while let Some(output) = download.poll() {
                match output {
                    Output::Get(request) => live.push(self.answer(request)),
                    Output::Drop(id) => {
                        self.dropped += 1;
                        live.retain(|transfer| transfer.id != id);
                    }
                    Output::Ended(outcome) => {
                        assert!(live.is_empty(), "transfers outlive the download");
                        assert_eq!(download.deadline(), None);
                        self.progress.push(download.progress());
                        self.disk.assert_names_are_true(&self.model);
                        return outcome;
                    }
                }
            }
            self.most_at_once = self.most_at_once.max(live.len());
            self.progress.push(download.progress());
            if self.cancel_at.is_some_and(|bytes| self.disk.written >= bytes) {
                download.handle(self.now, Input::Cancel, &mut self.disk);
                continue;
            }
            self.step(&mut download, &mut live);
            live.retain(|transfer| !transfer.is_over);
        }
        panic!("the download does not end: {:?}", download.progress());
    }

    /// The next thing that happens: bytes, or the machine's own deadline.
    fn step(&mut self, download: &mut Download, live: &mut [Live]) {
        let deadline = download.deadline().expect("it is not over");
        let next =
            live.iter_mut().filter(|transfer| !transfer.left.is_empty()).min_by_key(|transfer| transfer.at);
        let Some(transfer) = next.filter(|transfer| transfer.at <= deadline) else {
            self.now = self.now.max(deadline);
            return download.handle(self.now, Input::Tick, &mut self.disk);
        };
        self.now = self.now.max(transfer.at);
        let id = transfer.id;
        transfer.at = self.now + Duration::from_millis(10);
        let step = transfer.left.pop_front().expect("it was not empty");
        transfer.is_over = matches!(step, Step::End | Step::Broken(_));
        match step {
            Step::Head(head) => download.handle(self.now, Input::Head(id, &head), &mut self.disk),
            Step::Chunk(bytes) => download.handle(self.now, Input::Chunk(id, &bytes), &mut self.disk),
            Step::End => download.handle(self.now, Input::End(id), &mut self.disk),
            Step::Broken(why) => download.handle(self.now, Input::Broken(id, why), &mut self.disk),
            Step::Dribble(every) => {
                transfer.at = self.now + every;
                transfer.left.push_back(Step::Dribble(every));
                download.handle(self.now, Input::Chunk(id, b"x"), &mut self.disk);
            }
        }
    }

    fn answer(&mut self, request: Request) -> Live {
        let name = match request.url.strip_prefix(&format!("{BASE}/org/tiny/resolve/")) {
            Some(rest) => rest.split_once('/').unwrap().1.to_owned(),
            None => "list".to_owned(),
        };
        let header = |wanted: &str| {
            request.headers.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.clone())
        };
        let range = header("Range");
        self.asked.push((name.clone(), range.clone()));
        let act = self
            .script
            .get_mut(&name)
            .and_then(VecDeque::pop_front)
            .unwrap_or_else(|| (self.otherwise)(&name));
        let body = match name.as_str() {
            "list" => Some(self.list.clone().unwrap_or_else(|| self.model.list())),
            file => self.model.0.get(file).cloned(),
        };
        let from = range
            .and_then(|range| range.strip_prefix("bytes=")?.strip_suffix('-')?.parse().ok())
            .unwrap_or(0);
        let mut left = steps(&act, body, from, &request.url);
        if name == "list"
            && let Some(Step::Head(head)) = left.front_mut()
        {
            head.headers
                .extend(self.list_headers.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
        }
        let transfer =
            Live { id: request.id, at: self.now + Duration::from_millis(10), left, is_over: false };
        self.requests.push(request);
        transfer
    }
}

fn steps(act: &Act, body: Option<Vec<u8>>, from: usize, url: &str) -> VecDeque<Step> {
    let head = |status, headers: &[(&str, String)]| {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        Step::Head(Head { status, url: url.to_owned(), headers })
    };
    let Some(body) = body else { return [head(404, &[]), Step::End].into() };
    let total = body.len();
    let range = |from: usize| {
        vec![
            ("Content-Range", format!("bytes {from}-{}/{total}", total - 1)),
            ("Content-Length", (total - from).to_string()),
        ]
    };
    let honest = |from: usize| match from {
        0 => head(200, &[("Content-Length", total.to_string()), ("ETag", "\"v1\"".into())]),
        _ => head(206, &range(from)),
    };
    let chunks =
        |bytes: &[u8]| bytes.chunks(100_000).map(|chunk| Step::Chunk(chunk.to_vec())).collect::<Vec<_>>();
    let first = |count: usize| chunks(&body[from..(from + count).min(total)]);
    let mut steps = Vec::new();
    match act {
        Act::Refuse => steps.push(Step::Broken("connection refused")),
        Act::Status(status) => steps.extend([head(*status, &[]), Step::End]),
        Act::Says(status, headers) => steps.extend([head(*status, headers), Step::End]),
        Act::Serve => {
            steps.push(honest(from));
            steps.extend(chunks(&body[from..]));
            steps.push(Step::End);
        }
        Act::CutAfter(count) | Act::EndAfter(count) | Act::SilentAfter(count) => {
            steps.push(honest(from));
            steps.extend(first(*count));
            match act {
                Act::CutAfter(_) => steps.push(Step::Broken("connection reset")),
                Act::EndAfter(_) => steps.push(Step::End),
                _ => {}
            }
        }
        Act::Dribble(every) => steps.extend([honest(from), Step::Dribble(*every)]),
        Act::Flip => {
            let mut wrong = body[from..].to_vec();
            if let Some(byte) = wrong.last_mut() {
                *byte ^= 1;
            }
            steps.push(honest(from));
            steps.extend(chunks(&wrong));
            steps.push(Step::End);
        }
        Act::Endless => {
            steps.push(head(if from == 0 { 200 } else { 206 }, &range(from)[..usize::from(from > 0)]));
            steps.extend(chunks(&body[from..]));
            steps.extend((0..50).map(|_| Step::Chunk(vec![0; 100_000])));
        }
        Act::IgnoreRange => {
            steps.push(honest(0));
            steps.extend(chunks(&body));
            steps.push(Step::End);
        }
        Act::WrongRange => {
            steps.push(head(206, &range(from / 2)));
            steps.extend(chunks(&body[from / 2..]));
            steps.push(Step::End);
        }
        Act::With(headers) => {
            steps.push(head(200, headers));
            steps.extend(chunks(&body));
            steps.push(Step::End);
        }
        Act::From(elsewhere) => {
            let headers = Vec::new();
            steps.push(Step::Head(Head { status: 200, url: elsewhere.clone(), headers }));
            steps.extend(chunks(&body));
            steps.push(Step::End);
        }
    }
    steps.into()
}

/// What the list says of a file.
pub(crate) fn listed(bytes: &[u8]) -> Listed {
    let digest = Digest::from_lfs(&hex(&Sha256::digest(bytes))).unwrap();
    Listed { size: bytes.len() as u64, digest }
}

pub(crate) fn a_place() -> PathBuf {
    Memory::default().place().into()
}
