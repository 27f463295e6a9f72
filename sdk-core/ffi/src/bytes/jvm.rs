//! The functions for Kotlin and Java: `dev.exo.mobile.core.DirectBytes`.
//!
//! A direct `ByteBuffer` lies outside of the Java heap, where no garbage collector moves it: its address is all that
//! crosses. They return null, or `NUMBER words` with the number of an [`ErrorKind`](crate::ErrorKind): no class of the app is looked up, so
//! they work from any thread and under any class loader.
//!
//! Three functions of the JVM are all that this takes. They are called through the JVM's own table: the crate that wraps all
//! of it weighs more than everything else here (docs/adr/0010-a-small-library.md).
#![allow(non_snake_case, reason = "the JVM finds them by these names")]

use std::{ptr, slice};

use exo_models::Flow;
use jni_sys::{JNIEnv, jclass, jint, jlong, jobject, jstring};

use super::{BUFFERS, RECEIVERS, c::contained};
use crate::{ExoError, Result};

/// Copies `length` bytes of a direct buffer, from `position` on, into the memory with this handle.
///
/// # Safety
/// For the JVM alone: `env` is the calling thread's, `bytes` refers to a `ByteBuffer` or to nothing.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_dev_exo_mobile_core_DirectBytes_write(
    env: *mut JNIEnv,
    _class: jclass,
    handle: jlong,
    offset: jlong,
    bytes: jobject,
    position: jint,
    length: jint,
) -> jstring {
    let outcome = contained(|| {
        // SAFETY: both are what the JVM gave to this call, which has not returned yet.
        let place = unsafe { Place::of(env, bytes, position, length) }?;
        // SAFETY: the place lies within a direct buffer, which the JVM keeps where it is while `bytes` refers to it, that
        // is until this call returns. Who writes to it meanwhile gets torn bytes and nothing worse: Kotlin's documentation
        // says not to.
        let bytes = unsafe { slice::from_raw_parts(place.start, place.length) };
        Ok(BUFFERS.get(handle.cast_unsigned())?.write(offset.cast_unsigned(), bytes)?)
    });
    // SAFETY: `env` is the calling thread's.
    unsafe { told(env, outcome) }
}

/// Copies bytes of the memory with this handle into a direct buffer.
///
/// # Safety
/// For the JVM alone: `env` is the calling thread's, `bytes` refers to a `ByteBuffer` or to nothing.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_dev_exo_mobile_core_DirectBytes_read(
    env: *mut JNIEnv,
    _class: jclass,
    handle: jlong,
    offset: jlong,
    bytes: jobject,
    position: jint,
    length: jint,
) -> jstring {
    let outcome = contained(|| {
        // SAFETY: both are what the JVM gave to this call, which has not returned yet.
        let place = unsafe { Place::of(env, bytes, position, length) }?;
        // SAFETY: as in `write`; the JVM initialised the bytes when it made the buffer.
        let bytes = unsafe { slice::from_raw_parts_mut(place.start, place.length) };
        Ok(BUFFERS.get(handle.cast_unsigned())?.read(offset.cast_unsigned(), bytes)?)
    });
    // SAFETY: `env` is the calling thread's.
    unsafe { told(env, outcome) }
}

/// Hands bytes of a server's answer to the receiver with this handle. Blocks while there is no room for them.
///
/// Returns null, or `0` if nothing more is wanted, or what went wrong.
///
/// # Safety
/// For the JVM alone: `env` is the calling thread's, `bytes` refers to a `ByteBuffer` or to nothing.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_dev_exo_mobile_core_DirectBytes_receive(
    env: *mut JNIEnv,
    _class: jclass,
    handle: jlong,
    bytes: jobject,
    position: jint,
    length: jint,
) -> jstring {
    let outcome = contained(|| {
        // SAFETY: both are what the JVM gave to this call, which has not returned yet.
        let place = unsafe { Place::of(env, bytes, position, length) }?;
        // SAFETY: as in `write`.
        let bytes = unsafe { slice::from_raw_parts(place.start, place.length) };
        Ok(RECEIVERS.get(handle.cast_unsigned())?.chunk(bytes))
    });
    match outcome {
        Ok(Flow::Continue) => ptr::null_mut(),
        // SAFETY: `env` is the calling thread's.
        Ok(Flow::Stop) => unsafe { words(env, "0") },
        // SAFETY: `env` is the calling thread's.
        Err(error) => unsafe { told(env, Err(error)) },
    }
}

