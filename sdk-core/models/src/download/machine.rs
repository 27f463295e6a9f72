//! The machine itself: from the list of files to the last name.

mod planning;

use std::{
    collections::{BTreeMap, VecDeque},
    io,
    time::Instant,
};

use super::{
    Disk, Form, Input, Options, Output, Progress, Transfer,
    answer::{Asked, Failure, Verdict, judge},
    pace::{Patience, next_random, pause},
    piece::{Finish, Piece, State},
    progress::Speed,
};
use crate::{
    Error, Head, Request, Result, Source,
    choice::{INDEX, MAX_INDEX_BYTES},
    list::{FileList, MAX_PAGE_BYTES},
};

/// Attempts at what a server says wrongly: it seldom learns.
const BAD_ATTEMPTS: u32 = 3;
/// The list of files comes first, and somebody looks at a screen meanwhile: one that is offline should hear so in seconds.
const LIST_ATTEMPTS: u32 = 4;
/// As often may a file be other than its own list promised.
const MISMATCHES: u32 = 2;
/// The branch that exo takes.
const REVISION: &str = "main";

/// One model on its way: feed it with [`Self::handle`], do what [`Self::poll`] says, come back at [`Self::deadline`].
#[derive(Debug)]
pub struct Download {
    source: Source,
    options: Options,
    /// What files are asked of: the commit that the list was of, once that is known.
    revision: String,
    stage: Stage,
    list: FileList,
    pieces: Vec<Piece>,
    calls: BTreeMap<Transfer, Call>,
    last_transfer: Transfer,
    outputs: VecDeque<Output>,
    speed: Speed,
    random: u64,
    now: Instant,
}

#[derive(Debug)]
enum Stage {
    Listing(Listing),
    /// The index alone: it says which shards there are.
    Index,
    Files,
    Ended,
}

#[derive(Debug)]
struct Listing {
    page: String,
    pages: u32,
    next: Option<String>,
    body: Vec<u8>,
    failures: u32,
    /// When to ask, unless somebody was asked.
    ask_at: Option<Instant>,
}

#[derive(Debug)]
struct Call {
    /// Which of the pieces; `None` is the list.
    piece: Option<usize>,
    is_judged: bool,
    patience: Patience,
}

impl Download {
    /// A download that begins with the first [`Input::Tick`].
    pub fn new(now: Instant, source: Source, options: Options) -> Self {
        let page = source.list(REVISION);
        let listing =
            Listing { page, pages: 0, next: None, body: Vec::new(), failures: 0, ask_at: Some(now) };
        let mut speed = Speed::default();
        speed.begin(now);
        Self {
            revision: REVISION.into(),
            // xorshift has one state that it never leaves: zero.
            random: options.seed.wrapping_mul(2).wrapping_add(0x9e37_79b9_7f4a_7c15),
            source,
            options,
            stage: Stage::Listing(listing),
            list: FileList::default(),
            pieces: Vec::new(),
            calls: BTreeMap::new(),
            last_transfer: 0,
            outputs: VecDeque::new(),
            speed,
            now,
        }
    }

    /// Feeds one input. Never blocks for longer than the disk does, and never fails: an end is an [`Output`].
    pub fn handle(&mut self, now: Instant, input: Input<'_>, disk: &mut dyn Disk) {
        self.now = self.now.max(now);
        if matches!(self.stage, Stage::Ended) {
            return;
        }
        let outcome = self.hear(input, disk).and_then(|()| self.go_on(disk));
        if let Err(error) = outcome {
            self.end(Err(error));
        }
    }

