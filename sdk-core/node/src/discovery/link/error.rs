//! What is wrong with a link, and what to write instead.

/// Why a text is not a link. Each message ends with what to write.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadLink {
    /// Nothing there, or nothing but a scheme.
    #[error("the link names no host: write exo://HOST, for example exo://192.168.1.7")]
    NoHost,
    /// Far longer than any link.
    #[error("the link is longer than {0} bytes: write exo://HOST?ns=NAME")]
    TooLong(usize),
    /// Another kind of link.
    #[error("{0:?} is not a link to exo: write exo://HOST instead of {0}://HOST")]
    Scheme(String),
    /// An IPv6 address without brackets.
    #[error("{0:?} looks like an IPv6 address: write it in brackets, exo://[{0}]")]
    Brackets(String),
    /// Brackets around something else, or only one of them.
    #[error("{0:?} is not an IPv6 address: write exo://[fe80::1%INTERFACE] or exo://192.168.1.7")]
    NotIpv6(String),
    /// No name that a host can have.
    #[error("{0:?} is not a host: write an address such as 192.168.1.7 or a name such as mac.local")]
    NotHost(String),
    /// An address that cannot be dialled.
    #[error("{0} is not the address of one host: write the address of the computer that runs exo")]
    NotOneHost(std::net::IpAddr),
    /// No port.
    #[error("{0:?} is not a port: write a number from 1 to 65535, or leave it out")]
    Port(String),
    /// Something after the host that a link to exo does not have.
    #[error("{0:?} does not belong in a link to exo: write exo://HOST:PORT?ns=NAME&api=PORT")]
    Unexpected(String),
    /// A parameter that nobody knows.
    #[error("the link has an unknown parameter {0:?}: write ns=NAME or api=PORT")]
    Parameter(String),
    /// The same parameter twice.
    #[error("the link has {0:?} twice: write it once")]
    Twice(String),
    /// No name that a cluster can have.
    #[error(
        "the namespace in the link is no text: write ns=NAME, other than letters and digits as %XX of UTF-8"
    )]
    Namespace,
}