/// A part of a direct buffer.
struct Place {
    start: *mut u8,
    length: usize,
}

impl Place {
    /// # Safety
    /// `env` is the calling thread's; `bytes` refers to an object of the JVM, or is null.
    unsafe fn of(env: *mut JNIEnv, bytes: jobject, position: jint, length: jint) -> Result<Self> {
        let not_direct =
            || ExoError::invalid("the ByteBuffer is not direct; make it with ByteBuffer.allocateDirect");
        if bytes.is_null() {
            return Err(not_direct());
        }
        // SAFETY: the JVM's table has had these since Java 1.4, and every Android has them. Both may be asked about any
        // object, and say so if it is no direct buffer.
        let (start, capacity) = unsafe {
            let start = ((**env).v1_4.GetDirectBufferAddress)(env, bytes);
            (start.cast::<u8>(), ((**env).v1_4.GetDirectBufferCapacity)(env, bytes))
        };
        let capacity = usize::try_from(capacity).map_err(|_| not_direct())?;
        if start.is_null() {
            // A buffer of no bytes may lie nowhere.
            return if capacity == 0 && position == 0 && length == 0 {
                Ok(Self { start: ptr::dangling_mut(), length: 0 })
            } else {
                Err(not_direct())
            };
        }
        let (from, length) = (usize::try_from(position), usize::try_from(length));
        match (from, length) {
            (Ok(from), Ok(length)) if from.checked_add(length).is_some_and(|end| end <= capacity) => {
                // SAFETY: `from` is within the buffer, as was just checked.
                Ok(Self { start: unsafe { start.add(from) }, length })
            }
            _ => Err(ExoError::invalid(format!(
                "bytes from {position} on were asked of a ByteBuffer of {capacity} bytes"
            ))),
        }
    }
}

/// Null, or what went wrong. Without memory for the words, the JVM has an `OutOfMemoryError` pending, which Kotlin sees.
///
/// # Safety
/// `env` is the calling thread's.
unsafe fn told(env: *mut JNIEnv, outcome: Result<()>) -> jstring {
    let Err(error) = outcome else { return ptr::null_mut() };
    // SAFETY: `env` is the calling thread's.
    unsafe { words(env, &format!("{} {}", error.kind().number(), error.reason())) }
}

/// A string of the JVM's.
///
/// # Safety
/// `env` is the calling thread's.
unsafe fn words(env: *mut JNIEnv, words: &str) -> jstring {
    let words: Vec<u16> = words.encode_utf16().collect();
    // Words are never that long; if they were, some would be better than none.
    let length = jint::try_from(words.len()).unwrap_or(jint::MAX);
    // SAFETY: the JVM copies `length` UTF-16 units, which are all there.
    unsafe { ((**env).v1_1.NewString)(env, words.as_ptr(), length) }
}

#[cfg(test)]
mod tests {
    use std::{ffi::c_void, mem::MaybeUninit};

    use exo_gpu::{BackendKind, Gpu, OpenOptions};
    use jni_sys::{JNINativeInterface_, jchar, jsize};

    use super::*;
    use crate::{ErrorKind, bytes::BUFFERS};

    /// What our JVM's references refer to: a `ByteBuffer` with this address and capacity.
    struct ByteBuffer(*mut u8, jlong);

    impl ByteBuffer {
        fn over(bytes: &mut [u8]) -> Self {
            Self(bytes.as_mut_ptr(), bytes.len() as jlong)
        }

        /// As the JVM answers about a buffer on its heap.
        const HEAP: Self = Self(ptr::null_mut(), -1);
    }

    unsafe extern "system" fn address(_: *mut JNIEnv, buffer: jobject) -> *mut c_void {
        // SAFETY: the tests refer to nothing but `ByteBuffer`s.
        unsafe { (*buffer.cast::<ByteBuffer>()).0.cast() }
    }

    unsafe extern "system" fn capacity(_: *mut JNIEnv, buffer: jobject) -> jlong {
        // SAFETY: the tests refer to nothing but `ByteBuffer`s.
        unsafe { (*buffer.cast::<ByteBuffer>()).1 }
    }

    unsafe extern "system" fn new_string(_: *mut JNIEnv, units: *const jchar, length: jsize) -> jstring {
        // SAFETY: who calls this gives that many units.
        let units = unsafe { slice::from_raw_parts(units, length as usize) };
        Box::into_raw(Box::new(String::from_utf16_lossy(units))).cast()
    }

