//! The functions for Kotlin and Java: `dev.exo.mobile.core.DirectBytes`.
//!
//! A direct `ByteBuffer` lies outside of the Java heap, where no garbage collector moves it: its address is all that
//! crosses. They return null, or `NUMBER words` with the number of an [`ErrorKind`](crate::ErrorKind): no class of the app is looked up, so
//! they work from any thread and under any class loader.
#![allow(non_snake_case, reason = "the JVM finds them by these names")]

use std::{ptr, slice};

use jni::{
    Env, EnvUnowned, Outcome,
    objects::{JByteBuffer, JClass},
    sys::{jint, jlong, jstring},
};

use super::{buffer, c::contained};
use crate::{ExoError, Result};

/// Copies `length` bytes of a direct buffer, from `position` on, into the memory with this handle.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_exo_mobile_core_DirectBytes_write<'local>(
    mut env: EnvUnowned<'local>,
    _class: JClass<'local>,
    handle: jlong,
    offset: jlong,
    bytes: JByteBuffer<'local>,
    position: jint,
    length: jint,
) -> jstring {
    told(&mut env, |env| {
        let place = Place::of(env, &bytes, position, length)?;
        // SAFETY: the place lies within a direct buffer, which the JVM keeps where it is while `bytes` refers to it, that
        // is until this call returns. Who writes to it meanwhile gets torn bytes and nothing worse: Kotlin's documentation
        // says not to.
        let bytes = unsafe { slice::from_raw_parts(place.start, place.length) };
        Ok(buffer(handle.cast_unsigned())?.write(offset.cast_unsigned(), bytes)?)
    })
}

/// Copies bytes of the memory with this handle into a direct buffer.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_exo_mobile_core_DirectBytes_read<'local>(
    mut env: EnvUnowned<'local>,
    _class: JClass<'local>,
    handle: jlong,
    offset: jlong,
    bytes: JByteBuffer<'local>,
    position: jint,
    length: jint,
) -> jstring {
    told(&mut env, |env| {
        let place = Place::of(env, &bytes, position, length)?;
        // SAFETY: as in `write`; the JVM initialised the bytes when it made the buffer.
        let bytes = unsafe { slice::from_raw_parts_mut(place.start, place.length) };
        Ok(buffer(handle.cast_unsigned())?.read(offset.cast_unsigned(), bytes)?)
    })
}

/// A part of a direct buffer.
struct Place {
    start: *mut u8,
    length: usize,
}

impl Place {
    fn of(env: &Env<'_>, bytes: &JByteBuffer<'_>, position: jint, length: jint) -> Result<Self> {
        let direct = env.get_direct_buffer_address(bytes).and_then(|start| {
            let capacity = env.get_direct_buffer_capacity(bytes)?;
            Ok((start, capacity))
        });
        let not_direct =
            |_| ExoError::invalid("the ByteBuffer is not direct; make it with ByteBuffer.allocateDirect");
        let (start, capacity) = direct.map_err(not_direct)?;
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

/// Null, or what went wrong.
fn told(env: &mut EnvUnowned<'_>, call: impl FnOnce(&Env<'_>) -> Result<()>) -> jstring {
    let outcome = env.with_env(|env| -> jni::errors::Result<jstring> {
        match contained(|| call(env)) {
            Ok(()) => Ok(ptr::null_mut()),
            Err(error) => {
                let words = format!("{} {}", error.kind().number(), error.reason());
                Ok(env.new_string(words)?.into_raw())
            }
        }
    });
    match outcome.into_outcome() {
        Outcome::Ok(told) => told,
        // There was no memory for the words: the JVM has an OutOfMemoryError pending, which Kotlin sees.
        Outcome::Err(_) | Outcome::Panic(_) => ptr::null_mut(),
    }
}
