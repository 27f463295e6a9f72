//! Finding a model by the name that a person typed, at the exo that a node is linked to.

use std::collections::BTreeSet;

use exo_wire::card::ModelCard;

use super::{ApiError, Node};
use crate::planning::{Named, card_in_state, models_in_state, models_listed, named};

/// Why there is no model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelNotFound {
    /// No model has the name; the words say which have one like it.
    #[error("{0}")]
    Unknown(String),
    /// exo could not be asked.
    #[error(transparent)]
    Exo(#[from] ApiError),
    /// exo does not tell enough of it, yet or at all.
    #[error("{0}")]
    Untold(String),
}

impl Node {
    /// The card of the model that exo knows by this name, or by one that ends like it.
    pub async fn find_model(&self, typed: &str) -> Result<ModelCard, ModelNotFound> {
        let nobody = || ApiError::Unreachable("it is not known where exo serves HTTP".to_owned());
        let api = self.exo_api().ok_or_else(nobody)?;
        let state = api.state().await?;
        // A list that cannot be had is no loss: the state has most names too.
        let listed = api.models().await.ok().and_then(|list| models_listed(&list).ok()).unwrap_or_default();
        in_answers(typed, &state, listed)
    }
}

/// The same, from what exo answered.
fn in_answers(typed: &str, state: &[u8], listed: BTreeSet<String>) -> Result<ModelCard, ModelNotFound> {
    let mut known = models_in_state(state).map_err(|error| ModelNotFound::Untold(error.to_string()))?;
    known.extend(listed);
    let name = match named(typed, &known) {
        Named::One(name) => name,
        Named::Near(near) => return Err(ModelNotFound::Unknown(unknown(typed, &near, known.len()))),
    };
    match card_in_state(state, &name) {
        Ok(Some(card)) => Ok(card),
        Ok(None) => Err(ModelNotFound::Untold(format!(
            "exo lists {name}, but has not told its card yet; it does so once a minute: try again, or give a file with the card"
        ))),
        Err(error) => Err(ModelNotFound::Untold(format!("{name}: {error}"))),
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

    fn found(typed: &str) -> Result<ModelCard, ModelNotFound> {
        in_answers(typed, STATE, BTreeSet::from(["mlx-community/Only-Listed".to_owned()]))
    }

    #[test]
    fn a_model_is_found_by_its_short_name() {
        assert_eq!(found("qwen3-0.6b-4bit").unwrap().model_id.as_str(), "mlx-community/Qwen3-0.6B-4bit");
    }

    #[test]
    fn an_unknown_model_brings_near_names() {
        let words = found("Qwen3-0.6B-8bit").unwrap_err().to_string();
        assert!(words.ends_with("did you mean one of these?\n  mlx-community/Qwen3-0.6B-4bit"), "{words}");
        let Err(ModelNotFound::Unknown(words)) = found("zzzzzz") else { panic!() };
        assert!(words.contains("exo knows 3 models"), "{words}");
    }

    #[test]
    fn a_model_that_is_only_listed_says_what_to_do() {
        let Err(ModelNotFound::Untold(words)) = found("Only-Listed") else { panic!() };
        assert!(words.contains("try again"), "{words}");
    }
}
