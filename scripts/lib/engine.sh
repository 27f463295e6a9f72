# shellcheck shell=bash
# The engine beside other engines: what its tests need, and the steps that are more than one command.

# The environment of tests/engine. MLX has wheels for Linux on x86-64 and arm64, and for macOS.
need_engine_python() { need_python "$ROOT/tests/engine/requirements.txt" "$TOOLS/engine"; }

# engine_pytest FILE...: tests of tests/engine, with the example programs that they call.
engine_pytest() {
    local programs="$BUILT/examples"
    build_examples text logits || return
    EXO_TEXT="$programs/text" EXO_ENGINE_LOGITS="$programs/logits" TRANSFORMERS_VERBOSITY=error \
        "$TOOLS/engine/bin/pytest" -q -p no:cacheprovider --noconftest "${@/#/tests/engine/}"
}

# Tokens, prompts, answers and draws beside tokenizers, transformers and mlx-lm, which share no code with ours.
text_against_transformers() { engine_pytest test_tokenizer.py test_template.py test_answer.py test_sampling.py; }

# Logits beside MLX's, for every family and every type of weights, on the CPU and on lavapipe.
numbers_against_mlx() { EXO_ENGINE_BACKENDS="cpu$(on_macos || echo ,vulkan)" engine_pytest test_numbers.py; }

# A real client and a real disk against a server on loopback that lies, cuts, stalls and redirects.
downloads_from_a_hostile_server() {
    build_examples fetch || return
    EXO_FETCH="$BUILT/examples/fetch" \
        "$TOOLS/engine/bin/pytest" -q -p no:cacheprovider --noconftest tests/models
}
