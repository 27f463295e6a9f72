//! Work under way: wait for it, await it, or take it back while it has not begun.

use std::{
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::{Duration, Instant},
};

use crate::{Device, Error, Result, line::Flight};

/// Work that was submitted. Dropping it neither waits nor cancels; the work goes on.
#[must_use = "the work may not be done yet: wait for it or await it"]
pub struct Submission {
    device: Device,
    flight: Arc<Flight>,
}

impl std::fmt::Debug for Submission {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Submission(#{}, done: {})", self.flight.number, self.is_done())
    }
}

impl Submission {
    pub(crate) fn new(device: Device, flight: Arc<Flight>) -> Self {
        Self { device, flight }
    }

    /// Waits until the work is done. Blocks in the driver; does not spin.
    pub fn wait(&self) -> Result<()> {
        self.device.settle(self.flight.number);
        self.flight.result().unwrap_or(Err(Error::Closed { what: "device" })).map(drop)
    }

    /// Waits at most `limit`; `false` means that the work goes on.
    pub fn wait_for(&self, limit: Duration) -> Result<bool> {
        self.device.settle_until(self.flight.number, Instant::now().checked_add(limit));
        self.flight.result().map_or(Ok(false), |result| result.map(|_| true))
    }

    /// Whether the work is over, well or not.
    pub fn is_done(&self) -> bool {
        self.device.settle_until(self.flight.number, Some(Instant::now()));
        self.flight.result().is_some()
    }

    /// Takes the work back if it has not been handed to the device yet; `false` means that it is too late.
    pub fn cancel(&self) -> bool {
        self.device.cancel(&self.flight)
    }

    /// The device's own time, where [`Batch::timed`](crate::Batch::timed) asked for it, the device can measure it,
    /// and the work is done.
    pub fn device_time(&self) -> Option<Duration> {
        self.flight.result()?.ok()?
    }
}

impl Future for Submission {
    type Output = Result<()>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        if let Some(result) = self.flight.result_or_wake(context.waker()) {
            return Poll::Ready(result.map(drop));
        }
        self.device.attend();
        Poll::Pending
    }
}

impl Drop for Submission {
    fn drop(&mut self) {
        // Somebody has to see the work off, or its buffers would never be freed.
        if self.flight.result().is_none() {
            self.device.attend();
        }
    }
}
