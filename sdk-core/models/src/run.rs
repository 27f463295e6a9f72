//! Drives a [`Download`] on threads: one that decides and writes, and one for each transfer, in which the platform's
//! client may block as it likes.
//!
//! Between them is a short queue. When the disk is slower than the network it fills, the client's pushes wait, and the
//! server is slowed by TCP.

use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc::{self, RecvTimeoutError, SyncSender},
    },
    thread,
    time::{Duration, Instant},
};

use crate::{
    Download, Fetcher, Flow, Head, Input, ModelStore, Options, Output, Progress, Receiver, Request, Result,
    Source, Transfer, Unfetched, store::Shelf,
};

/// Chunks on their way between the threads.
const QUEUE: usize = 8;
/// How soon a cancel is heard when nothing else happens.
const BEAT: Duration = Duration::from_millis(200);
/// How often progress is told.
const TELL: Duration = Duration::from_millis(250);

/// The wish to stop. Clones are the same wish; it may be said twice, from any thread.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Stop. What came stays, and the next download goes on from there.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Whether somebody said so.
    pub fn is_wished(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// Fetches a model into the store and blocks until it is there; gives its directory. `tell` hears how far it is, a few
/// times a second.
pub fn fetch(
    store: &ModelStore,
    source: Source,
    fetcher: &Arc<dyn Fetcher>,
    options: Options,
    cancel: &Cancel,
    tell: &mut dyn FnMut(Progress),
) -> Result<PathBuf> {
    let model = source.model().clone();
    let mut disk = store.open(&model)?;
    let mut download = Download::new(Instant::now(), source, options);
    let (sender, messages) = mpsc::sync_channel(QUEUE);
    let mut transfers = Transfers::new(fetcher, sender);
    let mut told = Told::default();
    download.handle(Instant::now(), Input::Tick, &mut disk);
    loop {
        while let Some(output) = download.poll() {
            match output {
                Output::Get(request) => transfers.begin(request),
                Output::Drop(id) => transfers.end(id),
                Output::Ended(outcome) => {
                    tell(download.progress());
                    return outcome.map(|()| store.directory(&model));
                }
            }
        }
        told.maybe(download.progress(), tell);
        let wait =
            download.deadline().map_or(BEAT, |at| at.saturating_duration_since(Instant::now()).min(BEAT));
        match messages.recv_timeout(wait) {
            _ if cancel.is_wished() => download.handle(Instant::now(), Input::Cancel, &mut disk),
            Ok(message) => message.tell(&mut download, &mut disk),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                download.handle(Instant::now(), Input::Tick, &mut disk);
            }
        }
    }
}

/// From a transfer's thread to the one that decides.
enum Message {
    Head(Transfer, Head),
    Chunk(Transfer, Vec<u8>),
    Over(Transfer, Result<(), Unfetched>),
}

impl Message {
    fn tell(&self, download: &mut Download, disk: &mut Shelf) {
        let input = match self {
            Self::Head(id, head) => Input::Head(*id, head),
            Self::Chunk(id, bytes) => Input::Chunk(*id, bytes),
            Self::Over(id, Ok(())) => Input::End(*id),
            Self::Over(id, Err(Unfetched(why))) => Input::Broken(*id, why),
        };
        download.handle(Instant::now(), input, disk);
    }
}

struct Transfers<'a> {
    fetcher: &'a Arc<dyn Fetcher>,
    sender: SyncSender<Message>,
    open: BTreeMap<Transfer, Cancel>,
    /// Each download counts its requests from the beginning, and a client may serve several: the upper half of the id that
    /// it is told says which.
    first: Transfer,
}

impl<'a> Transfers<'a> {
    fn new(fetcher: &'a Arc<dyn Fetcher>, sender: SyncSender<Message>) -> Self {
        static DOWNLOADS: AtomicU64 = AtomicU64::new(0);
        let first = DOWNLOADS.fetch_add(1, Ordering::Relaxed) << 32;
        Self { fetcher, sender, open: BTreeMap::new(), first }
    }

    fn begin(&mut self, request: Request) {
        let id = request.id;
        let request = Request { id: self.first + id, ..request };
        let unwanted = Cancel::default();
        let (sender, over) = (self.sender.clone(), Cancel::default());
        let pipe: Arc<dyn Receiver> =
            Arc::new(Pipe { id, sender: sender.clone(), unwanted: unwanted.clone(), over: over.clone() });
        let fetcher = Arc::clone(self.fetcher);
        let work = move || {
            // The client is the app's code: a panic in it is an answer that did not come.
            let got = catch_unwind(AssertUnwindSafe(|| fetcher.get(&request, &pipe)));
            let got = got.unwrap_or_else(|_| Err(Unfetched("the HTTP client panicked".into())));
            over.cancel();
            // Nobody listens any more when the download is over.
            let _ = sender.send(Message::Over(id, got));
        };
        // Without a thread there is no transfer: it stalls, and is tried again when there may be one.
        if thread::Builder::new().name("exo-models-get".into()).spawn(work).is_ok() {
            self.open.insert(id, unwanted);
        }
    }

    fn end(&mut self, id: Transfer) {
        if let Some(unwanted) = self.open.remove(&id) {
            unwanted.cancel();
            self.fetcher.cancel(self.first + id);
        }
    }
}

/// Takes one answer from the client, and blocks it while the queue is full.
struct Pipe {
    id: Transfer,
    sender: SyncSender<Message>,
    unwanted: Cancel,
    /// The client's call returned: whoever kept the receiver is not heard any more.
    over: Cancel,
}

impl Pipe {
    fn push(&self, message: Message) -> Flow {
        let is_over =
            self.unwanted.is_wished() || self.over.is_wished() || self.sender.send(message).is_err();
        if is_over || self.unwanted.is_wished() { Flow::Stop } else { Flow::Continue }
    }
}

impl Receiver for Pipe {
    fn head(&self, head: Head) -> Flow {
        self.push(Message::Head(self.id, head))
    }

    fn chunk(&self, bytes: &[u8]) -> Flow {
        self.push(Message::Chunk(self.id, bytes.to_vec()))
    }
}

/// What was told last, and when.
#[derive(Default)]
struct Told {
    at: Option<Instant>,
    files_done: u32,
}

impl Told {
    fn maybe(&mut self, progress: Progress, tell: &mut dyn FnMut(Progress)) {
        let is_time = self.at.is_none_or(|at| at.elapsed() >= TELL);
        if is_time || progress.files_done != self.files_done {
            (self.at, self.files_done) = (Some(Instant::now()), progress.files_done);
            tell(progress);
        }
    }
}
