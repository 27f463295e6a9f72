//! Transfers to and from memory that the host does not see: old Macs with a card of their own.
//!
//! A ring of a few host-visible pieces. While the device copies one, the host fills or empties the next. Writes
//! return when the last piece is handed over, not when it has arrived: the queue keeps the order, and if the copy
//! fails, whoever uses the piece next is told.

use std::{ptr::NonNull, sync::Arc};

use super::{
    command::Place,
    completion::Completion,
    memory::{Arena, MetalMemory, RawBuffer},
    queue::Queue,
};
use crate::{Error, Result, backend::Pending};

/// Bytes of one piece.
const PIECE_BYTES: usize = 4 << 20;

/// Pieces in the ring.
const PIECES: usize = 3;

/// The ring. One transfer at a time uses it; part `i` of a transfer goes through piece `i % PIECES`.
pub(super) struct Staging {
    pieces: [Piece; PIECES],
}

struct Piece {
    memory: MetalMemory,
    /// The copy that uses it.
    busy: Option<Arc<Completion>>,
}

impl Staging {
    /// A ring of pieces from `arena`, which must be one that the host sees.
    pub(super) fn new(arena: &Arc<Arena>) -> Result<Self> {
        let piece = || Ok::<_, Error>(Piece { memory: arena.allocate(PIECE_BYTES as u64)?, busy: None });
        Ok(Self { pieces: [piece()?, piece()?, piece()?] })
    }

    /// Copies `bytes` to `target` at `offset`.
    pub(super) fn write(
        &mut self,
        queue: &Queue,
        target: &RawBuffer,
        offset: u64,
        bytes: &[u8],
    ) -> Result<()> {
        for (index, part) in bytes.chunks(PIECE_BYTES).enumerate() {
            let piece = &mut self.pieces[index % PIECES];
            let host = piece.ready()?;
            // SAFETY: `host` begins a piece of PIECE_BYTES, of which `part` is one chunk at most; `ready` waited for
            // the copy that used it; `&mut self` keeps other transfers away.
            unsafe { host.copy_from_nonoverlapping(NonNull::from(part).cast(), part.len()) };
            let to = Place { buffer: target, offset: offset + (index * PIECE_BYTES) as u64 };
            piece.busy = Some(queue.submit(false, |recorder| {
                recorder.copy(Place { buffer: piece.memory.raw()?, offset: 0 }, to, part.len() as u64, false)
            })?);
        }
        Ok(())
    }

    /// Copies from `source` at `offset`.
    pub(super) fn read(
        &mut self,
        queue: &Queue,
        source: &RawBuffer,
        offset: u64,
        bytes: &mut [u8],
    ) -> Result<()> {
        let total = bytes.len();
        let mut asked = 0;
        for (index, part) in bytes.chunks_mut(PIECE_BYTES).enumerate() {
            // Keep the device ahead of the host by as many pieces as there are.
            while asked < index + PIECES && asked * PIECE_BYTES < total {
                let start = asked * PIECE_BYTES;
                let from = Place { buffer: source, offset: offset + start as u64 };
                self.pieces[asked % PIECES].fill(queue, from, (total - start).min(PIECE_BYTES))?;
                asked += 1;
            }
            let host = self.pieces[index % PIECES].ready()?;
            // SAFETY: `host` begins a piece of PIECE_BYTES, of which `part` is one chunk at most; `ready` waited for
            // the copy into it; `&mut self` keeps other transfers away.
            unsafe { host.copy_to_nonoverlapping(NonNull::from(&mut *part).cast(), part.len()) };
        }
        Ok(())
    }
}

impl Piece {
    /// Has the device copy `bytes` into the piece.
    fn fill(&mut self, queue: &Queue, from: Place<'_>, bytes: usize) -> Result<()> {
        self.ready()?;
        self.busy = Some(queue.submit(false, |recorder| {
            recorder.copy(from, Place { buffer: self.memory.raw()?, offset: 0 }, bytes as u64, false)
        })?);
        Ok(())
    }

    /// Its first byte, once the device is done with it.
    fn ready(&mut self) -> Result<NonNull<u8>> {
        if let Some(copy) = self.busy.take() {
            copy.wait(None)?;
        }
        self.memory.address()
    }
}
