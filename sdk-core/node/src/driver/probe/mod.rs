//! Looking at the device.

mod host;

pub use host::HostProbe;

use crate::member::Readings;

/// What an app implements to say how its device is. `measure` is called on a thread of its own, every few seconds
/// and never twice at once; it may take a moment. One that panics or takes too long is left out, not waited for.
///
/// Only true values: what cannot be had stays `None`. `able` is true only while an engine can serve: exo then sees a
/// backend and memory, and will place models here.
pub trait Probe: Send + Sync + 'static {
    /// One look at the device.
    fn measure(&self) -> Readings;
}
