//! The functions for Swift, Python and C. `include/exo_mobile_bytes.h` declares them.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    ptr, slice,
};

use exo_models::Flow;

use super::{BUFFERS, RECEIVERS};
use crate::{ErrorKind, ExoError, Result};

/// Copies `length` bytes into the buffer with this handle, from its byte `offset` on.
///
/// Returns 0, or the number of an [`ErrorKind`]; then the first `why_size` bytes at `why` hold what happened, in UTF-8,
/// ended by a zero.
///
/// # Safety
/// `bytes` points to `length` bytes that nobody writes meanwhile; `why` to `why_size` bytes that nobody else uses. Either
/// may be null if its length is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn exo_buffer_write(
    handle: u64,
    offset: u64,
    bytes: *const u8,
    length: u64,
    why: *mut u8,
    why_size: u64,
) -> i32 {
    let outcome = contained(|| {
        let length = checked(bytes, length)?;
        // SAFETY: the caller promises that `bytes` points to `length` bytes that nobody writes; null was refused above.
        let bytes = if length == 0 { &[] } else { unsafe { slice::from_raw_parts(bytes, length) } };
        Ok(BUFFERS.get(handle)?.write(offset, bytes)?)
    });
    // SAFETY: the caller promises that `why` points to `why_size` bytes of its own.
    unsafe { tell(outcome, why, why_size) }
}

/// Copies `length` bytes out of the buffer with this handle, from its byte `offset` on. Returns as
/// [`exo_buffer_write`] does.
///
/// # Safety
/// `bytes` points to `length` initialised bytes that nobody else uses meanwhile; `why` to `why_size` bytes that nobody
/// else uses. Either may be null if its length is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn exo_buffer_read(
    handle: u64,
    offset: u64,
    bytes: *mut u8,
    length: u64,
    why: *mut u8,
    why_size: u64,
) -> i32 {
    let outcome = contained(|| {
        let length = checked(bytes, length)?;
        // SAFETY: the caller promises that `bytes` points to `length` bytes that nobody else uses; null was refused above.
        let bytes = if length == 0 { &mut [] } else { unsafe { slice::from_raw_parts_mut(bytes, length) } };
        Ok(BUFFERS.get(handle)?.read(offset, bytes)?)
    });
    // SAFETY: the caller promises that `why` points to `why_size` bytes of its own.
    unsafe { tell(outcome, why, why_size) }
}

/// Hands `length` bytes of a server's answer to the receiver with this handle. Blocks while there is no room for them.
///
/// Returns 0, or -1 if nothing more is wanted (close the connection), or the number of an [`ErrorKind`], as
/// [`exo_buffer_write`] does.
///
/// # Safety
/// `bytes` points to `length` bytes that nobody writes meanwhile; `why` to `why_size` bytes that nobody else uses. Either
/// may be null if its length is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn exo_receiver_chunk(
    handle: u64,
    bytes: *const u8,
    length: u64,
    why: *mut u8,
    why_size: u64,
) -> i32 {
    let outcome = contained(|| {
        let length = checked(bytes, length)?;
        // SAFETY: the caller promises that `bytes` points to `length` bytes that nobody writes; null was refused above.
        let bytes = if length == 0 { &[] } else { unsafe { slice::from_raw_parts(bytes, length) } };
        Ok(RECEIVERS.get(handle)?.chunk(bytes))
    });
    match outcome {
        Ok(Flow::Continue) => 0,
        Ok(Flow::Stop) => -1,
        // SAFETY: the caller promises that `why` points to `why_size` bytes of its own.
        Err(error) => unsafe { tell(Err(error), why, why_size) },
    }
}

/// A panic here would end the app: nobody above could catch it.
pub(super) fn contained<T>(call: impl FnOnce() -> Result<T>) -> Result<T> {
    let fault = |_| Err(ExoError::new(ErrorKind::Fault, "a fault inside the library"));
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(fault)
}

fn checked(bytes: *const u8, length: u64) -> Result<usize> {
    if bytes.is_null() && length > 0 {
        return Err(ExoError::invalid(format!("no address was given for {length} bytes")));
    }
    // No slice may be longer than this.
    usize::try_from(length)
        .ok()
        .filter(|length| isize::try_from(*length).is_ok())
        .ok_or_else(|| ExoError::invalid(format!("{length} bytes are more than an address space has")))
}

/// # Safety
/// `why` points to `why_size` bytes that nobody else uses, or is null.
unsafe fn tell(outcome: Result<()>, why: *mut u8, why_size: u64) -> i32 {
    let Err(error) = outcome else { return 0 };
    let room = usize::try_from(why_size).unwrap_or(usize::MAX).saturating_sub(1);
    if !why.is_null() && why_size > 0 {
        let words = error.reason();
        let words = &words[..words.floor_char_boundary(room.min(words.len()))];
        // SAFETY: the words and the zero after them are at most `why_size` bytes, which are the caller's own and
        // therefore overlap with nothing of ours.
        unsafe {
            ptr::copy_nonoverlapping(words.as_ptr(), why, words.len());
            why.add(words.len()).write(0);
        }
    }
    error.kind().number()
}

impl ErrorKind {
    /// Its number where an enum cannot cross: its place in the list, from 1 on. UniFFI writes the same.
    pub const fn number(self) -> i32 {
        self as i32 + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_told_in_the_room_that_there_is() {
        let mut why = [0xFF_u8; 16];
        // SAFETY: the bytes are null and their length is 0; `why` is ours.
        let kind = unsafe { exo_buffer_write(0, 0, ptr::null(), 0, why.as_mut_ptr(), why.len() as u64) };
        assert_eq!(kind, ErrorKind::Closed.number());
        assert_eq!(&why, b"the buffer was \0");
    }

    #[test]
    fn no_address_is_an_error_and_no_crash() {
        // SAFETY: a null pointer with a length is what the function refuses; no room is given for words.
        let kind = unsafe { exo_buffer_read(1, 0, ptr::null_mut(), 8, ptr::null_mut(), 0) };
        assert_eq!(kind, ErrorKind::InvalidArgument.number());
    }
}
