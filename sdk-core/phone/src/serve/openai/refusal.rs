//! Errors in `OpenAI`'s shape.

use exo_engine::{Error as EngineError, ErrorKind};
use exo_serving::Error;
use serde_json::{Value, json};

use super::http::Bad;

/// Why there is no answer.
#[derive(Debug, PartialEq)]
pub(super) struct Refusal {
    pub(super) status: u16,
    message: String,
    param: Option<String>,
    code: Option<&'static str>,
}

impl Refusal {
    pub(super) fn of_field(param: Option<&str>, message: String) -> Self {
        Self { status: 400, message, param: param.map(str::to_owned), code: None }
    }

    pub(super) fn no_model(asked: &str, here: &str) -> Self {
        let message = format!("there is no model {asked:?} here: ask for {here:?}");
        Self { status: 404, message, param: Some("model".into()), code: Some("model_not_found") }
    }

    pub(super) fn of_page(status: u16, message: &str) -> Self {
        Self { status, message: message.into(), param: None, code: None }
    }

    pub(super) fn json(&self) -> Value {
        let kind = if self.status < 500 { "invalid_request_error" } else { "server_error" };
        json!({"error": {"message": self.message, "type": kind, "param": self.param, "code": self.code}})
    }
}

impl From<Bad> for Refusal {
    fn from(Bad(status, message): Bad) -> Self {
        Self { status, message, param: None, code: None }
    }
}

impl From<&Error> for Refusal {
    fn from(error: &Error) -> Self {
        let (status, param) = match error {
            Error::Engine(EngineError::InvalidRequest { what, .. }) => (400, Some((*what).to_owned())),
            Error::Engine(error) if matches!(error.kind(), ErrorKind::Template | ErrorKind::Unsupported) => {
                (400, None)
            }
            Error::Engine(error) if error.kind() == ErrorKind::UnderPressure => (503, None),
            _ => (500, None),
        };
        Self { status, message: error.to_string(), param, code: None }
    }
}
