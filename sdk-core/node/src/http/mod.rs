//! The little HTTP that a member needs, as bytes: reading a response within limits, and reading a request.
//!
//! Neither owns a socket, and any bytes end in a value or an error. The sockets are the driver's.

pub mod request;
pub mod response;
