//! Small tokenizers of both forms, and files that are none.

use std::sync::Arc;

use super::*;
use serde_json::json;

/// Every byte, a few merges, three added tokens.
fn byte_level() -> Value {
    let mut vocab = serde_json::Map::new();
    for byte in 0..=255u8 {
        vocab.insert(super::byte_level::char_of(byte).to_string(), json!(byte));
    }
    for (id, name) in (256..).zip(["he", "ll", "hell", "hello", "Ġhello", "Ġhell"]) {
        vocab.insert(name.into(), json!(id));
    }
    json!({
        "added_tokens": [
            {"id": 300, "content": "<|end|>", "special": true},
            {"id": 301, "content": "<think>", "special": false},
        ],
        "normalizer": {"type": "NFC"},
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "use_regex": true},
        "post_processor": {"type": "TemplateProcessing", "single": []},
        "decoder": {"type": "ByteLevel"},
        "model": {
            "type": "BPE", "vocab": vocab,
            "merges": [["h", "e"], ["l", "l"], ["he", "ll"], ["hell", "o"], ["Ġ", "hello"], ["Ġ", "hell"]],
        },
    })
}

/// Marks for spaces, bytes for what is rare.
fn marked() -> Value {
    let mut vocab = serde_json::Map::new();
    vocab.insert("<unk>".into(), json!(0));
    for byte in 0..=255u32 {
        vocab.insert(format!("<0x{byte:02X}>"), json!(byte + 1));
    }
    for (id, name) in (257..).zip(["▁", "h", "i", "hi", "▁hi"]) {
        vocab.insert(name.into(), json!(id));
    }
    json!({
        "normalizer": {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
        "decoder": {"type": "Sequence", "decoders": [
            {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
            {"type": "ByteFallback"}, {"type": "Fuse"},
        ]},
        "model": {"type": "BPE", "unk_token": "<unk>", "byte_fallback": true, "vocab": vocab,
            "merges": ["h i", "▁ hi"]},
    })
}

fn tokenizer(file: &Value) -> Arc<Tokenizer> {
    Arc::new(Tokenizer::from_json(file.to_string().as_bytes()).unwrap())
}

/// What each token adds, and what is left at the end.
fn pieces(tokenizer: &Arc<Tokenizer>, tokens: &[u32]) -> Vec<String> {
    let mut detokenizer = Detokenizer::new(Arc::clone(tokenizer));
    let mut pieces = Vec::new();
    for &token in tokens {
        pieces.push(String::new());
        detokenizer.push(token, pieces.last_mut().unwrap());
    }
    pieces.push(String::new());
    detokenizer.flush(pieces.last_mut().unwrap());
    pieces
}

#[test]
fn text_becomes_tokens_and_tokens_become_the_text() {
    let byte_level = tokenizer(&byte_level());
    assert_eq!(byte_level.encode("hello hello<|end|>").unwrap(), [259, 260, 300]);
    let marked = tokenizer(&marked());
    assert_eq!(marked.encode("hi hi é").unwrap(), [260, 261, 257, 0xc3 + 1, 0xa9 + 1]);
    for text in ["", " hello\n\n\thell o", "naïve 漢字 👩‍👩‍👧 \u{0}\u{7f}", "<|end|><think>x<|en"]
    {
        assert_eq!(byte_level.decode(&byte_level.encode(text).unwrap()), text);
        assert_eq!(marked.decode(&marked.encode(text).unwrap()), text);
    }
}

#[test]
fn nothing_is_put_in_front_or_behind() {
    assert!(tokenizer(&byte_level()).encode("").unwrap().is_empty());
}

#[test]
fn a_character_comes_out_when_it_is_whole_and_not_before() {
    let tokenizer = tokenizer(&byte_level());
    let tokens = tokenizer.encode("é👩").unwrap();
    assert_eq!(pieces(&tokenizer, &tokens), ["", "é", "", "", "", "👩", ""]);
}

#[test]
fn a_character_that_never_becomes_whole_is_shown_as_such_at_the_end() {
    let tokenizer = tokenizer(&byte_level());
    assert_eq!(pieces(&tokenizer, &[0xf0, 0x9f]), ["", "", "\u{fffd}"]);
    assert_eq!(pieces(&tokenizer, &[0xf0, 0x61, 0xff]), ["", "\u{fffd}a", "\u{fffd}", ""]);
}

#[test]
fn text_between_bytes_ends_a_broken_character() {
    let tokenizer = tokenizer(&marked());
    assert_eq!(pieces(&tokenizer, &[0xf0 + 1, 0x9f + 1, 261]), ["", "", "\u{fffd}\u{fffd} hi", ""]);
}

#[test]
fn a_decoder_that_strips_does_so_once_and_at_the_front() {
    let mut file = marked();
    let steps = file["decoder"]["decoders"].as_array_mut().unwrap();
    steps.push(json!({"type": "Strip", "content": " ", "start": 1, "stop": 0}));
    let tokenizer = tokenizer(&file);
    assert_eq!(pieces(&tokenizer, &[261, 261]), ["hi", " hi", ""]);
    assert_eq!(pieces(&tokenizer, &[257, 261]), ["", " hi", ""]);
    assert_eq!(pieces(&tokenizer, &[0x20 + 1, 260]), ["", "hi", ""]);
    assert_eq!(pieces(&tokenizer, &[260, 261]), ["hi", " hi", ""]);
}

#[test]
fn ids_without_a_name_add_nothing() {
    let tokenizer = tokenizer(&byte_level());
    assert_eq!(pieces(&tokenizer, &[299, 5_000_000, 259]), ["", "", "hello", ""]);
}

#[test]
fn names_special_tokens_and_length_are_known() {
    let tokenizer = tokenizer(&byte_level());
    assert_eq!(
        (tokenizer.id("<|end|>"), tokenizer.id("Ġhell"), tokenizer.id("nobody")),
        (Some(300), Some(261), None)
    );
    assert!(tokenizer.is_special(300) && !tokenizer.is_special(301) && !tokenizer.is_special(5));
    assert_eq!(tokenizer.len(), 302);
}

#[test]
fn composed_and_decomposed_text_are_the_same_tokens() {
    let tokenizer = tokenizer(&byte_level());
    assert_eq!(tokenizer.encode("e\u{301}").unwrap(), tokenizer.encode("é").unwrap());
}

#[test]
fn what_we_cannot_do_is_refused_by_name() {
    for (path, value, named) in [
        ("/model/type", json!("Unigram"), "a tokenizer of type Unigram"),
        ("/normalizer", json!({"type": "Lowercase"}), "the normaliser Lowercase"),
        ("/pre_tokenizer", json!({"type": "Whitespace"}), "the pre-tokenizer Whitespace"),
        ("/decoder", json!({"type": "WordPiece"}), "the decoder WordPiece"),
        ("/decoder", json!(null), "without a decoder"),
        (
            "/pre_tokenizer",
            json!({"type": "Split", "pattern": {"Regex": "(?<=a)"}, "behavior": "Isolated"}),
            "(?<=",
        ),
    ] {
        let mut file = byte_level();
        *file.pointer_mut(path).unwrap() = value;
        let error = Tokenizer::from_json(file.to_string().as_bytes()).unwrap_err();
        assert_eq!(error.kind(), crate::ErrorKind::Unsupported, "{error}");
        assert!(error.to_string().contains(named), "{error}");
    }
}

#[test]
fn a_file_that_contradicts_itself_is_an_error() {
    for (path, value) in [
        ("/model/vocab", json!({"a": 1e9})),
        ("/model/vocab", json!([])),
        ("/model/merges", json!([["q", "zz"]])),
        ("/normalizer", json!(3)),
        ("/added_tokens/0/id", json!(u32::MAX)),
        ("/added_tokens/0/content", json!("x".repeat(5_000))),
    ] {
        let mut file = byte_level();
        *file.pointer_mut(path).unwrap() = value;
        let error = Tokenizer::from_json(file.to_string().as_bytes()).unwrap_err();
        assert_eq!(error.kind(), crate::ErrorKind::InvalidModel, "{path}: {error}");
    }
    assert!(Tokenizer::from_json(b"").is_err());
    assert!(Tokenizer::from_json("[".repeat(100_000).as_bytes()).is_err());
}

#[test]
fn a_file_that_makes_texts_explode_is_stopped() {
    let step = json!({"type": "Replace", "pattern": {"String": "a"}, "content": "aaaaaaaaaaaaaaaa"});
    let once = json!({"type": "Replace", "pattern": {"Regex": "a"}, "content": "a".repeat(100_000)});
    let bytes = json!({"type": "ByteLevel", "add_prefix_space": false, "use_regex": false});
    for (part, value) in [
        ("normalizer", json!({"type": "Sequence", "normalizers": vec![step; 40]})),
        ("normalizer", once),
        ("pre_tokenizer", json!({"type": "Sequence", "pretokenizers": vec![bytes; 60]})),
    ] {
        let mut file = byte_level();
        file[part] = value;
        let error = tokenizer(&file).encode(&"aé".repeat(1_000)).unwrap_err();
        assert!(error.to_string().contains("far longer"), "{error}");
    }
}
