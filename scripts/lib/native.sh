# shellcheck shell=bash
# The library that Kotlin, Swift and Python load on this machine, and its bindings. The three share one build.
# Wants built.sh.

# Where cargo puts it, and what it is called here.
NATIVE_DIR="$BUILT"
on_macos && NATIVE_LIBRARY="$NATIVE_DIR/libexo_mobile.dylib" || NATIVE_LIBRARY="$NATIVE_DIR/libexo_mobile.so"

# A directory of models with a tiny one in it, whose weights are random: what the tests of all languages load.
export EXO_TINY_MODELS="$ROOT/target/tiny-models"

native_library() { (cd "$ROOT" && build_ours) && "$BUILT/exo-phone" tiny "$EXO_TINY_MODELS"; }

# bindings LANGUAGE DIRECTORY: the generated code of libexo_mobile.
bindings() { native_library && bindings_of "$NATIVE_LIBRARY" "$@"; }

# bindings_of LIBRARY LANGUAGE DIRECTORY: the same of another build, which must have its symbols still. The generator is
# built apart from the library: together, cargo would build its features into the library too.
bindings_of() {
    (cd "$ROOT" && cargo run --locked --quiet -p exo-bindgen -- generate --language "$2" --no-format \
        --config "$ROOT/uniffi.toml" --out-dir "$3" "$1")
}
