//! What goes into founding and what comes out.

use std::net::SocketAddr;

use exo_wire::{SessionId, Zid};

use crate::discovery::Found;

/// What happens to a founding phone.
#[derive(Debug)]
pub enum Input<'a> {
    /// The time has come; see [`Founding::deadline`](super::Founding::deadline).
    Tick,
    /// No exo was found for a while, or the one that was is lost: look for phones.
    Alone,
    /// The member has what it needs, or leaves: nobody is looked for.
    Settled,
    /// An exo was found. With a zid it has answered a Hello; without one it is only an address.
    Exo(Found),
    /// What came of [`Output::Knock`].
    Knocked {
        /// Whether somebody took the connection.
        answered: bool,
    },
    /// The member is linked to a router, of an exo or of our host.
    Linked,
    /// The member's link is lost, or could not be made.
    Unlinked,
    /// Bytes came to the phones' discovery socket.
    Datagram {
        /// From where.
        from: SocketAddr,
        /// What.
        bytes: &'a [u8],
    },
    /// Somebody (DNS-SD) told that a host of our namespace takes a Hello there. It is asked; its answer counts alone.
    Told {
        /// A neighbour.
        at: SocketAddr,
    },
    /// The router that [`Output::Open`] asked for listens there.
    Opened {
        /// Its TCP port.
        port: u16,
    },
    /// It could not be opened, or it broke.
    OpenFailed,
    /// All that [`Output::Close`] asked for is closed.
    Closed,
}

/// What a founding phone wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Output {
    /// Send this to all phones: multicast to exo's group at [`PORT`](super::PORT), on every interface where that is
    /// allowed.
    Shout(Vec<u8>),
    /// Send this to one.
    Send {
        /// Where.
        to: SocketAddr,
        /// What.
        bytes: Vec<u8>,
    },
    /// Open a zenoh router with this id and be master of this session.
    Open {
        /// The router's id.
        zid: Zid,
        /// The reign that begins.
        session: SessionId,
    },
    /// Be a member of the phone cluster there. Only the router with that zid may be linked.
    Follow(Found),
    /// Open a TCP connection to one of these places, close it without a byte, and say [`Input::Knocked`].
    Knock(Found),
    /// Close the router and every link, forget what the member knows of routers and sessions, then say
    /// [`Input::Closed`].
    Close,
    /// Nothing of the phones is open: be a member of exo.
    Join(Found),
    /// [`Founding::role`](super::Founding::role) changed.
    Changed,
}

/// What this phone is to the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Role {
    /// Not asked for, or a guest of an exo: nothing is sent and nothing answered.
    Resting,
    /// Looking for others.
    Looking,
    /// The router is being opened.
    Opening,
    /// Router and master.
    Hosting,
    /// A member of this host's cluster.
    Following(Zid),
    /// Closing, because an exo was found or lost, or because another host comes first.
    Closing,
}
