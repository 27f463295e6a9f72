//! Threads of our own: for calls that take a while, and for code of the app that may.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::mpsc,
    thread,
};

use tokio::sync::oneshot;

use crate::{ErrorKind, ExoError, Result};

/// Runs a call that blocks on a thread of its own. Who stops waiting leaves it to end by itself; what it made is
/// dropped.
pub(crate) async fn aside<T: Send + 'static>(
    name: &'static str,
    call: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let (done, outcome) = oneshot::channel();
    let body = move || drop(done.send(call()));
    let system = |error| ExoError::new(ErrorKind::System, format!("no thread for the call: {error}"));
    thread::Builder::new().name(name.into()).spawn(body).map_err(system)?;
    // The sender is dropped unused only by a panic.
    outcome.await.unwrap_or_else(|_| Err(ExoError::new(ErrorKind::Fault, "a fault inside the library")))
}

/// How many errands wait at most.
const WAITING: usize = 256;

type Errand = Box<dyn FnOnce() + Send>;

/// One thread that calls code of the app, in order. The core never waits for that code: it may be slow, it may throw,
/// and it may call back.
#[derive(Debug, Clone)]
pub(crate) struct Errands(mpsc::SyncSender<Errand>);

impl Errands {
    /// Starts the thread. It ends with the last clone.
    pub(crate) fn start(name: &'static str) -> Result<Self> {
        let (sender, errands) = mpsc::sync_channel::<Errand>(WAITING);
        let body = move || {
            for errand in errands {
                // A panic here is one of the bindings; the next errand is none the worse for it.
                let _ = catch_unwind(AssertUnwindSafe(errand));
            }
        };
        let system =
            |error| ExoError::new(ErrorKind::System, format!("no thread for the app's code: {error}"));
        thread::Builder::new().name(name.into()).spawn(body).map_err(system)?;
        Ok(Self(sender))
    }

    /// Gives it an errand; false if too many wait already.
    pub(crate) fn send(&self, errand: impl FnOnce() + Send + 'static) -> bool {
        self.0.try_send(Box::new(errand)).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::waiting::wait_for;

    #[test]
    fn a_call_aside_gives_its_value_and_a_panic_in_it_is_a_fault() {
        assert_eq!(wait_for(aside("test", || Ok(7))), Ok(7));
        let fault = wait_for(aside::<()>("test", || unreachable!("provoked"))).unwrap_err();
        assert_eq!(fault.kind(), ErrorKind::Fault);
    }

    #[test]
    fn errands_run_in_order_and_survive_a_panic() {
        let errands = Errands::start("test").unwrap();
        let (sender, told) = mpsc::channel();
        let first = sender.clone();
        assert!(errands.send(move || first.send(1).unwrap()));
        assert!(errands.send(|| unreachable!("provoked")));
        assert!(errands.send(move || sender.send(2).unwrap()));
        let within = Duration::from_secs(5);
        assert_eq!((told.recv_timeout(within), told.recv_timeout(within)), (Ok(1), Ok(2)));
    }
}
