//! Text to tokens and back, from a model's own `tokenizer.json`.
//!
//! ```text
//! text ─ added tokens ─ normaliser ─ added tokens ─ splitters ─ byte pairs ─▶ tokens ─ decoder ─▶ text
//! ```
//!
//! This is byte-pair encoding in the forms that language models of today use: byte-level (Llama 3, Qwen, Mistral Nemo,
//! `DeepSeek`) and with marks for spaces and single bytes for what is rare (Gemma, Llama 2, Mistral, Phi 3). Everything
//! else that the file format can say is refused by name, when the file is read. Whatever the file says, reading it and
//! using it end in bounded time and memory, and never in a panic.
//!
//! Tokens are given as the template of a chat wrote them: nothing is put in front or behind. The post-processor of the
//! file, which would, is not read.

mod added;
mod bpe;
mod byte_level;
mod composed;
mod decode;
mod normalize;
mod pattern;
mod split;
mod vocabulary;

pub use decode::Detokenizer;

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::DeserializeSeed;
use serde_json::Value;
use serde_json::value::RawValue;

use super::{invalid_tokenizer, unsupported};
use crate::Result;
use added::{Added, Finder, Stretch};
use bpe::Bpe;
use pattern::Work;
use split::Words;

/// A model's tokenizer.
#[derive(Debug)]
pub struct Tokenizer {
    bpe: Bpe,
    added: BTreeMap<u32, Added>,
    as_written: Finder,
    as_normalised: Finder,
    normalizers: Vec<normalize::Normalizer>,
    splitters: Vec<split::Splitter>,
    decoder: decode::Decoder,
}

/// A larger file is no tokenizer: the largest known one has 34 MB.
const MAX_FILE: usize = 256 << 20;
/// What is not the model itself is short in real files: a few thousand bytes.
const MAX_PART: usize = 1 << 20;

/// The parts are read one by one, so that each is measured before it takes memory.
#[derive(Deserialize)]
struct File<'f> {
    #[serde(borrow)]
    added_tokens: Option<&'f RawValue>,
    #[serde(borrow)]
    normalizer: Option<&'f RawValue>,
    #[serde(borrow)]
    pre_tokenizer: Option<&'f RawValue>,
    #[serde(borrow)]
    decoder: Option<&'f RawValue>,
    #[serde(borrow)]
    model: Model<'f>,
}

#[derive(Deserialize)]
struct Model<'f> {
    #[serde(rename = "type")]
    kind: Option<String>,
    #[serde(borrow)]
    vocab: &'f RawValue,
    #[serde(borrow)]
    merges: Option<&'f RawValue>,
    dropout: Option<f64>,
    unk_token: Option<String>,
    continuing_subword_prefix: Option<String>,
    end_of_word_suffix: Option<String>,
    #[serde(default)]
    fuse_unk: bool,
    #[serde(default)]
    byte_fallback: bool,
    #[serde(default)]
    ignore_merges: bool,
}

impl Tokenizer {
    /// Reads the bytes of a `tokenizer.json`.
    pub fn from_json(json: &[u8]) -> Result<Self> {
        if json.len() > MAX_FILE {
            return Err(invalid_tokenizer(format!("it has {} bytes, {MAX_FILE} is the limit", json.len())));
        }
        let file: File<'_> = crate::json::read(json).map_err(wrong)?;
        let bpe = read_model(&file.model)?;
        let (mut normalizers, mut splitters) = (Vec::new(), Vec::new());
        normalize::read(&part("normalizer", file.normalizer)?, &mut normalizers)?;
        split::read(&part("pre_tokenizer", file.pre_tokenizer)?, &mut splitters)?;
        let decoder = decode::Decoder::read(&part("decoder", file.decoder)?)?;
        let added = added::read(file.added_tokens.map_or("[]", RawValue::get)).map_err(wrong)?;
        let (as_written, as_normalised) = finders(&added, &normalizers)?;
        let added = added.into_iter().map(|added| (added.id, added)).collect();
        Ok(Self { bpe, added, as_written, as_normalised, normalizers, splitters, decoder })
    }

    /// The tokens of a text. Added tokens in it are found; none is put in front or behind.
    pub fn encode(&self, text: &str) -> Result<Vec<u32>> {
        let mut encoding = Encoding {
            tokens: Vec::new(),
            limit: text.len().saturating_mul(16).saturating_add(4096),
            work: Work::for_text(text.len()),
            scratch: bpe::Scratch::default(),
            is_first: true,
        };
        for stretch in self.as_written.split(text) {
            match stretch {
                Stretch::Token(token) => encoding.tokens.push(token),
                Stretch::Text(text) => self.encode_as_normalised(text, &mut encoding)?,
            }
            encoding.is_first = false;
        }
        Ok(encoding.tokens)
    }

    fn encode_as_normalised(&self, text: &str, encoding: &mut Encoding) -> Result<()> {
        let text = normalize::apply(&self.normalizers, text, encoding.limit, &mut encoding.work)?;
        for stretch in self.as_normalised.split(&text) {
            match stretch {
                Stretch::Token(token) => encoding.tokens.push(token),
                Stretch::Text(text) => self.encode_words(text, encoding)?,
            }
            encoding.is_first = false;
        }
        Ok(())
    }

