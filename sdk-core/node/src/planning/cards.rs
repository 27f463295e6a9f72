//! Finding a model's card: in exo's state, or in a file.
//!
//! `GET /models` lists names without layers, so the cards are taken from `GET /state`: exo tells each card that it knows
//! with its downloads, once a minute, and with custom models and instances. The state is camel case, ours snake case;
//! a card is read into the closed type that it would be sent with, so that one from a build that we do not know is
//! noticed here.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

use exo_wire::card::ModelCard;
use serde::Deserialize;
use serde_json::{Value, value::RawValue};

use crate::json;

/// More models than any exo lists.
const MOST_MODELS: usize = 10_000;

/// Why a card cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CardError {
    /// Not JSON, or not what exo serves.
    #[error("exo's answer cannot be read: {0}")]
    Unreadable(String),
    /// A card that our types cannot hold.
    #[error("the card is not one that we know how to read: {0}")]
    Strange(String),
}

/// The card of a model in `GET /state`, if it is there.
pub fn card_in_state(state: &[u8], model: &str) -> Result<Option<ModelCard>, CardError> {
    let state = State::read(state)?;
    let found = state.cards().find(|(name, _)| name == model);
    found.map(|(_, card)| card_from_json(card.get().as_bytes())).transpose()
}

/// The models whose cards are in `GET /state`.
pub fn models_in_state(state: &[u8]) -> Result<BTreeSet<String>, CardError> {
    let state = State::read(state)?;
    Ok(state.cards().take(MOST_MODELS).map(|(name, _)| name.into_owned()).collect())
}

/// The models that `GET /models` lists.
pub fn models_listed(models: &[u8]) -> Result<BTreeSet<String>, CardError> {
    #[derive(Deserialize)]
    struct List {
        data: Vec<Model>,
    }
    #[derive(Deserialize)]
    struct Model {
        id: String,
    }
    let list: List = json::read(models).map_err(|error| unreadable(&error))?;
    Ok(list.data.into_iter().take(MOST_MODELS).map(|model| model.id).collect())
}

/// A card, as exo serves or as it sends it.
pub fn card_from_json(card: &[u8]) -> Result<ModelCard, CardError> {
    let card = json::read(card).map_err(|error| unreadable(&error))?;
    // Written and read again: to read a card out of a `Value` would be the code of all its parts once more.
    serde_json::to_string(&snake(card))
        .and_then(|card| serde_json::from_str(&card))
        .map_err(|error| CardError::Strange(error.to_string()))
}

fn unreadable(error: &serde_json::Error) -> CardError {
    CardError::Unreadable(error.to_string())
}

/// The same value with its keys in snake case. A card has no map whose keys are somebody's words.
fn snake(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            Value::Object(fields.into_iter().map(|(key, value)| (snake_key(&key), snake(value))).collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(snake).collect()),
        plain => plain,
    }
}

fn snake_key(key: &str) -> String {
    let mut snake = String::with_capacity(key.len() + 4);
    for letter in key.chars() {
        if letter.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}

/// The parts of a state that hold cards, unread.
#[derive(Deserialize)]
struct State<'a> {
    #[serde(borrow, default, rename = "customModelCards")]
    custom: BTreeMap<Cow<'a, str>, &'a RawValue>,
    #[serde(borrow, default)]
    instances: BTreeMap<Cow<'a, str>, &'a RawValue>,
    #[serde(borrow, default)]
    downloads: BTreeMap<Cow<'a, str>, Vec<&'a RawValue>>,
}

/// `{"DownloadPending": {...}}`.
type Tagged<'a, T> = BTreeMap<Cow<'a, str>, T>;

#[derive(Deserialize)]
struct Download<'a> {
    #[serde(borrow, rename = "shardMetadata")]
    shard: Tagged<'a, Shard<'a>>,
}

#[derive(Deserialize)]
struct Shard<'a> {
    #[serde(borrow, rename = "modelCard")]
    card: &'a RawValue,
}

#[derive(Deserialize)]
struct Instance<'a> {
    #[serde(borrow, rename = "shardAssignments")]
    assignments: Assignments<'a>,
}

#[derive(Deserialize)]
struct Assignments<'a> {
    #[serde(borrow, rename = "runnerToShard")]
    shards: BTreeMap<Cow<'a, str>, Tagged<'a, Shard<'a>>>,
}

