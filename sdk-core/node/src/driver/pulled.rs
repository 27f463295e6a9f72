//! Streams that the app pulls: coalesced, bounded, cancellable.
//!
//! The driver only ever keeps the newest value. A slow reader skips what it missed and costs nothing; a reader that
//! stopped costs nothing either.

use tokio::sync::watch;

/// A stream of the newest value of something. Works on any executor, not only on tokio.
#[derive(Debug)]
pub struct Pulled<T> {
    values: watch::Receiver<T>,
    cancelled: watch::Sender<bool>,
    first: bool,
}

impl<T: Clone + Send + Sync> Pulled<T> {
    pub(super) fn new(values: watch::Receiver<T>) -> Self {
        Self { values, cancelled: watch::Sender::new(false), first: true }
    }

    /// The value now, then each newer one; `None` when the node is over or [`Canceller::cancel`] was called.
    ///
    /// Dropping the future is harmless: no value is lost.
    pub async fn next(&mut self) -> Option<T> {
        let mut cancelled = self.cancelled.subscribe();
        if *cancelled.borrow_and_update() {
            return None;
        }
        if self.first {
            self.first = false;
            return Some(self.values.borrow_and_update().clone());
        }
        tokio::select! {
            biased;
            _ = cancelled.wait_for(|cancelled| *cancelled) => None,
            changed = self.values.changed() => {
                changed.ok()?;
                Some(self.values.borrow_and_update().clone())
            }
        }
    }

    /// Ends the stream from anywhere, also while somebody waits in [`Self::next`].
    pub fn canceller(&self) -> Canceller {
        Canceller(self.cancelled.clone())
    }
}

/// Ends a stream.
#[derive(Debug, Clone)]
pub struct Canceller(watch::Sender<bool>);

impl Canceller {
    /// From now on `next` gives `None`. Calling it again does nothing.
    pub fn cancel(&self) {
        self.0.send_replace(true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_slow_reader_gets_the_newest_value_and_not_the_history() {
        let sender = watch::Sender::new(0);
        let mut stream = Pulled::new(sender.subscribe());
        for value in 1..=1000 {
            sender.send_replace(value);
        }
        assert_eq!(stream.next().await, Some(1000));
        sender.send_replace(1001);
        assert_eq!(stream.next().await, Some(1001));
    }

    #[tokio::test]
    async fn the_stream_ends_with_its_sender_but_the_last_value_is_seen() {
        let sender = watch::Sender::new("joined");
        let mut stream = Pulled::new(sender.subscribe());
        assert_eq!(stream.next().await, Some("joined"));
        sender.send_replace("left");
        drop(sender);
        assert_eq!(stream.next().await, Some("left"));
        assert_eq!(stream.next().await, None);
    }

    #[tokio::test]
    async fn a_waiting_reader_is_woken_by_cancel() {
        let sender = watch::Sender::new(());
        let mut stream = Pulled::new(sender.subscribe());
        stream.next().await;
        let canceller = stream.canceller();
        let waiting = tokio::spawn(async move { stream.next().await });
        canceller.cancel();
        assert_eq!(waiting.await.unwrap(), None);
    }
}