    /// Calls with a table that has the three functions and nothing else, and gives what the call says.
    fn with_jvm(call: impl FnOnce(*mut JNIEnv) -> jstring) -> Option<String> {
        let mut table = MaybeUninit::<JNINativeInterface_>::zeroed();
        let functions = table.as_mut_ptr();
        // SAFETY: the three are written where they belong; nobody reads the others, which are null.
        unsafe {
            (&raw mut (*functions).v1_4.GetDirectBufferAddress).write(address);
            (&raw mut (*functions).v1_4.GetDirectBufferCapacity).write(capacity);
            (&raw mut (*functions).v1_1.NewString).write(new_string);
        }
        let mut env: JNIEnv = functions;
        let told = call(&raw mut env).cast::<String>();
        // SAFETY: a string that `new_string` made, and nobody else has.
        (!told.is_null()).then(|| *unsafe { Box::from_raw(told) })
    }

    fn write(handle: u64, mut bytes: ByteBuffer, position: jint, length: jint) -> Option<String> {
        let (class, bytes, handle) = (ptr::null_mut(), (&raw mut bytes).cast(), handle.cast_signed());
        // SAFETY: the table has what is called, and `bytes` is one of our `ByteBuffer`s.
        with_jvm(|env| unsafe {
            Java_dev_exo_mobile_core_DirectBytes_write(env, class, handle, 0, bytes, position, length)
        })
    }

    fn read(handle: u64, mut bytes: ByteBuffer, position: jint, length: jint) -> Option<String> {
        let (class, bytes, handle) = (ptr::null_mut(), (&raw mut bytes).cast(), handle.cast_signed());
        // SAFETY: as in `write`.
        with_jvm(|env| unsafe {
            Java_dev_exo_mobile_core_DirectBytes_read(env, class, handle, 0, bytes, position, length)
        })
    }

    fn told(kind: ErrorKind, words: &str) -> String {
        format!("{} {words}", kind.number())
    }

    #[test]
    fn a_part_of_a_direct_buffer_goes_to_the_device_and_comes_back() {
        let gpu = Gpu::open(OpenOptions::new().backend(BackendKind::Cpu).remember_nothing()).unwrap();
        let handle = BUFFERS.register(gpu.device().allocate(4).unwrap());
        let (mut sent, mut back) = ([1, 2, 3, 4, 5, 6], [0; 6]);
        assert_eq!(write(handle, ByteBuffer::over(&mut sent), 1, 4), None);
        assert_eq!(read(handle, ByteBuffer::over(&mut back), 2, 4), None);
        assert_eq!(back, [0, 0, 2, 3, 4, 5]);
        BUFFERS.forget(handle);
    }

    #[test]
    fn a_buffer_on_the_heap_is_refused() {
        let words = "the ByteBuffer is not direct; make it with ByteBuffer.allocateDirect";
        let refused = Some(told(ErrorKind::InvalidArgument, words));
        assert_eq!(write(1, ByteBuffer::HEAP, 0, 1), refused);
        assert_eq!(read(1, ByteBuffer::HEAP, 0, 0), refused);
    }

    #[test]
    fn no_byte_outside_of_a_buffer_is_touched() {
        let mut bytes = [0; 4];
        for (position, length) in [(0, 5), (4, 1), (-1, 1), (0, -1), (jint::MAX, jint::MAX)] {
            let refused = read(1, ByteBuffer::over(&mut bytes), position, length).unwrap();
            let kind = format!("{} ", ErrorKind::InvalidArgument.number());
            assert!(refused.starts_with(&kind), "{position} {length}: {refused}");
        }
    }

    #[test]
    fn a_handle_of_no_buffer_is_an_error_in_words() {
        let refused = write(u64::MAX, ByteBuffer::over(&mut [0; 4]), 0, 4).unwrap();
        assert!(refused.starts_with(&format!("{} the buffer was", ErrorKind::Closed.number())), "{refused}");
    }

    #[test]
    fn a_buffer_of_no_bytes_may_lie_nowhere() {
        let refused = write(u64::MAX, ByteBuffer(ptr::null_mut(), 0), 0, 0).unwrap();
        assert!(refused.starts_with(&ErrorKind::Closed.number().to_string()), "{refused}");
    }
}
