//! Sends a train.

use std::{
    io,
    net::{SocketAddr, UdpSocket},
    thread,
    time::{Duration, Instant},
};

use exo_telemetry::topology::wire::{Message, Nonce, Train};

/// No train is sent for longer, so that a slow link is not filled for long.
const LONGEST: Duration = Duration::from_secs(1);
/// What the system's queues could not take is tried again after so long.
const FULL: Duration = Duration::from_millis(1);

/// Sends the packets of a train as fast as the socket takes them: a slower sender would measure itself.
pub(super) fn send_train(socket: &UdpSocket, to: SocketAddr, nonce: Nonce, train: Train) -> io::Result<()> {
    let started = Instant::now();
    let mut datagram = Vec::new();
    for number in 0..train.packets {
        Message::Packet(nonce, train.id, number).encode(&mut datagram);
        while let Err(error) = socket.send_to(&datagram, to) {
            if !is_full(&error) || started.elapsed() > LONGEST {
                return Err(error);
            }
            thread::sleep(FULL);
        }
        if started.elapsed() > LONGEST {
            break;
        }
    }
    Ok(())
}

/// Some systems say so instead of letting the sender wait; `ENOBUFS` has no kind of its own (105 on Linux, 55 at Apple).
fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
        || matches!(error.raw_os_error(), Some(105 | 55))
}
