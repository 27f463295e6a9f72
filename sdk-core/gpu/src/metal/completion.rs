//! Waiting for work: what the completion handler leaves behind, and who sleeps until it does.
//!
//! Metal calls the handler once, on a thread of its own, whether the work succeeded or not. Nothing here polls.

use std::{
    sync::{Condvar, Mutex, PoisonError},
    time::Duration,
};

use crate::{Result, backend::Pending};

/// How a piece of work ended.
#[derive(Clone, Debug)]
pub(super) struct Outcome {
    pub(super) result: Result<()>,
    /// Known only where it was asked for.
    pub(super) device_time: Option<Duration>,
}

/// Work under way, or its outcome.
#[derive(Default)]
pub(super) struct Completion {
    outcome: Mutex<Option<Outcome>>,
    done: Condvar,
}

impl Completion {
    /// Called by the completion handler, once.
    pub(super) fn finish(&self, outcome: Outcome) {
        *self.outcome.lock().unwrap_or_else(PoisonError::into_inner) = Some(outcome);
        self.done.notify_all();
    }
}

impl Pending for Completion {
    fn wait(&self, timeout: Option<Duration>) -> Result<bool> {
        let outcome = self.outcome.lock().unwrap_or_else(PoisonError::into_inner);
        let outcome = match timeout {
            None => self.done.wait_while(outcome, |o| o.is_none()).unwrap_or_else(PoisonError::into_inner),
            Some(timeout) => {
                self.done
                    .wait_timeout_while(outcome, timeout, |o| o.is_none())
                    .unwrap_or_else(PoisonError::into_inner)
                    .0
            }
        };
        match &*outcome {
            None => Ok(false),
            Some(outcome) => outcome.result.clone().map(|()| true),
        }
    }

    fn device_time(&self) -> Option<Duration> {
        self.outcome.lock().unwrap_or_else(PoisonError::into_inner).as_ref()?.device_time
    }
}

/// The time between Metal's two time stamps, in seconds; `None` where the device reported none.
pub(super) fn device_time(start: f64, end: f64) -> Option<Duration> {
    (start > 0.0 && end >= start).then(|| Duration::try_from_secs_f64(end - start).ok())?
}

#[cfg(test)]
mod tests {
    use std::{sync::Arc, thread};

    use super::*;
    use crate::{Error, ErrorKind};

    fn done(result: Result<()>) -> Outcome {
        Outcome { result, device_time: Some(Duration::from_micros(3)) }
    }

    #[test]
    fn work_that_is_not_done_says_so_and_tells_no_time() {
        let work = Completion::default();
        assert!(!work.wait(Some(Duration::ZERO)).unwrap());
        assert_eq!(work.device_time(), None);
    }

    #[test]
    fn every_waiter_wakes_when_the_handler_is_called() {
        let work = Arc::new(Completion::default());
        let waiters: Vec<_> = (0..3)
            .map(|_| {
                thread::spawn({
                    let work = work.clone();
                    move || work.wait(None)
                })
            })
            .collect();
        work.finish(done(Ok(())));
        for waiter in waiters {
            assert!(waiter.join().unwrap().unwrap());
        }
        assert_eq!(work.device_time(), Some(Duration::from_micros(3)));
    }

    #[test]
    fn a_failure_is_told_to_each_who_asks() {
        let work = Completion::default();
        work.finish(done(Err(Error::Cancelled)));
        assert_eq!(work.wait(None).unwrap_err().kind(), ErrorKind::Cancelled);
        assert_eq!(work.wait(Some(Duration::ZERO)).unwrap_err().kind(), ErrorKind::Cancelled);
    }

    #[test]
    fn time_stamps_that_were_not_taken_give_no_time() {
        assert_eq!(device_time(0.0, 0.0), None);
        assert_eq!(device_time(2.0, 1.0), None);
        assert_eq!(device_time(f64::NAN, 1.0), None);
        assert_eq!(device_time(1.0, 1.5), Some(Duration::from_millis(500)));
    }
}
