//! Writes the bindings of `libexo_mobile` for a language: `exo-bindgen generate --language kotlin --out-dir DIR LIBRARY`.
//!
//! A crate of its own: the generator's features, unified into the library, would make it three times as large.

fn main() {
    uniffi::uniffi_bindgen_main();
}