#[derive(Deserialize)]
struct Name<'a> {
    #[serde(borrow, rename = "modelId")]
    id: Cow<'a, str>,
}

impl<'a> State<'a> {
    fn read(state: &'a [u8]) -> Result<Self, CardError> {
        json::read(state).map_err(|error| unreadable(&error))
    }

    /// Every card with its name, those that people added first. What cannot be read is passed over.
    fn cards(&self) -> impl Iterator<Item = (Cow<'a, str>, &'a RawValue)> + '_ {
        let custom = self.custom.values().copied();
        let placed = self.instances.values().flat_map(|raw| {
            let tagged: Tagged<'a, Instance<'a>> = serde_json::from_str(raw.get()).unwrap_or_default();
            let shards = tagged.into_values().flat_map(|instance| instance.assignments.shards.into_values());
            shards.flat_map(BTreeMap::into_values).map(|shard| shard.card).collect::<Vec<_>>()
        });
        let downloads = self.downloads.values().flatten().flat_map(|raw| {
            let tagged: Tagged<'a, Download<'a>> = serde_json::from_str(raw.get()).unwrap_or_default();
            let shards = tagged.into_values().flat_map(|download| download.shard.into_values());
            shards.map(|shard| shard.card).collect::<Vec<_>>()
        });
        let named = |card: &'a RawValue| {
            let Name { id } = serde_json::from_str(card.get()).ok()?;
            Some((id, card))
        };
        custom.chain(placed).chain(downloads).filter_map(named)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATE: &[u8] = include_bytes!("../../../../tests/vectors/exo/state_with_phone_serving.json");
    const SMALL: &str = "mlx-community/Qwen3-0.6B-4bit";

    #[test]
    fn a_card_in_the_state_of_a_real_exo_is_read_into_the_type_that_it_is_sent_with() {
        let card = card_in_state(STATE, SMALL).unwrap().unwrap();
        assert_eq!((card.n_layers.get(), card.hidden_size.get()), (28, 1024));
        assert_eq!(card.storage_size.in_bytes(), 342_884_352);
        let large = card_in_state(STATE, "mlx-community/GLM-4.7-8bit-gs32").unwrap().unwrap();
        assert_eq!(large.sampling_defaults.top_p.unwrap().get(), 0.95);
        assert_eq!(card_in_state(STATE, "nobody/Nothing").unwrap(), None);
        assert_eq!(models_in_state(STATE).unwrap().len(), 2);
    }

    #[test]
    fn a_card_is_the_same_in_either_spelling() {
        let card = card_in_state(STATE, SMALL).unwrap().unwrap();
        let written = serde_json::to_vec(&card).unwrap();
        assert_eq!(card_from_json(&written).unwrap(), card);
    }

    #[test]
    fn a_card_with_a_field_that_we_do_not_know_is_not_used() {
        let card = card_in_state(STATE, SMALL).unwrap().unwrap();
        let mut card = serde_json::to_value(&card).unwrap();
        card["quantumBits"] = 7.into();
        let error = card_from_json(card.to_string().as_bytes()).unwrap_err();
        assert!(matches!(&error, CardError::Strange(why) if why.contains("quantum_bits")), "{error}");
    }

    #[test]
    fn a_card_that_somebody_added_goes_before_one_of_a_download() {
        let mut state: Value = serde_json::from_slice(STATE).unwrap();
        let mut card = serde_json::to_value(card_in_state(STATE, SMALL).unwrap().unwrap()).unwrap();
        card["n_layers"] = 7.into();
        card["modelId"] = card["model_id"].take();
        card.as_object_mut().unwrap().remove("model_id");
        state["customModelCards"][SMALL] = card;
        let found = card_in_state(state.to_string().as_bytes(), SMALL).unwrap().unwrap();
        assert_eq!(found.n_layers.get(), 7);
    }

    #[test]
    fn what_is_no_state_says_so_and_an_empty_one_has_no_cards() {
        assert!(matches!(card_in_state(b"{\"downloads\":7}", SMALL), Err(CardError::Unreadable(_))));
        assert_eq!(card_in_state(b"{}", SMALL), Ok(None));
    }

    #[test]
    fn the_list_of_models_has_their_names() {
        let list = br#"{"object":"list","data":[{"id":"a/B","object":"model","name":"B"},{"id":"c/D"}]}"#;
        assert_eq!(models_listed(list).unwrap().into_iter().collect::<Vec<_>>(), ["a/B", "c/D"]);
    }
}
