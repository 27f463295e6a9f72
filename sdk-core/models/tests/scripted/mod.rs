//! A model, a disk in memory, and a server that does what a story tells it: everything around a [`Download`], in
//! virtual time.
#![allow(dead_code, unused_imports, reason = "each file of tests uses some of it")]

mod act;
mod memory;
mod model;

use std::{
    collections::{BTreeMap, VecDeque},
    time::{Duration, Instant},
};

use exo_models::{Download, Error, Input, Options, Output, Progress, Request, Source, Transfer};

pub(crate) use act::Act;
use act::{Step, steps};
pub(crate) use memory::{Memory, a_place};
pub(crate) use model::{INDEX, Model, OTHER_SHARD, SHARD, listed};

pub(crate) const BASE: &str = "https://models.test";

struct Live {
    id: Transfer,
    at: Instant,
    left: VecDeque<Step>,
    is_over: bool,
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
