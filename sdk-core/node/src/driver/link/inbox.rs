//! What was heard and waits for the member: bounded in number and in bytes.

use std::sync::{
    Arc,
    atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed},
};

use exo_wire::Topic;
use tokio::sync::mpsc;

/// exo warns above 1 MiB and has no limit. Nothing that a member needs comes near this.
pub(in crate::driver) const LARGEST_PAYLOAD: usize = 8 << 20;
const WAITING_PAYLOADS: usize = 2048;
const WAITING_BYTES: usize = 16 << 20;

/// A payload on one of exo's topics.
#[derive(Debug)]
pub(in crate::driver) struct Heard {
    pub(in crate::driver) topic: Topic,
    pub(in crate::driver) payload: Vec<u8>,
}

/// What could not be kept. Counters never go back.
#[derive(Debug, Default)]
pub(in crate::driver) struct Losses {
    /// Payloads that came while the queue was full.
    pub(in crate::driver) overrun: AtomicU64,
    /// Payloads above [`LARGEST_PAYLOAD`].
    pub(in crate::driver) oversized: AtomicU64,
}

/// The side of zenoh's callbacks.
#[derive(Debug, Clone)]
pub(super) struct Slot {
    queue: mpsc::Sender<Heard>,
    waiting: Arc<AtomicUsize>,
    losses: Arc<Losses>,
}

/// The side of the driver.
#[derive(Debug)]
pub(in crate::driver) struct Inbox {
    queue: mpsc::Receiver<Heard>,
    waiting: Arc<AtomicUsize>,
}

/// Both sides of a new queue.
pub(super) fn inbox(losses: Arc<Losses>) -> (Slot, Inbox) {
    let (sender, receiver) = mpsc::channel(WAITING_PAYLOADS);
    let waiting = Arc::new(AtomicUsize::new(0));
    (Slot { queue: sender, waiting: waiting.clone(), losses }, Inbox { queue: receiver, waiting })
}

impl Slot {
    /// Keeps a payload of that length, if there is room; `copy` is only called then. Never blocks: zenoh's receiving
    /// thread calls it.
    pub(super) fn keep(&self, topic: Topic, length: usize, copy: impl FnOnce() -> Vec<u8>) {
        if length > LARGEST_PAYLOAD {
            self.losses.oversized.fetch_add(1, Relaxed);
            return;
        }
        let waiting = self.waiting.fetch_add(length, Relaxed).saturating_add(length);
        let kept = waiting <= WAITING_BYTES
            && self.queue.try_reserve().is_ok_and(|place| {
                place.send(Heard { topic, payload: copy() });
                true
            });
        if !kept {
            self.waiting.fetch_sub(length, Relaxed);
            self.losses.overrun.fetch_add(1, Relaxed);
        }
    }
}

impl Inbox {
    /// The next payload; `None` once the session is closed.
    pub(super) async fn next(&mut self) -> Option<Heard> {
        let heard = self.queue.recv().await?;
        Some(self.taken(heard))
    }

    /// A payload that is here already.
    pub(super) fn waiting(&mut self) -> Option<Heard> {
        let heard = self.queue.try_recv().ok()?;
        Some(self.taken(heard))
    }

    fn taken(&self, heard: Heard) -> Heard {
        self.waiting.fetch_sub(heard.payload.len(), Relaxed);
        heard
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keep(slot: &Slot, length: usize) {
        slot.keep(Topic::GlobalEvents, length, || vec![b' '; length]);
    }

    #[tokio::test]
    async fn a_flood_is_counted_and_costs_no_more_than_the_queue() {
        let losses = Arc::new(Losses::default());
        let (slot, mut inbox) = inbox(losses.clone());
        for _ in 0..WAITING_PAYLOADS + 100 {
            keep(&slot, 1);
        }
        assert_eq!(losses.overrun.load(Relaxed), 100);
        assert_eq!(inbox.next().await.map(|heard| heard.payload.len()), Some(1));
        keep(&slot, 1);
        assert_eq!(losses.overrun.load(Relaxed), 100, "one was taken, so one fits");
    }

    #[tokio::test]
    async fn large_payloads_are_bounded_by_their_sum() {
        let losses = Arc::new(Losses::default());
        let (slot, mut inbox) = inbox(losses.clone());
        keep(&slot, LARGEST_PAYLOAD);
        keep(&slot, LARGEST_PAYLOAD);
        keep(&slot, 1);
        assert_eq!(losses.overrun.load(Relaxed), 1);
        inbox.next().await;
        keep(&slot, 1);
        assert_eq!(losses.overrun.load(Relaxed), 1);
    }

    #[tokio::test]
    async fn a_giant_is_dropped_and_counted_by_itself() {
        let losses = Arc::new(Losses::default());
        let (slot, _inbox) = inbox(losses.clone());
        slot.keep(Topic::GlobalEvents, LARGEST_PAYLOAD + 1, || panic!("a giant was copied"));
        assert_eq!(losses.oversized.load(Relaxed), 1);
        assert_eq!(losses.overrun.load(Relaxed), 0);
    }
}
