//! Finds the model that was named: in a file, or at the exo that we joined.

use std::{collections::BTreeSet, fs, path::Path, sync::Arc};

use exo_node::{
    driver::Node,
    planning::{Named, card_from_json, card_in_state, models_in_state, models_listed, named},
};
use exo_telemetry::placement;
use exo_wire::card::ModelCard;
use serde::Deserialize;

/// The largest file that is read as a model.
const LARGEST_FILE: u64 = 16 << 20;

/// A model to plan.
#[derive(Clone, Debug)]
pub(super) enum Model {
    /// As exo describes it.
    Card(Arc<ModelCard>),
    /// Layer by layer.
    Layers { name: String, layers: placement::Model },
}

/// Why there is no model.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NotFound {
    /// It is not known; the words say what is.
    Unknown(String),
    /// It could not be asked for.
    Fault(String),
}

impl Model {
    /// What people call it.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Card(card) => card.model_id.as_str(),
            Self::Layers { name, .. } => name,
        }
    }

    /// Refuses more context than the model was made for, where the card tells.
    pub(super) fn check_context(&self, tokens: u32) -> Result<(), String> {
        match self {
            Self::Card(card) if card.context_length > 0 && tokens > card.context_length => {
                let (name, most) = (&card.model_id, card.context_length);
                Err(format!("{name} holds {most} tokens of context: write --context {most} or less"))
            }
            _ => Ok(()),
        }
    }
}

/// The model in a file, if that is what was named.
pub(super) fn in_file(named: &str) -> Result<Option<Model>, String> {
    let path = Path::new(named);
    let is_json = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json"));
    if !is_json {
        return Ok(None);
    }
    let told = |error: std::io::Error| format!("{named} cannot be read: {error}");
    if fs::metadata(path).map_err(told)?.len() > LARGEST_FILE {
        return Err(format!("{named} is larger than any model card"));
    }
    let text = fs::read(path).map_err(told)?;
    let name = path.file_stem().map_or_else(|| named.to_owned(), |stem| stem.to_string_lossy().into_owned());
    read(&name, &text).map(Some).map_err(|why| format!("{named} is no model: {why}"))
}

/// A card, the layers of a model, or a placement problem with a model in it.
fn read(name: &str, text: &[u8]) -> Result<Model, String> {
    #[derive(Deserialize)]
    struct Problem {
        model: placement::Model,
    }
    let layers = serde_json::from_slice::<placement::Model>(text);
    let layers = layers.or_else(|_| serde_json::from_slice::<Problem>(text).map(|problem| problem.model));
    match layers {
        Ok(layers) => Ok(Model::Layers { name: name.to_owned(), layers }),
        Err(_) => card_from_json(text).map(|card| Model::Card(Arc::new(card))).map_err(|why| why.to_string()),
    }
}

/// The model of that name at the exo that we joined.
pub(super) async fn in_cluster(typed: &str, node: &Node) -> Result<Model, NotFound> {
    let fault = |why: String| NotFound::Fault(why);
    let api = node.exo_api().ok_or_else(|| fault("it is not known where exo serves HTTP".to_owned()))?;
    let state = api.state().await.map_err(|error| fault(error.to_string()))?;
    // A list that cannot be had is no loss: the state has most names too.
    let listed = api.models().await.ok().and_then(|list| models_listed(&list).ok()).unwrap_or_default();
    in_answers(typed, &state, listed)
}

/// The same, from what exo answered.
fn in_answers(typed: &str, state: &[u8], listed: BTreeSet<String>) -> Result<Model, NotFound> {
    let mut known = models_in_state(state).map_err(|error| NotFound::Fault(error.to_string()))?;
    known.extend(listed);
    let name = match named(typed, &known) {
        Named::One(name) => name,
        Named::Near(near) => return Err(NotFound::Unknown(unknown(typed, &near, known.len()))),
    };
    match card_in_state(state, &name) {
        Ok(Some(card)) => Ok(Model::Card(Arc::new(card))),
        Ok(None) => Err(NotFound::Fault(format!(
            "exo lists {name}, but has not told its card yet; it does so once a minute: try again, or give a file with the card"
        ))),
        Err(error) => Err(NotFound::Fault(format!("{name}: {error}"))),
    }
}

fn unknown(typed: &str, near: &[String], known: usize) -> String {
    let count = match known {
        0 => "exo has told of no model yet; it does so once a minute".to_owned(),
        known => format!("exo knows {known} models"),
    };
    if near.is_empty() {
        return format!("no model is called {typed:?}; {count}, and none has a name like it");
    }
    format!("no model is called {typed:?}; did you mean one of these?\n  {}", near.join("\n  "))
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATE: &[u8] = include_bytes!("../../../../tests/vectors/exo/state_with_phone_serving.json");

    fn found(typed: &str) -> Result<Model, NotFound> {
        in_answers(typed, STATE, BTreeSet::from(["mlx-community/Only-Listed".to_owned()]))
    }

    #[test]
    fn a_model_is_found_by_its_short_name() {
        assert_eq!(found("qwen3-0.6b-4bit").unwrap().name(), "mlx-community/Qwen3-0.6B-4bit");
    }

    #[test]
    fn an_unknown_model_brings_near_names() {
        let Err(NotFound::Unknown(words)) = found("Qwen3-0.6B-8bit") else { panic!() };
        assert!(words.ends_with("did you mean one of these?\n  mlx-community/Qwen3-0.6B-4bit"), "{words}");
        let Err(NotFound::Unknown(words)) = found("zzzzzz") else { panic!() };
        assert!(words.contains("exo knows 3 models"), "{words}");
    }

    #[test]
    fn a_model_that_is_only_listed_says_what_to_do() {
        let Err(NotFound::Fault(words)) = found("Only-Listed") else { panic!() };
        assert!(words.contains("try again"), "{words}");
    }

    #[test]
    fn a_file_may_hold_a_card_layers_or_a_problem() {
        let Model::Card(card) = found("Qwen3-0.6B-4bit").unwrap() else { panic!() };
        let text = serde_json::to_vec(&*card).unwrap();
        assert!(matches!(read("x", &text), Ok(Model::Card(read)) if read == card));
        for text in [r#"{"layers":[{"bytes":1e8}]}"#, r#"{"model":{"layers":[{"bytes":1e8}]},"devices":[]}"#]
        {
            let model = read("tiny", text.as_bytes()).unwrap();
            assert!(matches!(&model, Model::Layers { layers, .. } if layers.layers.len() == 1), "{text}");
            assert_eq!(model.name(), "tiny");
        }
        assert!(read("x", b"{}").is_err());
    }

    #[test]
    fn more_context_than_the_model_holds_is_refused_with_what_it_holds() {
        let model = found("Qwen3-0.6B-4bit").unwrap();
        assert!(model.check_context(32_768).is_ok());
        assert!(model.check_context(32_769).unwrap_err().contains("--context 32768"));
    }
}
