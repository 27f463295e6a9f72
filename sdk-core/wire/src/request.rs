//! What is asked of exo's HTTP interface: bodies that its strict models take.
//!
//! exo puts the instance of a `POST /instance` into a command for its master without judging it, and the master tells
//! it to every node. So a body is judged as that command would be on its topic, and only a judged one can be sent.

use serde::{Deserialize, Serialize};

use crate::{
    command::CreateInstance,
    envelope::ForwardedCommand,
    gate::{Gate, Refusal},
    id::{CommandId, InstanceId, SystemId},
    instance::Instance,
    topic::Topic,
};

/// The body of `POST /instance`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewInstance {
    /// Place a model exactly so.
    pub instance: Instance,
}

/// A `POST /instance` whose body passed the gate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SealedRequest {
    instance_id: InstanceId,
    body: Box<[u8]>,
}

impl NewInstance {
    /// Where it goes.
    pub const PATH: &str = "/instance";

    /// Lets the body through if exo would take the command that it makes of it.
    pub fn seal(&self) -> Result<SealedRequest, Refusal> {
        let unreadable = |error: serde_json::Error| Refusal {
            topic: Topic::Commands,
            path: "$".into(),
            why: error.to_string(),
        };
        // exo gives these two ids itself; any will do for the judgement.
        let command =
            CreateInstance { command_id: CommandId::from_random(0), instance: self.instance.clone() };
        let command = ForwardedCommand { origin: SystemId::from_random(0), command: command.into() };
        let payload = serde_json::to_vec(&command).map_err(unreadable)?;
        // Commands of exo's own interface are not a guest's to say. Nothing is published here.
        Gate::master_of_phones().judge(Topic::Commands, &payload)?;
        let body = serde_json::to_vec(self).map_err(unreadable)?.into();
        Ok(SealedRequest { instance_id: self.instance.instance_id().clone(), body })
    }
}

impl SealedRequest {
    /// The instance that it would create.
    pub const fn instance_id(&self) -> &InstanceId {
        &self.instance_id
    }

    /// The bytes to send.
    pub fn body(&self) -> &[u8] {
        &self.body
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::instance::{Host, MlxRingInstance};

    fn of_exo() -> Value {
        let golden = include_str!("../../../tests/vectors/exo/golden_commands.jsonl");
        let lines = golden.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let line = lines.into_iter().find(|line| line["variant"] == "CreateInstance").unwrap();
        let command: Value = serde_json::from_str(line["json"].as_str().unwrap()).unwrap();
        command["command"]["CreateInstance"]["instance"].clone()
    }

    #[test]
    fn the_body_holds_the_instance_as_exo_writes_it() {
        let request = NewInstance { instance: serde_json::from_value(of_exo()).unwrap() };
        let sealed = request.seal().unwrap();
        let body: Value = serde_json::from_slice(sealed.body()).unwrap();
        assert_eq!(body, serde_json::json!({ "instance": of_exo() }));
        assert_eq!(sealed.instance_id().as_str(), "00000000-0000-4000-8000-000000000011");
    }

    #[test]
    fn an_instance_that_would_end_the_cluster_is_not_sealed() {
        let Instance::MlxRing(ring) = serde_json::from_value(of_exo()).unwrap() else { panic!() };
        let nameless = MlxRingInstance { instance_id: InstanceId::heard(""), ..ring.clone() };
        let refusal = NewInstance { instance: Instance::MlxRing(nameless) }.seal().unwrap_err();
        assert!(refusal.path.ends_with("instance_id"), "{refusal}");
        let mut vast = ring;
        let host = Host { ip: [0, 0, 0, 0].into(), port: 1 };
        for hosts in vast.hosts_by_node.values_mut() {
            *hosts = vec![host; 100_000];
        }
        assert!(
            NewInstance { instance: Instance::MlxRing(vast) }.seal().is_err(),
            "too large to be told to all"
        );
    }
}