    /// What to do next; `None` until something happens.
    pub fn poll(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    /// When to feed a [`Input::Tick`], if nothing else happens before. `None` when it is over.
    pub fn deadline(&self) -> Option<Instant> {
        if matches!(self.stage, Stage::Ended) {
            return None;
        }
        let silences = self.calls.values().map(|call| call.patience.ends());
        let asks = match &self.stage {
            Stage::Listing(listing) => listing.ask_at,
            _ => None,
        };
        let has_room = self.active() < self.parallel();
        let pieces = self.pieces.iter().filter_map(|piece| match piece.state {
            State::Checking => Some(self.now),
            State::Waiting(until) if has_room => Some(until),
            _ => None,
        });
        silences.chain(asks).chain(pieces).min()
    }

    /// How far it is.
    pub fn progress(&self) -> Progress {
        if matches!(self.stage, Stage::Listing(_) | Stage::Index) {
            return Progress::default();
        }
        Progress {
            done: self.pieces.iter().map(|piece| piece.there).sum(),
            total: self.pieces.iter().map(|piece| piece.listed.size).sum(),
            fresh: self.pieces.iter().map(|piece| piece.fresh).sum(),
            files_done: self.pieces.iter().filter(|piece| piece.state == State::Whole).count() as u32,
            files: self.pieces.len() as u32,
            speed: self.speed.at(self.now),
        }
    }

    fn hear(&mut self, input: Input<'_>, disk: &mut dyn Disk) -> Result<()> {
        match input {
            Input::Tick => Ok(()),
            Input::Cancel => Err(Error::Cancelled),
            Input::Head(id, head) => self.head(id, head, disk),
            Input::Chunk(id, bytes) => self.chunk(id, bytes, disk),
            Input::End(id) => match self.calls.get(&id).map(|call| (call.piece, call.is_judged)) {
                Some((None, true)) => self.page_ended(id, disk),
                Some((Some(index), true)) => {
                    let piece = &self.pieces[index];
                    let why = format!("it was cut after {} of {} bytes", piece.there, piece.listed.size);
                    self.failed(id, Failure::passing(why))
                }
                Some((_, false)) => self.failed(id, Failure::passing("there was no answer")),
                None => Ok(()),
            },
            Input::Broken(id, why) => self.failed(id, Failure::passing(crate::error::shortened(why, 200))),
        }
    }

    fn head(&mut self, id: Transfer, head: &Head, disk: &mut dyn Disk) -> Result<()> {
        let Some(call) = self.calls.get_mut(&id).filter(|call| !call.is_judged) else { return Ok(()) };
        call.patience.heard(self.now, 0);
        call.is_judged = true;
        let index = call.piece;
        let asked = index.map_or(Asked::List, |index| {
            let piece = &self.pieces[index];
            Asked::File { from: piece.there, size: piece.listed.size }
        });
        match judge(head, asked, &self.source, &self.what(index)) {
            Verdict::Never(error) => Err(error),
            Verdict::Again(failure) => self.failed(id, failure),
            Verdict::Take { from_zero } => match index {
                None => self.list_began(head),
                Some(index) => {
                    let piece = &mut self.pieces[index];
                    if from_zero {
                        piece.restart(disk).map_err(|error| on_disk(disk, &error))?;
                    }
                    // A weak one does not promise the same bytes.
                    piece.etag = head.header("ETag").filter(|tag| is_strong(tag)).map(Into::into);
                    Ok(())
                }
            },
        }
    }

    fn chunk(&mut self, id: Transfer, bytes: &[u8], disk: &mut dyn Disk) -> Result<()> {
        let Some(call) = self.calls.get_mut(&id).filter(|call| call.is_judged) else { return Ok(()) };
        call.patience.heard(self.now, bytes.len());
        let Some(index) = call.piece else {
            if let Stage::Listing(listing) = &mut self.stage {
                if listing.body.len() + bytes.len() > MAX_PAGE_BYTES {
                    let why = format!("the list of files is larger than {MAX_PAGE_BYTES} bytes");
                    return Err(self.bad_list(&why));
                }
                listing.body.extend_from_slice(bytes);
            }
            return Ok(());
        };
        self.speed.add(self.now, bytes.len());
        let piece = &mut self.pieces[index];
        piece.take(bytes, disk).map_err(|error| self.on_disk(disk, &error))?;
        if self.pieces[index].is_all_there() {
            self.hang_up(id);
            self.finish(index, disk)?;
        }
        Ok(())
    }

    /// Whatever can be begun now is.
    fn go_on(&mut self, disk: &mut dyn Disk) -> Result<()> {
        self.give_up_the_silent()?;
        if let Stage::Listing(listing) = &mut self.stage {
            if listing.ask_at.is_some_and(|at| at <= self.now) {
                listing.ask_at = None;
                let page = listing.page.clone();
                self.get(page, None, Vec::new());
            }
            return Ok(());
        }
        self.check_a_part(disk)?;
        for index in 0..self.pieces.len() {
            if self.active() >= self.parallel() {
                break;
            }
            if matches!(self.pieces[index].state, State::Waiting(until) if until <= self.now) {
                self.begin(index, disk)?;
            }
        }
        if !self.pieces.iter().all(|piece| piece.state == State::Whole) {
            return Ok(());
        }
        if matches!(self.stage, Stage::Index) {
            let most = MAX_INDEX_BYTES as usize;
            let index = disk.read(INDEX, Form::Whole, 0, most).map_err(|error| on_disk(disk, &error))?;
            self.plan(Some(&index), disk)?;
            return self.go_on(disk);
        }
        self.end(Ok(()));
        Ok(())
    }

    fn begin(&mut self, index: usize, disk: &mut dyn Disk) -> Result<()> {
        let piece = &mut self.pieces[index];
        if !piece.is_checked() {
            piece.state = State::Checking;
            return Ok(());
        }
        if piece.is_all_there() {
            return self.finish(index, disk);
        }
        let mut headers = Vec::new();
        if piece.there > 0 && !piece.wants_all {
            headers.push(("Range".to_owned(), format!("bytes={}-", piece.there)));
            // A commit does not change, and neither do its files: there a new name of the same bytes would cost them all.
            if let Some(tag) = piece.etag.as_ref().filter(|_| self.revision == REVISION) {
                headers.push(("If-Range".to_owned(), tag.clone()));
            }
        }
        let url = self.source.file(&self.revision, &piece.name);
        let id = self.get(url, Some(index), headers);
        self.pieces[index].state = State::Coming(id);
        Ok(())
    }

    /// One slice of one part, so that whoever drives us can hear a cancel between two.
    fn check_a_part(&mut self, disk: &mut dyn Disk) -> Result<()> {
        let Some(index) = self.pieces.iter().position(|piece| piece.state == State::Checking) else {
            return Ok(());
        };
        let piece = &mut self.pieces[index];
        piece.check(disk).map_err(|error| on_disk(disk, &error))?;
        if piece.is_checked() {
            self.begin(index, disk)?;
        }
        Ok(())
    }

    fn finish(&mut self, index: usize, disk: &mut dyn Disk) -> Result<()> {
        let now = self.now;
        let piece = &mut self.pieces[index];
        match piece.finish(disk).map_err(|error| on_disk(disk, &error))? {
            Finish::Sealed => {}
            Finish::Wrong(has) if piece.mismatches >= MISMATCHES => {
                let promised = piece.listed.digest.to_string();
                return Err(Error::Corrupt { file: self.what(Some(index)), has: has.to_string(), promised });
            }
            Finish::Stale | Finish::Wrong(_) => piece.state = State::Waiting(now),
        }
        Ok(())
    }

    /// An attempt is over without success.
    fn failed(&mut self, id: Transfer, failure: Failure) -> Result<()> {
        let Some(call) = self.calls.get(&id) else { return Ok(()) };
        let index = call.piece;
        self.hang_up(id);
        if let Some(piece) = index.map(|index| &mut self.pieces[index]) {
            piece.wants_all |= failure.wants_all;
        }
        let failures = match (index, &mut self.stage) {
            (Some(index), _) => &mut self.pieces[index].failures,
            (None, Stage::Listing(listing)) => &mut listing.failures,
            (None, _) => return Ok(()),
        };
        *failures += 1;
        let failures = *failures;
        let (what, why) = (self.what(index), failure.why);
        if failure.is_bad && failures >= BAD_ATTEMPTS {
            return Err(Error::BadAnswer { what, why });
        }
        let most =
            if index.is_some() { self.options.attempts } else { self.options.attempts.min(LIST_ATTEMPTS) };
        if failures >= most {
            return Err(Error::Unreachable { what, attempts: failures, why });
        }
        let at = self.now + pause(failures, failure.wait, next_random(&mut self.random));
        match (index, &mut self.stage) {
            (Some(index), _) => self.pieces[index].state = State::Waiting(at),
            (None, Stage::Listing(listing)) => listing.ask_at = Some(at),
            (None, _) => {}
        }
        Ok(())
    }

    fn give_up_the_silent(&mut self) -> Result<()> {
        let is_silent = |(id, call): (&Transfer, &Call)| (call.patience.ends() <= self.now).then_some(*id);
        let silent: Vec<Transfer> = self.calls.iter().filter_map(is_silent).collect();
        let why = "the server fell silent";
        silent.into_iter().try_for_each(|id| self.failed(id, Failure::passing(why)))
    }

    fn get(&mut self, url: String, piece: Option<usize>, mut headers: Vec<(String, String)>) -> Transfer {
        self.last_transfer += 1;
        let id = self.last_transfer;
        headers.push(("Accept-Encoding".into(), "identity".into()));
        headers.extend(self.source.token_header());
        let patience = Patience::from(self.now, self.options.stall);
        self.calls.insert(id, Call { piece, is_judged: false, patience });
        self.outputs.push_back(Output::Get(Request { id, url, headers }));
        id
    }

    fn hang_up(&mut self, id: Transfer) {
        if self.calls.remove(&id).is_some() {
            self.outputs.push_back(Output::Drop(id));
        }
    }

    fn end(&mut self, outcome: Result<()>) {
        let open: Vec<Transfer> = self.calls.keys().copied().collect();
        for id in open {
            self.hang_up(id);
        }
        self.outputs.push_back(Output::Ended(outcome));
        self.stage = Stage::Ended;
    }

    fn active(&self) -> usize {
        let is_active = |piece: &&Piece| matches!(piece.state, State::Checking | State::Coming(_));
        self.pieces.iter().filter(is_active).count()
    }

    fn parallel(&self) -> usize {
        self.options.parallel.max(1)
    }

    fn what(&self, piece: Option<usize>) -> String {
        let model = self.source.model();
        piece.map_or_else(|| model.to_string(), |index| format!("{} of {model}", self.pieces[index].name))
    }

    /// What the disk said while bytes came: mostly that it is full.
    fn on_disk(&self, disk: &dyn Disk, error: &io::Error) -> Error {
        if !matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded) {
            return on_disk(disk, error);
        }
        let needed = self.pieces.iter().map(|piece| piece.listed.size - piece.there).sum();
        let free = disk.free_bytes().unwrap_or(0);
        Error::OutOfSpace { path: disk.place().into(), needed, free, reserve: self.options.reserve }
    }
}

fn on_disk(disk: &dyn Disk, error: &io::Error) -> Error {
    Error::io(disk.place(), error)
}

fn is_strong(tag: &str) -> bool {
    tag.len() <= 128
        && tag.starts_with('"')
        && tag.ends_with('"')
        && tag.bytes().all(|b| b.is_ascii_graphic())
}
