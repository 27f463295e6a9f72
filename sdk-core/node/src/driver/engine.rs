//! The engine's thread.
//!
//! An engine computes for as long as it likes, so it has a thread of its own: between two of its steps it is given what
//! was asked meanwhile. What it tells waits in a bounded queue; an engine that is faster than the node waits for it.

use std::{
    any::Any,
    future::pending,
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        mpsc::{self as std_mpsc, RecvTimeoutError, TryRecvError},
    },
    thread,
};

use tokio::sync::mpsc;

use super::clock::Clock;
use crate::worker::{Capacity, Engine, Report, Step, Wish};

/// Reports that may wait for the node: some tokens of every answer.
const WAITING_REPORTS: usize = 256;

/// An engine on its thread. Dropping it ends the engine after its current step.
#[derive(Debug)]
pub(super) struct EngineRoom {
    asked: std_mpsc::Sender<Asked>,
    reports: mpsc::Receiver<Report>,
}

/// Why an engine that rests gets up.
enum Asked {
    Wish(Wish),
    /// It called for it itself.
    News,
    /// Nobody wants it any more. It may hold a way to wake itself, so the end of the queue is never heard of.
    Over,
}

impl EngineRoom {
    pub(super) fn start(mut engine: Box<dyn Engine>, clock: Clock) -> io::Result<Self> {
        let (asks, asked) = std_mpsc::channel();
        let news = asks.clone();
        engine.wake_with(Arc::new(move || drop(news.send(Asked::News))));
        let (tell, reports) = mpsc::channel(WAITING_REPORTS);
        let body = move || {
            let broken = tell.clone();
            let lived =
                catch_unwind(AssertUnwindSafe(|| Shift { engine, clock, asked, tell, told: None }.work()));
            if let Err(panic) = lived {
                // Whoever is told may have gone.
                let _ = broken.blocking_send(Report::Broken(in_words(panic.as_ref())));
            }
        };
        thread::Builder::new().name("exo-engine".into()).spawn(body)?;
        Ok(Self { asked: asks, reports })
    }

    /// Hands a wish to the engine. One that broke has said so, and hears nothing more.
    pub(super) fn ask(&self, wish: Wish) {
        let _ = self.asked.send(Asked::Wish(wish));
    }

    /// The next report; never, once the engine is gone. Safe to drop while it waits.
    pub(super) async fn next(&mut self) -> Report {
        match self.reports.recv().await {
            Some(report) => report,
            None => pending().await,
        }
    }

    /// A report that is here already.
    pub(super) fn waiting(&mut self) -> Option<Report> {
        self.reports.try_recv().ok()
    }
}

impl Drop for EngineRoom {
    fn drop(&mut self) {
        let _ = self.asked.send(Asked::Over);
    }
}

struct Shift {
    engine: Box<dyn Engine>,
    clock: Clock,
    asked: std_mpsc::Receiver<Asked>,
    tell: mpsc::Sender<Report>,
    told: Option<Capacity>,
}

/// Nobody wants the engine any more.
struct Over;

impl Shift {
    fn work(mut self) {
        let mut next = Step::Idle;
        while let Ok(step) = self.turn(next) {
            next = step;
        }
    }

    fn turn(&mut self, next: Step) -> Result<Step, Over> {
        self.tell_capacity()?;
        let mut asked = self.wait(next)?;
        while let Some(ask) = asked {
            match ask {
                Asked::Wish(wish) => self.obey(wish)?,
                Asked::News => {}
                Asked::Over => return Err(Over),
            }
            asked = self.wait(Step::Again)?;
        }
        let (now, tell, mut over) = (self.clock.now().mono, &self.tell, false);
        let step = self.engine.step(now, &mut |report| over |= tell.blocking_send(report).is_err());
        if over { Err(Over) } else { Ok(step) }
    }

    /// What it is asked next, waited for as long as the engine has nothing to do.
    fn wait(&self, next: Step) -> Result<Option<Asked>, Over> {
        match next {
            Step::Again => match self.asked.try_recv() {
                Ok(asked) => Ok(Some(asked)),
                Err(TryRecvError::Empty) => Ok(None),
                Err(TryRecvError::Disconnected) => Err(Over),
            },
            Step::After(wait) => match self.asked.recv_timeout(wait) {
                Ok(asked) => Ok(Some(asked)),
                Err(RecvTimeoutError::Timeout) => Ok(None),
                Err(RecvTimeoutError::Disconnected) => Err(Over),
            },
            Step::Idle => self.asked.recv().map(Some).map_err(|_| Over),
        }
    }

    fn obey(&mut self, wish: Wish) -> Result<(), Over> {
        let report = wish.put_to(self.engine.as_mut());
        // What it has now is known before what came of it.
        self.tell_capacity()?;
        report.map_or(Ok(()), |report| self.tell.blocking_send(report).map_err(|_| Over))
    }

