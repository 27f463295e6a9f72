//! Answers the probes of others, on a thread of its own.

use std::{
    hash::{BuildHasher, RandomState},
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use exo_telemetry::topology::{
    Answer, LinkProber, Responder,
    wire::{PACKET, Refused},
};

use super::sending::send_train;
use crate::Now;

/// The driver's clock.
pub type Clock = Arc<dyn Fn() -> Now + Send + Sync>;

/// Answers the probes of others until it is closed or dropped.
#[derive(Debug)]
pub struct Answerer {
    address: SocketAddr,
    socket: UdpSocket,
    responder: Arc<Mutex<Responder>>,
    ending: Arc<AtomicBool>,
    thread: Option<thread::JoinHandle<()>>,
}

impl Answerer {
    /// Listens at this address; port 0 lets the system choose one. Trains are paid for from the prober's budget.
    pub fn start(at: SocketAddr, prober: Arc<Mutex<LinkProber>>, clock: Clock) -> io::Result<Self> {
        let socket = super::asker::open(at)?;
        let address = socket.local_addr()?;
        let responder = Arc::new(Mutex::new(Responder::new(key(), clock().mono)));
        let ending = Arc::new(AtomicBool::new(false));
        let (theirs, shared, ended) = (socket.try_clone()?, responder.clone(), ending.clone());
        let thread = thread::Builder::new()
            .name("exo-probes".into())
            .spawn(move || answer(&theirs, &shared, &prober, &clock, &ended))?;
        Ok(Self { address, socket, responder, ending, thread: Some(thread) })
    }

    /// Where it listens.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// From now on trains are refused for this reason, or not.
    pub fn refuse_trains(&self, why: Option<Refused>) {
        self.responder.lock().unwrap_or_else(PoisonError::into_inner).refuse_trains(why);
    }

    /// Ends the thread. Closing twice is no error.
    pub fn close(&mut self) {
        self.ending.store(true, Ordering::Release);
        // The thread waits in the kernel; an empty datagram to ourselves wakes it.
        let ip = match self.address.ip() {
            ip if !ip.is_unspecified() => ip,
            IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        };
        let woken = self.socket.send_to(&[], SocketAddr::new(ip, self.address.port()));
        // Where even that is refused, the thread ends with the next datagram; waiting for it could take for ever.
        if let (Ok(_), Some(thread)) = (woken, self.thread.take()) {
            let _ = thread.join();
        }
    }
}

impl Drop for Answerer {
    fn drop(&mut self) {
        self.close();
    }
}

fn answer(
    socket: &UdpSocket,
    responder: &Mutex<Responder>,
    prober: &Mutex<LinkProber>,
    clock: &Clock,
    ending: &AtomicBool,
) {
    let (mut buffer, mut datagram) = ([0; PACKET + 1], Vec::new());
    while !ending.load(Ordering::Acquire) {
        // An error is about an earlier datagram that found nobody, or about a network that went away and may return.
        let Ok((length, from)) = socket.recv_from(&mut buffer) else {
            thread::sleep(std::time::Duration::from_millis(20));
            continue;
        };
        let now = clock();
        let answer = {
            let mut prober = prober.lock().unwrap_or_else(PoisonError::into_inner);
            let mut responder = responder.lock().unwrap_or_else(PoisonError::into_inner);
            responder.handle(now, from, buffer.get(..length).unwrap_or_default(), prober.budget())
        };
        // What cannot be sent is as good as lost on the way: the asker asks again.
        match answer {
            None => {}
            Some(Answer::Message(message)) => {
                message.encode(&mut datagram);
                let _ = socket.send_to(&datagram, from);
            }
            Some(Answer::Train(nonce, train)) => {
                let _ = send_train(socket, from, nonce, train);
                responder.lock().unwrap_or_else(PoisonError::into_inner).train_sent(clock().mono);
            }
        }
    }
}

/// The standard library keys its hash maps from the system's random source; what they make of two constants is known
/// to nobody else.
fn key() -> [u8; 16] {
    let half = |side: u8| u128::from(RandomState::new().hash_one(side));
    (half(0) << 64 | half(1)).to_be_bytes()
}
