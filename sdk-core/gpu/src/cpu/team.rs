//! Threads that share a piece of work with whoever asks.
//!
//! One team serves the process. The caller is always one of the workers and starts at once; the others join when
//! they wake, and take parts by a counter, so a slow core takes fewer. They spin for a moment after work, since
//! the next operation of a model comes microseconds later, and then sleep. A caller that finds the team busy
//! works alone: nothing ever waits for the team, so sharing may nest and cannot deadlock.

use std::{
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{
        Condvar, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// How long a helper looks for the next work before it sleeps: longer than the last part of a caller takes.
const PATIENCE: Duration = Duration::from_micros(if cfg!(miri) { 0 } else { 100 });

/// How many threads may share work, the caller included.
pub(super) fn threads() -> usize {
    helpers() + 1
}

/// Calls `work` once for each of `0..parts`, on the caller and whoever else is free. Returns when all are done.
///
/// A panic in `work` is passed on after all others have left it.
pub(super) fn share(parts: usize, work: &(dyn Fn(usize) + Sync)) {
    let turn = if parts > 1 && helpers() > 0 { TEAM.turn.try_lock().ok() } else { None };
    let Some(turn) = turn else {
        (0..parts).for_each(work);
        return;
    };
    let job = Job { work, parts, next: AtomicUsize::new(0), panicked: AtomicBool::new(false) };
    TEAM.announce(&job);
    let own = catch_unwind(AssertUnwindSafe(|| job.take_parts()));
    // Not before this may `job` go out of scope, whatever happened above.
    TEAM.dismiss();
    // Not held while unwinding, which would poison it.
    drop(turn);
    if let Err(panic) = own {
        resume_unwind(panic);
    }
    if job.panicked.load(Ordering::Relaxed) {
        resume_unwind(Box::new("a kernel panicked on a helper thread"));
    }
}

/// Work being shared. It lives on the caller's stack.
struct Job<'a> {
    work: &'a (dyn Fn(usize) + Sync),
    parts: usize,
    next: AtomicUsize,
    panicked: AtomicBool,
}

impl Job<'_> {
    fn take_parts(&self) {
        loop {
            let part = self.next.fetch_add(1, Ordering::Relaxed);
            if part >= self.parts || self.panicked.load(Ordering::Relaxed) {
                return;
            }
            (self.work)(part);
        }
    }
}

struct Team {
    /// Held by the caller whose work is being shared.
    turn: Mutex<()>,
    /// The job, as an address: may be followed while it is here or `inside` is not 0.
    job: Mutex<Option<JobAddress>>,
    /// Helpers at work on the job. Changed only with `job` locked; read without, by who spins.
    inside: AtomicUsize,
    /// Announcements so far, for helpers to see without the lock.
    announced: AtomicUsize,
    work: Condvar,
    left: Condvar,
}

#[derive(Clone, Copy)]
struct JobAddress(*const Job<'static>);

// SAFETY: an address. `Team` says when it may be followed; what it points to is `Sync`.
unsafe impl Send for JobAddress {}

static TEAM: Team = Team {
    turn: Mutex::new(()),
    job: Mutex::new(None),
    inside: AtomicUsize::new(0),
    announced: AtomicUsize::new(0),
    work: Condvar::new(),
    left: Condvar::new(),
};

impl Team {
    fn job(&self) -> MutexGuard<'_, Option<JobAddress>> {
        self.job.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn announce(&self, job: &Job<'_>) {
        let mut slot = self.job();
        *slot = Some(JobAddress(std::ptr::from_ref(job).cast()));
        self.announced.fetch_add(1, Ordering::Release);
        drop(slot);
        self.work.notify_all();
    }

    /// Lets nobody in any more, and waits until all are out.
    fn dismiss(&self) {
        *self.job() = None;
        spin_until(|| self.inside.load(Ordering::Acquire) == 0);
        let mut slot = self.job();
        while self.inside.load(Ordering::Acquire) > 0 {
            slot = self.left.wait(slot).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// What a helper does all its life.
    fn help(&self) {
        let mut seen = 0;
        loop {
            spin_until(|| self.announced.load(Ordering::Acquire) != seen);
            let mut slot = self.job();
            let job = loop {
                let announced = self.announced.load(Ordering::Acquire);
                match *slot {
                    Some(job) if announced != seen => {
                        seen = announced;
                        break job;
                    }
                    _ => slot = self.work.wait(slot).unwrap_or_else(PoisonError::into_inner),
                }
            };
            self.inside.fetch_add(1, Ordering::Relaxed);
            drop(slot);
            // SAFETY: `job` was read and `inside` counted up under one lock, so `dismiss`, which the job's owner
            // calls before the job ends, waits until `inside` is counted down again below.
            let job = unsafe { &*job.0 };
            if catch_unwind(AssertUnwindSafe(|| job.take_parts())).is_err() {
                job.panicked.store(true, Ordering::Relaxed);
            }
            let slot = self.job();
            if self.inside.fetch_sub(1, Ordering::Release) == 1 {
                self.left.notify_all();
            }
            drop(slot);
        }
    }
}

fn spin_until(done: impl Fn() -> bool) {
    let start = Instant::now();
    loop {
        for _ in 0..50 {
            if done() {
                return;
            }
            std::hint::spin_loop();
        }
        if start.elapsed() >= PATIENCE {
            return;
        }
    }
}

/// Starts the helpers on the first call. A thread that cannot be had is missed by nobody: parts are taken by who
/// is there.
fn helpers() -> usize {
    static STARTED: OnceLock<usize> = OnceLock::new();
    *STARTED.get_or_init(|| {
        let wanted = thread::available_parallelism().map_or(0, |n| n.get() - 1);
        let start =
            |_: &usize| thread::Builder::new().name("exo-gpu-team".into()).spawn(|| TEAM.help()).is_ok();
        (0..wanted).filter(start).count()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn team_does_every_part_exactly_once() {
        for parts in [0, 1, 2, 3, 17, 100] {
            let done: Vec<AtomicUsize> = (0..parts).map(|_| AtomicUsize::new(0)).collect();
            share(parts, &|part| {
                done[part].fetch_add(1, Ordering::Relaxed);
            });
            assert!(done.iter().all(|count| count.load(Ordering::Relaxed) == 1), "{parts} parts");
        }
    }

    #[test]
    fn team_passes_a_panic_on_and_works_again_after_it() {
        let outcome = catch_unwind(|| share(8, &|part| assert_ne!(part, 3, "part three fails")));
        assert!(outcome.is_err());
        let count = AtomicUsize::new(0);
        share(8, &|_| {
            count.fetch_add(1, Ordering::Relaxed);
        });
        assert_eq!(count.into_inner(), 8);
    }

    #[test]
    fn team_that_is_busy_is_not_waited_for() {
        let count = AtomicUsize::new(0);
        share(4, &|_| {
            share(4, &|_| {
                count.fetch_add(1, Ordering::Relaxed);
            });
        });
        assert_eq!(count.into_inner(), 16);
    }
}
