//! The least that UniFFI can be: one function that does nothing. Whatever loading this and calling it costs on a JVM is
//! UniFFI's and JNA's own.

uniffi::setup_scaffolding!();

/// Something that no compiler can leave out.
#[uniffi::export]
pub fn answer() -> u64 {
    42
}
