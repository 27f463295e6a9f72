//! Stories of one worker, told along a clock that we turn.

mod answering;
mod captured;
mod chance;
mod fetching;
mod hardship;
mod life;
mod stage;
