//! The queue: work in order, on a thread of its own or on the thread that waits for it.
//!
//! Submitting hands work over and returns. A worker, started with the first submission, takes it up; but a caller
//! that waits and finds the work not begun does it himself, so submit-and-wait never pays for a hand-off.

use std::{
    any::Any,
    collections::VecDeque,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use crate::{Error, Result, backend::Pending};

/// Something to run: the steps of one submission, bound to host memory.
pub(super) type Task = Box<dyn FnOnce() -> Result<()> + Send>;

/// A queue that runs tasks one after the other. Dropping it runs what is left and ends the worker.
pub(super) struct Queue {
    shared: Arc<Shared>,
    worker: Mutex<Option<JoinHandle<()>>>,
}

impl Queue {
    pub(super) fn new() -> Self {
        let state = State { tasks: VecDeque::new(), running: false, closed: false };
        Self {
            shared: Arc::new(Shared { state: Mutex::new(state), changed: Condvar::new() }),
            worker: Mutex::new(None),
        }
    }

    /// Appends a task. `timed` asks for the time it took.
    pub(super) fn submit(&self, task: Task, timed: bool) -> Arc<dyn Pending> {
        let done = Arc::new(OnceLock::new());
        self.shared.lock().tasks.push_back(Queued { task, timed, done: done.clone() });
        if self.start_worker() {
            self.shared.changed.notify_all();
        } else {
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
        self.shared.changed.notify_all();
        let worker = self.worker.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(worker) = worker {
            // It catches the panics of tasks, so there is nothing to learn from the result.
            let _ = worker.join();
        }
    }
}

struct Shared {
    state: Mutex<State>,
    /// A task was added or ended, or the queue closed.
    changed: Condvar,
}

struct State {
    tasks: VecDeque<Queued>,
    /// Whether a thread runs the task that was at the front.
    running: bool,
    closed: bool,
}

struct Queued {
    task: Task,
    timed: bool,
    done: Arc<Done>,
}

/// How a task ended, and its time where asked for.
type Done = OnceLock<Result<Option<Duration>>>;

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    /// The worker's life.
    fn work(&self) {
        let mut state = self.lock();
        loop {
            if !state.running && !state.tasks.is_empty() {
                state = self.run_front(state);
            } else if state.closed && state.tasks.is_empty() && !state.running {
                return;
            } else {
                state = self.wait(state);
            }
        }
    }

    /// Waits until `done` is set, running what is due instead of looking on.
    fn run_until(&self, done: &Done) {
        let mut state = self.lock();
        while done.get().is_none() {
            state = if state.running { self.wait(state) } else { self.run_front(state) };
        }
    }

    /// Runs the first task with the lock released. The order holds because only one thread at a time does this.
    fn run_front<'a>(&'a self, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        let Some(Queued { task, timed, done }) = state.tasks.pop_front() else { return state };
        state.running = true;
        drop(state);
        let start = timed.then(Instant::now);
        let outcome = catch_unwind(AssertUnwindSafe(task)).unwrap_or_else(|panic| Err(panicked(&*panic)));
        let outcome = outcome.map(|()| start.map(|start| start.elapsed()));
        let mut state = self.lock();
        state.running = false;
        // Set once and only here: the task was taken off the queue above.
        let _ = done.set(outcome);
        self.changed.notify_all();
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
                        .changed
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