    fn tell_capacity(&mut self) -> Result<(), Over> {
        let capacity = self.engine.capacity();
        if self.told.replace(capacity) == Some(capacity) {
            return Ok(());
        }
        self.tell.blocking_send(Report::Capacity(capacity)).map_err(|_| Over)
    }
}

fn in_words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "it gave no reason".to_owned())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use exo_wire::{
        RunnerId, TaskId, gathered::Backend, shard::ShardMetadata, text::TextGenerationTaskParams,
    };
    use tokio::time::timeout;

    use super::*;
    use crate::{
        now::Moment,
        worker::{EngineError, Suitable, Wake},
    };

    /// Counts its steps for ever, and breaks at an unload.
    struct Counter(u32);

    impl Engine for Counter {
        fn backends(&self) -> Vec<Backend> {
            Vec::new()
        }

        fn capacity(&self) -> Capacity {
            Capacity::default()
        }

        fn examine(&mut self, _: &ShardMetadata) -> Result<Suitable, EngineError> {
            Ok(Suitable { memory: 0, stored: None })
        }

        fn fetch(&mut self, _: &RunnerId, _: &ShardMetadata) {}

        fn load(&mut self, _: &RunnerId, _: &ShardMetadata) {}

        fn warm_up(&mut self, _: &RunnerId) {}

        fn generate(&mut self, _: &RunnerId, _: &TaskId, _: &Arc<TextGenerationTaskParams>) {}

        fn cancel(&mut self, _: &TaskId) {}

        fn unload(&mut self, _: &RunnerId) {
            panic!("on purpose");
        }

        fn set_share(&mut self, _: f64) {}

        fn step(&mut self, _: Moment, tell: &mut dyn FnMut(Report)) -> Step {
            self.0 += 1;
            tell(Report::Loading(RunnerId::heard("r"), self.0));
            Step::Again
        }
    }

    /// Has something to tell once it is woken by somebody else.
    struct Sleeper(Arc<std::sync::Mutex<Option<Wake>>>);

    impl Engine for Sleeper {
        fn backends(&self) -> Vec<Backend> {
            Vec::new()
        }

        fn wake_with(&mut self, wake: Wake) {
            *self.0.lock().unwrap() = Some(wake);
        }

        fn capacity(&self) -> Capacity {
            Capacity::default()
        }

        fn examine(&mut self, _: &ShardMetadata) -> Result<Suitable, EngineError> {
            Ok(Suitable { memory: 0, stored: None })
        }

        fn fetch(&mut self, _: &RunnerId, _: &ShardMetadata) {}

        fn load(&mut self, _: &RunnerId, _: &ShardMetadata) {}

        fn warm_up(&mut self, _: &RunnerId) {}

        fn generate(&mut self, _: &RunnerId, _: &TaskId, _: &Arc<TextGenerationTaskParams>) {}

        fn cancel(&mut self, _: &TaskId) {}

        fn unload(&mut self, _: &RunnerId) {}

        fn set_share(&mut self, _: f64) {}

        fn step(&mut self, _: Moment, tell: &mut dyn FnMut(Report)) -> Step {
            tell(Report::Loaded(RunnerId::heard("r")));
            Step::Idle
        }
    }

    #[tokio::test]
    async fn an_engine_that_rests_is_woken_by_its_own_threads_and_ends_with_the_room() {
        let held = Arc::default();
        let mut room = EngineRoom::start(Box::new(Sleeper(Arc::clone(&held))), Clock::start()).unwrap();
        assert_eq!(room.next().await, Report::Capacity(Capacity::default()));
        assert!(timeout(Duration::from_millis(50), room.next()).await.is_err(), "it rests");
        let wake = held.lock().unwrap().clone().unwrap();
        wake();
        assert_eq!(room.next().await, Report::Loaded(RunnerId::heard("r")));
        drop((room, wake));
        let ended = async {
            while Arc::strong_count(&held) > 1 {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        assert!(timeout(Duration::from_mins(1), ended).await.is_ok());
    }

    #[tokio::test]
    async fn a_busy_engine_hears_wishes_between_its_steps_and_its_panic_is_a_report() {
        let mut room = EngineRoom::start(Box::new(Counter(0)), Clock::start()).unwrap();
        assert_eq!(room.next().await, Report::Capacity(Capacity::default()));
        room.ask(Wish::SetShare(1.0));
        assert_eq!(room.next().await, Report::Loading(RunnerId::heard("r"), 1), "it waits until it is asked");
        room.ask(Wish::Unload(RunnerId::heard("r")));
        let broke = async {
            loop {
                if let Report::Broken(why) = room.next().await {
                    break why;
                }
            }
        };
        assert_eq!(timeout(Duration::from_mins(1), broke).await.unwrap(), "on purpose");
        room.ask(Wish::SetShare(0.5));
        assert!(timeout(Duration::from_millis(50), room.next()).await.is_err(), "nothing follows");
    }
}