    fn encode_words(&self, text: &str, encoding: &mut Encoding) -> Result<()> {
        let ranges = std::iter::once(0..text.len()).collect();
        let mut words = Words { text: text.to_owned(), ranges, is_first: encoding.is_first };
        for splitter in &self.splitters {
            splitter.apply(&mut words, &mut encoding.work)?;
            if words.text.len() > encoding.limit {
                return Err(normalize::too_long());
            }
        }
        for range in words.ranges {
            self.bpe.encode(&words.text[range], &mut encoding.scratch, &mut encoding.tokens);
        }
        Ok(())
    }

    /// The text of these tokens, special ones written out.
    pub fn decode(self: &std::sync::Arc<Self>, tokens: &[u32]) -> String {
        let mut text = String::new();
        let mut detokenizer = Detokenizer::new(std::sync::Arc::clone(self));
        for &token in tokens {
            detokenizer.push(token, &mut text);
        }
        detokenizer.flush(&mut text);
        text
    }

    /// The name of a token, as the file writes it.
    pub fn name(&self, token: u32) -> Option<&str> {
        self.added.get(&token).map(|added| &*added.content).or_else(|| self.bpe.vocabulary.name(token))
    }

    /// The token of a name.
    pub fn id(&self, name: &str) -> Option<u32> {
        let added = self.added.values().find(|added| added.content == name).map(|added| added.id);
        added.or_else(|| self.bpe.vocabulary.id(name))
    }

    /// Whether a token steers the model and is no text.
    pub fn is_special(&self, token: u32) -> bool {
        self.added.get(&token).is_some_and(|added| added.special)
    }

    /// One more than the highest id. A model may have more logits than that: rows that nobody trained.
    pub fn len(&self) -> u32 {
        let added = self.added.last_key_value().map_or(0, |(&id, _)| id + 1);
        self.bpe.vocabulary.len().max(added)
    }

    /// Whether there is no token at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A text on its way to tokens.
struct Encoding {
    tokens: Vec<u32>,
    /// How long the file may make the text.
    limit: usize,
    work: Work,
    scratch: bpe::Scratch,
    /// Whether nothing came before.
    is_first: bool,
}

#[expect(clippy::needless_pass_by_value, reason = "as `map_err` calls it")]
fn wrong(error: serde_json::Error) -> crate::Error {
    invalid_tokenizer(error.to_string())
}

/// A part of the file that is not the model itself.
fn part(name: &str, json: Option<&RawValue>) -> Result<Value> {
    let json = json.map_or("null", RawValue::get);
    if json.len() > MAX_PART {
        return Err(invalid_tokenizer(format!(
            "its {name} has {} bytes, {MAX_PART} is the limit",
            json.len()
        )));
    }
    serde_json::from_str(json).map_err(wrong)
}

fn read_model(model: &Model<'_>) -> Result<Bpe> {
    match model.kind.as_deref() {
        Some("BPE") => {}
        None if model.merges.is_some() => {}
        other => {
            let what = format!("a tokenizer of type {}", other.unwrap_or("(none)"));
            return Err(unsupported(&what, "BPE"));
        }
    }
    let is_set = |affix: &Option<String>| affix.as_ref().is_some_and(|affix| !affix.is_empty());
    if is_set(&model.continuing_subword_prefix) || is_set(&model.end_of_word_suffix) {
        return Err(unsupported("a prefix or suffix of subwords", "BPE without them"));
    }
    if model.dropout.is_some_and(|dropout| dropout != 0.0) {
        return Err(unsupported("dropout", "BPE that is the same each time"));
    }
    let vocabulary = vocabulary::Names
        .deserialize(&mut serde_json::Deserializer::from_str(model.vocab.get()))
        .map_err(wrong)?;
    let merges = model.merges.map_or("[]", RawValue::get);
    let merges = bpe::Pairs(&vocabulary)
        .deserialize(&mut serde_json::Deserializer::from_str(merges))
        .map_err(wrong)?;
    let unknown = match &model.unk_token {
        None => None,
        Some(name) => match vocabulary.id(name) {
            None => return Err(invalid_tokenizer(format!("its unknown token {name:?} is no token"))),
            id => id,
        },
    };
    let byte = |byte: u8| vocabulary.id(&format!("<0x{byte:02X}>"));
    let bytes = if model.byte_fallback { (0..=255).map(byte).collect::<Option<Vec<u32>>>() } else { None };
    let (fuses_unknown, ignores_merges) = (model.fuse_unk, model.ignore_merges);
    Ok(Bpe { vocabulary, merges, unknown, fuses_unknown, bytes, ignores_merges })
}

/// Who looks for added tokens in the text as it was written, and who in the text as it was normalised.
fn finders(added: &[Added], normalizers: &[normalize::Normalizer]) -> Result<(Finder, Finder)> {
    let (mut written, mut normalised) = (Vec::new(), Vec::new());
    let mut work = Work::for_text(added.iter().map(|token| token.content.len()).sum());
    for token in added {
        if token.content.len() > added::MAX_BYTES || token.id > vocabulary::MAX_ID {
            let limits =
                format!("{} bytes and the id {} are the limits", added::MAX_BYTES, vocabulary::MAX_ID);
            let what = format!(
                "it adds a token of {} bytes with the id {}; {limits}",
                token.content.len(),
                token.id
            );
            return Err(invalid_tokenizer(what));
        }
        if token.normalized {
            let limit = added::MAX_BYTES * 4;
            let text = normalize::apply(normalizers, &token.content, limit, &mut work)?;
            normalised.push((text.into_owned(), token.clone()));
        } else {
            written.push((token.content.clone(), token.clone()));
        }
    }
    Ok((Finder::new(written), Finder::new(normalised)))
}

#[cfg(test)]
mod tests;
