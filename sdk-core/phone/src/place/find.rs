//! Finds the model that was named: in a file, or at the exo that we joined.

use std::{fs, path::Path, sync::Arc};

use exo_node::{
    driver::{ModelNotFound, Node},
    planning::card_from_json,
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
    match node.find_model(typed).await {
        Ok(card) => Ok(Model::Card(Arc::new(card))),
        Err(ModelNotFound::Unknown(words)) => Err(NotFound::Unknown(words)),
        Err(error) => Err(NotFound::Fault(error.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use exo_node::planning::card_in_state;

    use super::*;

    const STATE: &[u8] = include_bytes!("../../../../tests/vectors/exo/state_with_phone_serving.json");

    fn qwen() -> Model {
        let card = card_in_state(STATE, "mlx-community/Qwen3-0.6B-4bit").unwrap().unwrap();
        Model::Card(Arc::new(card))
    }

    #[test]
    fn a_file_may_hold_a_card_layers_or_a_problem() {
        let Model::Card(card) = qwen() else { panic!() };
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
        let model = qwen();
        assert!(model.check_context(32_768).is_ok());
        assert!(model.check_context(32_769).unwrap_err().contains("--context 32768"));
    }
}
