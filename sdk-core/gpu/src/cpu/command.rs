//! The queue: work in order, on a thread of its own or on the thread that waits for it.
//!
//! Submitting hands work over and returns. A caller that waits and finds the work not begun does it himself, so
//! submit-and-wait never pays for a hand-off. Work that nobody waits for is taken up by a worker after a moment of
//! [`GRACE`]: were it woken at once, it would compete for the processor with the caller that is about to wait.

use std::{
    any::Any,
    collections::VecDeque,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use crate::{Error, Result, backend::Pending};

/// How long work waits for its waiter before the worker takes it up.
const GRACE: Duration = Duration::from_micros(500);

/// How long the worker looks after the queue, in naps of [`GRACE`], before it sleeps until it is woken.
const VIGIL: Duration = Duration::from_millis(20);

/// Something to run: the steps of one submission, bound to host memory.
pub(super) type Task = Box<dyn FnOnce() -> Result<()> + Send>;

/// A queue that runs tasks one after the other. Dropping it runs what is left and ends the worker.
pub(super) struct Queue {
    shared: Arc<Shared>,
    worker: Mutex<Option<JoinHandle<()>>>,
}

impl Queue {
    pub(super) fn new() -> Self {
        let state = State { tasks: VecDeque::new(), running: false, closed: false, asleep: false };
        Self {
            shared: Arc::new(Shared {
                state: Mutex::new(state),
                added: Condvar::new(),
                ended: Condvar::new(),
            }),
            worker: Mutex::new(None),
        }
    }

    /// Appends a task. `timed` asks for the time it took.
    pub(super) fn submit(&self, task: Task, timed: bool) -> Arc<dyn Pending> {
        let done = Arc::new(OnceLock::new());
        let asleep = {
            let mut state = self.shared.lock();
            state.tasks.push_back(Queued { task, timed, since: Instant::now(), done: done.clone() });
            state.asleep
        };
        if asleep {
            self.shared.added.notify_one();
        }
        if !self.start_worker() {
            // No thread to be had: the caller computes.
            self.shared.run_until(&done);
        }
        Arc::new(CpuPending { shared: self.shared.clone(), done })
    }

    /// Whether there is a worker now.
    fn start_worker(&self) -> bool {
        let mut worker = self.worker.lock().unwrap_or_else(PoisonError::into_inner);
        if worker.is_none() {
            let shared = self.shared.clone();
            *worker = thread::Builder::new().name("exo-gpu-queue".into()).spawn(move || shared.work()).ok();
        }
        worker.is_some()
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        self.shared.lock().closed = true;
        self.shared.added.notify_one();
        let worker = self.worker.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(worker) = worker {
            // It catches the panics of tasks, so there is nothing to learn from the result.
            let _ = worker.join();
        }
    }
}

struct Shared {
    state: Mutex<State>,
    /// Wakes the worker: a task was added while it slept, or the queue closed.
    added: Condvar,
    /// A task ended.
    ended: Condvar,
}

struct State {
    tasks: VecDeque<Queued>,
    /// Whether a thread runs the task that was at the front.
    running: bool,
    closed: bool,
    /// Whether the worker waits to be woken.
    asleep: bool,
}

struct Queued {
    task: Task,
    timed: bool,
    since: Instant,
    done: Arc<Done>,
}

/// How a task ended, and its time where asked for.
type Done = OnceLock<Result<Option<Duration>>>;

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The worker's life.
    fn work(&self) {
        let mut state = self.lock();
        let mut last_busy = Instant::now();
        loop {
            let is_due = |task: &Queued, closed: bool| closed || task.since.elapsed() >= GRACE;
            let is_busy = state.running || !state.tasks.is_empty();
            if !state.running && state.tasks.front().is_some_and(|task| is_due(task, state.closed)) {
                state = self.run_front(state);
                last_busy = Instant::now();
            } else if is_busy || last_busy.elapsed() < VIGIL && !state.closed {
                last_busy = if is_busy { Instant::now() } else { last_busy };
                state = self.added.wait_timeout(state, GRACE).unwrap_or_else(PoisonError::into_inner).0;
            } else if state.closed {
                return;
            } else {
                state.asleep = true;
                state = self.added.wait(state).unwrap_or_else(PoisonError::into_inner);
                state.asleep = false;
                last_busy = Instant::now();
            }
        }
    }

    /// Waits until `done` is set, running what is due instead of looking on.
    fn run_until(&self, done: &Done) {
        let mut state = self.lock();
        while done.get().is_none() {
            state = if state.running {
                self.ended.wait(state).unwrap_or_else(PoisonError::into_inner)
            } else {
                self.run_front(state)
            };
        }
    }

    /// Runs the first task with the lock released. The order holds because only one thread at a time does this.
    fn run_front<'a>(&'a self, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        let Some(Queued { task, timed, done, .. }) = state.tasks.pop_front() else { return state };
        state.running = true;
        drop(state);
        let start = timed.then(Instant::now);
        let outcome = catch_unwind(AssertUnwindSafe(task)).unwrap_or_else(|panic| Err(panicked(&*panic)));
        let outcome = outcome.map(|()| start.map(|start| start.elapsed()));
        let mut state = self.lock();
        state.running = false;
        // Set once and only here: the task was taken off the queue above.
        let _ = done.set(outcome);
        self.ended.notify_all();
        state
    }
}

