//! A placement that was heard.

use serde::{Deserialize, Deserializer, de};
use serde_json::value::RawValue;

use super::{lenient, one_key::OneKey, text::Text};

/// A model placed on nodes.
#[derive(Debug, Clone)]
pub struct Instance<'a> {
    /// `MlxRingInstance`.
    pub tag: Text<'a>,
    /// Which instance.
    pub instance_id: Text<'a>,
    /// Of which model.
    pub model_id: Text<'a>,
    /// The runner of each node.
    pub node_to_runner: Vec<(Text<'a>, Text<'a>)>,
    /// All of it.
    pub raw: &'a RawValue,
}

#[derive(Deserialize)]
struct Body<'a> {
    #[serde(borrow, alias = "instanceId")]
    instance_id: Text<'a>,
    #[serde(borrow, alias = "shardAssignments")]
    shard_assignments: Assignments<'a>,
}

#[derive(Deserialize)]
struct Assignments<'a> {
    #[serde(borrow, alias = "modelId")]
    model_id: Text<'a>,
    #[serde(borrow, alias = "nodeToRunner", deserialize_with = "lenient::map")]
    node_to_runner: Vec<(Text<'a>, Text<'a>)>,
}

impl<'de: 'a, 'a> Deserialize<'de> for Instance<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&'de RawValue>::deserialize(deserializer)?;
        let OneKey { tag, value } =
            serde_json::from_str::<OneKey<'de, Body<'de>>>(raw.get()).map_err(de::Error::custom)?;
        let Body { instance_id, shard_assignments: Assignments { model_id, node_to_runner } } = value;
        Ok(Self { tag, instance_id, model_id, node_to_runner, raw })
    }
}

/// A link between instances, of which only the name matters.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct InstanceLink<'a> {
    /// Which link.
    #[serde(borrow, alias = "linkId")]
    pub link_id: Text<'a>,
}
