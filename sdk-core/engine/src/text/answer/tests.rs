//! Whole answers, token by token.

use super::*;

/// A tokenizer whose token `n` is the byte `n`, and from 256 on these texts.
fn tokenizer(texts: &[&str]) -> Arc<Tokenizer> {
    let mut vocab = serde_json::Map::new();
    for byte in 0..=255u32 {
        vocab.insert(format!("<0x{byte:02X}>"), byte.into());
    }
    let added: Vec<_> =
        (256..).zip(texts).map(|(id, text)| serde_json::json!({"id": id, "content": text})).collect();
    let file = serde_json::json!({
        "added_tokens": added,
        "decoder": {"type": "Sequence", "decoders": [{"type": "ByteFallback"}, {"type": "Fuse"}]},
        "model": {"type": "BPE", "vocab": vocab, "merges": []},
    });
    Arc::new(Tokenizer::from_json(file.to_string().as_bytes()).unwrap())
}

/// Says these tokens; gives the texts and the reason of the end.
fn said(texts: &[&str], options: AnswerOptions, tokens: &[u32]) -> (Vec<String>, Option<Finish>, Counts) {
    let mut answer = Answer::new(tokenizer(texts), options).unwrap();
    let (mut pieces, mut finish) = (Vec::new(), None);
    for &token in tokens {
        let is_over = answer.push(Sampled { token, logprobs: None }, false).unwrap();
        while let Some(Output::Piece(piece)) = answer.next_output() {
            pieces.push(piece.text);
            finish = piece.finish;
        }
        if is_over {
            break;
        }
    }
    (pieces, finish, answer.counts())
}

#[test]
fn a_token_that_ends_the_answer_has_no_text_and_counts() {
    let options = AnswerOptions { ends: vec![257], ..Default::default() };
    let (pieces, finish, counts) = said(&["hi", "<end>"], options, &[256, 257, 256]);
    assert_eq!((pieces, finish), (vec!["hi".to_owned(), String::new()], Some(Finish::Stop)));
    assert_eq!(counts.tokens, 2);
}

#[test]
fn an_answer_is_as_long_as_was_asked_and_shows_what_is_left() {
    let options = AnswerOptions { max_tokens: Some(2), ..Default::default() };
    let (pieces, finish, _) = said(&["hi"], options, &[256, 0xf0, 256]);
    assert_eq!((pieces, finish), (vec!["hi".to_owned(), "\u{fffd}".to_owned()], Some(Finish::Length)));
}

#[test]
fn letters_of_several_tokens_can_stop_it() {
    let options = AnswerOptions { stop: vec!["é!".into()], ..Default::default() };
    let (pieces, finish, counts) = said(&["a", "!"], options, &[256, 0xc3, 0xa9, 257, 256]);
    assert_eq!((pieces.concat(), pieces.len(), finish), ("a".into(), 4, Some(Finish::Stop)));
    assert_eq!(counts.tokens, 4);
}

#[test]
fn thoughts_are_counted_and_their_tags_are_not() {
    let thinking = Some(ThinkingTags { start: "<think>".into(), end: "</think>".into() });
    let options = AnswerOptions { thinking, ends: vec![259], ..Default::default() };
    let (pieces, _, counts) =
        said(&["<think>", "</think>", "x", "<end>"], options, &[256, 258, 258, 257, 258, 259]);
    assert_eq!(pieces.concat(), "xxx");
    assert_eq!(counts, Counts { tokens: 6, thoughts: 2 });
}

#[test]
fn a_stop_inside_thoughts_or_at_their_tag_stops_too() {
    let thinking = Some(ThinkingTags { start: "<think>".into(), end: "</think>".into() });
    let options = AnswerOptions {
        thinking,
        stop: vec!["</think>".into()],
        starts_thinking: true,
        ..Default::default()
    };
    let (pieces, finish, _) = said(&["<think>", "</think>", "x"], options, &[258, 257, 258]);
    assert_eq!((pieces.concat(), finish), ("x".into(), Some(Finish::Stop)));
}

#[test]
fn nothing_is_added_to_an_answer_that_is_over() {
    let mut answer =
        Answer::new(tokenizer(&[]), AnswerOptions { max_tokens: Some(1), ..Default::default() }).unwrap();
    assert!(answer.push(Sampled { token: 65, logprobs: None }, false).unwrap());
    assert!(answer.push(Sampled { token: 65, logprobs: None }, false).is_err());
}
