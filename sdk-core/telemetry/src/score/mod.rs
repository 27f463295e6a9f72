//! How good a device is for work now: a number, what it is made of, how sure it is, and a sentence.
//!
//! Two scores, both in `0..1`:
//!
//! ```text
//!   DeviceScorer::quick      (0.6 memory + 0.4 compute) x heat
//!   DeviceScorer::composite   0.40 compute + 0.30 memory + 0.15 network position + 0.10 thermal headroom + 0.05 bandwidth
//! ```
//!
//! Every part is a fraction of a [`Reference`]: a stated one, or the best of the cluster. The factor *heat* is 1 up to
//! 80 °C, 0 from 100 °C on, and linear between.
//!
//! What is not known does not count against a device: the weights of what *is* known are stretched to 1, and the
//! [`Score::confidence`] says how much of the weight was known (measured counts in full, estimated half).

mod candidate;
mod factor;
pub mod heat;
mod reference;
mod scorer;
mod sentence;

pub use candidate::Candidate;
pub use factor::{Factor, Part};
pub use reference::Reference;
pub use scorer::{Choice, DeviceScorer, Formula, Refusal, Score, Task};
