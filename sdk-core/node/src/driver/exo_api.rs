//! The HTTP interface of the exo that a node is linked to.
//!
//! Reading is free of side effects. The one thing that is ever asked for is an instance, and its caller must have made
//! a [`SealedRequest`]: exo hands an instance to its whole cluster without judging it.

use std::net::SocketAddr;

use exo_wire::{
    CommandId,
    request::{NewInstance, SealedRequest},
};
use serde::Deserialize;
use tokio::runtime::Handle;

use super::http::{self, Posted};
use crate::json;

/// The longest reason that is told.
const LONGEST_REASON: usize = 400;

/// Why exo did not do what was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ApiError {
    /// It could not be asked: nothing was done.
    #[error("exo's HTTP interface could not be asked: {0}")]
    Unreachable(String),
    /// It said no: nothing was done.
    #[error("exo refused ({status}): {why}")]
    Refused {
        /// The HTTP status.
        status: u16,
        /// What it said.
        why: String,
    },
    /// It was asked and did not answer: it may have been done. Look at the state before asking again.
    #[error("exo was asked and did not answer, so it may have been done: {0}")]
    Unclear(String),
}

/// Where an exo can be asked over HTTP. The requests run on the node's own threads; a node that is over asks nothing.
#[derive(Debug, Clone)]
pub struct ExoApi {
    address: SocketAddr,
    runtime: Handle,
}

impl ExoApi {
    pub(super) const fn new(address: SocketAddr, runtime: Handle) -> Self {
        Self { address, runtime }
    }

    /// Where it is.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// `GET /state`, as it came.
    pub async fn state(&self) -> Result<Vec<u8>, ApiError> {
        self.get("/state").await
    }

    /// `GET /models`, as it came.
    pub async fn models(&self) -> Result<Vec<u8>, ApiError> {
        self.get("/models").await
    }

    /// `POST /instance`. The answer means that exo gave the command to its master; whether an instance came of it is
    /// seen in the state alone. Never asked twice.
    pub async fn create_instance(&self, request: &SealedRequest) -> Result<CommandId, ApiError> {
        let (address, body) = (self.address, request.body().to_vec());
        let posting = self.runtime.spawn(async move { http::post(address, NewInstance::PATH, &body).await });
        match posting.await {
            Ok(Posted::Answered(200, body)) => Ok(accepted(&body)),
            Ok(Posted::Answered(status, body)) => Err(ApiError::Refused { status, why: reason(&body) }),
            Ok(Posted::NotSent(why)) => Err(ApiError::Unreachable(why)),
            Ok(Posted::Unanswered(why)) => Err(ApiError::Unclear(why)),
            Err(_) => Err(ApiError::Unclear("the node ended meanwhile".to_owned())),
        }
    }

    async fn get(&self, path: &'static str) -> Result<Vec<u8>, ApiError> {
        let address = self.address;
        let getting = self.runtime.spawn(async move { http::get(address, path).await });
        let over = |_| ApiError::Unreachable("the node is over".to_owned());
        getting.await.map_err(over)?.map_err(ApiError::Unreachable)
    }
}

/// The command that exo made. A 200 is a yes, whatever else it says.
fn accepted(body: &[u8]) -> CommandId {
    #[derive(Deserialize)]
    struct Accepted {
        #[serde(alias = "commandId")]
        command_id: CommandId,
    }
    json::read(body).map_or_else(|_| CommandId::heard(""), |Accepted { command_id }| command_id)
}

/// What exo says is wrong: its own refusals, those of the framework that reads its bodies, or the bare text.
fn reason(body: &[u8]) -> String {
    #[derive(Deserialize)]
    struct Error {
        message: String,
    }
    #[derive(Deserialize)]
    struct Fault {
        #[serde(default)]
        loc: Vec<serde_json::Value>,
        msg: String,
    }
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Refusal {
        Own { error: Error },
        Faults { detail: Vec<Fault> },
        Words { detail: String },
    }
    let words = match json::read(body) {
        Ok(Refusal::Own { error }) => error.message,
        Ok(Refusal::Words { detail }) => detail,
        Ok(Refusal::Faults { detail }) => {
            let place = |fault: &Fault| {
                let steps = fault
                    .loc
                    .iter()
                    .map(|step| step.as_str().map_or_else(|| step.to_string(), str::to_owned));
                steps.collect::<Vec<_>>().join(".")
            };
            let faults = detail.iter().map(|fault| format!("at {}: {}", place(fault), fault.msg));
            faults.take(3).collect::<Vec<_>>().join("; ")
        }
        Err(_) => String::from_utf8_lossy(body).into_owned(),
    };
    let words: String = words.chars().filter(|c| !c.is_control()).take(LONGEST_REASON).collect();
    if words.is_empty() { "no reason was given".to_owned() } else { words }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_of_a_refusal_is_found_in_each_form_that_exo_has() {
        let own =
            br#"{"error":{"message":"Insufficient memory","type":"Bad Request","param":null,"code":400}}"#;
        assert_eq!(reason(own), "Insufficient memory");
        let faults =
            br#"{"detail":[{"type":"x","loc":["body","instance",0],"msg":"Field required","input":{}}]}"#;
        assert_eq!(reason(faults), "at body.instance.0: Field required");
        assert_eq!(reason(br#"{"detail":"Not Found"}"#), "Not Found");
        assert_eq!(reason(b"Internal Server Error"), "Internal Server Error");
        assert_eq!(reason(b""), "no reason was given");
        assert_eq!(reason("x\u{1b}[31m".repeat(1000).as_bytes()).chars().count(), LONGEST_REASON);
    }

    #[test]
    fn the_command_is_read_from_the_answer_if_it_is_there() {
        assert_eq!(
            accepted(br#"{"message":"Command received.","command_id":"c","model_card":{}}"#).as_str(),
            "c"
        );
        assert_eq!(accepted(b"{}").as_str(), "");
    }
}
