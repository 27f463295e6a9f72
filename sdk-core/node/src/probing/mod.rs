//! The sockets of link probes.
//!
//! What to measure and when, and what the answers mean, is decided without I/O in [`exo_telemetry::topology`]. Here is
//! what remains: threads that send, wait and look at the clock. Threads, not tasks: the time between two packets is the
//! measurement, and a thread that waits in the kernel is woken sooner than a task.
//!
//! ```text
//!   order = prober.poll(now)          spawn_blocking
//!   outcome = perform(&order, address) ────────────> UDP echoes, trains; TCP connects for exo's nodes
//!   tell(&mut prober, now, &order, outcome)
//!
//!   Answerer::start(...)              one thread that answers the probes of others
//! ```

mod answerer;
mod asker;
mod sending;
#[cfg(test)]
mod tests;

use std::{
    io,
    net::{SocketAddr, TcpStream},
    time::{Duration, Instant},
};

use exo_telemetry::topology::{LinkProber, Order, Throughput, Work, wire::Refused};
use thiserror::Error;

pub use answerer::{Answerer, Clock};
pub use asker::Asker;

use crate::Now;

/// How long a connect to a node of exo may take.
const CONNECT_TIME: Duration = Duration::from_secs(1);
/// Between two connects: a node of exo must not notice them.
const BETWEEN_CONNECTS: Duration = Duration::from_millis(50);

/// Why nothing was measured.
#[derive(Debug, Error)]
pub enum ProbeError {
    /// The system refused.
    #[error("the probe could not be sent: {0}")]
    Io(#[from] io::Error),
    /// Nobody answered.
    #[error(
        "nobody answers probes at this address; is the other side a member of this SDK, with probing on?"
    )]
    Silent,
    /// The other side does not want to.
    #[error("the train was refused: {0}")]
    Refused(#[from] Refused),
    /// A train went out, and too little of it arrived to say anything.
    #[error("nearly nothing of the train arrived")]
    Lost,
}

/// What came of an order.
#[derive(Debug)]
pub enum Outcome {
    /// Of echoes or connects.
    RoundTrips(Vec<Option<Duration>>),
    /// Of a train.
    Train(Throughput),
    /// Nothing.
    Failed(ProbeError),
}

/// Does what the prober ordered. Blocks, for a few seconds at most.
pub fn perform(order: &Order, address: SocketAddr) -> Outcome {
    let done = match order.work {
        Work::Connects(count) => Ok(Outcome::RoundTrips(connects(address, count))),
        Work::Echoes(count) => {
            Asker::open(address).and_then(|mut asker| asker.echoes(count)).map(Outcome::RoundTrips)
        }
        Work::Train { direction, packets } => {
            Asker::open(address).and_then(|mut asker| asker.train(direction, packets)).map(Outcome::Train)
        }
    };
    done.unwrap_or_else(Outcome::Failed)
}

/// Tells the prober what came of its order.
pub fn tell(prober: &mut LinkProber, now: Now, order: &Order, outcome: &Outcome) {
    match (outcome, order.work) {
        (Outcome::RoundTrips(times), _) => prober.echoed(now, &order.peer, times),
        (Outcome::Train(said), Work::Train { direction, .. }) => {
            prober.arrived(now, &order.peer, direction, *said);
        }
        (Outcome::Failed(ProbeError::Refused(why)), _) => prober.failed(now, &order.peer, Some(*why)),
        (Outcome::Failed(_) | Outcome::Train(_), _) => prober.failed(now, &order.peer, None),
    }
}

/// The time that a TCP handshake takes is one round trip. Nothing is sent on the connection.
fn connects(address: SocketAddr, count: u32) -> Vec<Option<Duration>> {
    (0..count)
        .map(|round| {
            if round > 0 {
                std::thread::sleep(BETWEEN_CONNECTS);
            }
            let started = Instant::now();
            TcpStream::connect_timeout(&address, CONNECT_TIME).ok().map(|_| started.elapsed())
        })
        .collect()
}