fn panicked(panic: &(dyn Any + Send)) -> Error {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    Error::Driver {
        call: "cpu kernel",
        code: format!("panicked: {}", text.as_deref().unwrap_or("no message")),
    }
}

/// A task of a queue, from outside.
struct CpuPending {
    shared: Arc<Shared>,
    done: Arc<Done>,
}

impl Pending for CpuPending {
    /// Without a timeout the caller helps. With one it only looks on: a kernel, once begun, cannot be left.
    fn wait(&self, timeout: Option<Duration>) -> Result<bool> {
        if self.done.get().is_none() {
            match timeout {
                None => self.shared.run_until(&self.done),
                Some(Duration::ZERO) => {}
                Some(timeout) => {
                    let waited = self
                        .shared
                        .ended
                        .wait_timeout_while(self.shared.lock(), timeout, |_| self.done.get().is_none());
                    drop(waited.unwrap_or_else(PoisonError::into_inner));
                }
            }
        }
        self.done.get().map_or(Ok(false), |outcome| outcome.clone().map(|_| true))
    }

    fn device_time(&self) -> Option<Duration> {
        self.done.get()?.as_ref().ok().copied().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;
    use std::sync::mpsc;

    #[test]
    fn queue_runs_work_in_order_and_waiting_for_the_last_waits_for_all() {
        let queue = Queue::new();
        let (log, seen) = mpsc::channel();
        let pending: Vec<_> = (0..20)
            .map(|i| {
                let log = log.clone();
                queue.submit(Box::new(move || log.send(i).map_err(|_| Error::Cancelled)), false)
            })
            .collect();
        assert!(pending.last().unwrap().wait(None).unwrap());
        assert_eq!(seen.try_iter().collect::<Vec<_>>(), (0..20).collect::<Vec<_>>());
    }

    #[test]
    fn queue_reports_unfinished_work_when_the_timeout_passes() {
        let queue = Queue::new();
        let (go, gate) = mpsc::channel::<()>();
        let work = queue.submit(Box::new(move || gate.recv().map_err(|_| Error::Cancelled)), true);
        assert!(!work.wait(Some(Duration::ZERO)).unwrap());
        assert!(!work.wait(Some(Duration::from_millis(1))).unwrap());
        assert_eq!(work.device_time(), None);
        go.send(()).unwrap();
        assert!(work.wait(Some(Duration::from_mins(1))).unwrap());
        assert!(work.device_time().is_some());
    }

    #[test]
    fn queue_turns_a_panic_into_an_error_and_goes_on() {
        let queue = Queue::new();
        let bad = queue.submit(Box::new(|| panic!("a kernel went wrong")), false);
        let good = queue.submit(Box::new(|| Ok(())), false);
        assert!(good.wait(None).unwrap());
        let error = bad.wait(None).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Driver);
        assert!(error.to_string().contains("a kernel went wrong"));
    }

    #[test]
    fn queue_finishes_its_work_before_it_goes() {
        let queue = Queue::new();
        let (log, seen) = mpsc::channel();
        let pending: Vec<_> = (0..5)
            .map(|i| {
                let log = log.clone();
                queue.submit(Box::new(move || log.send(i).map_err(|_| Error::Cancelled)), false)
            })
            .collect();
        drop(queue);
        assert_eq!(seen.try_iter().count(), 5);
        assert!(pending.iter().all(|work| work.wait(None).unwrap()));
    }

    #[test]
    fn queue_lets_many_threads_wait_for_the_same_work() {
        let queue = Queue::new();
        let (go, gate) = mpsc::channel::<()>();
        let work = queue.submit(Box::new(move || gate.recv().map_err(|_| Error::Cancelled)), false);
        thread::scope(|scope| {
            let waiters: Vec<_> = (0..4).map(|_| scope.spawn(|| work.wait(None))).collect();
            go.send(()).unwrap();
            assert!(waiters.into_iter().all(|waiter| waiter.join().unwrap().unwrap()));
        });
    }
}
