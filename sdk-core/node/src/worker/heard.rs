//! Reading what was placed here and what is asked, as far as we can say it again.
//!
//! The log spells keys in snake case, `GET /state` in camel case. Our own types know the first, so the second is
//! respelt, except where keys are ids or somebody else's JSON.

use exo_wire::{
    CommandId, InstanceId, NodeId, RunnerId, TaskId,
    heard::{self, Tagged},
    instance::Instance,
    shard::ShardMetadata,
    task::TextGeneration,
    text::TextGenerationTaskParams,
};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

/// Ids that are longer are nobody's; the gate would keep back what we say of them.
const ID: usize = 256;
/// Maps whose keys are ids.
const OF_IDS: [&str; 4] = ["runnerToShard", "nodeToRunner", "hostsByNode", "jacclCoordinators"];
/// JSON that exo does not describe.
const FREE: [&str; 2] = ["chatTemplateMessages", "tools"];

/// An instance that names our node.
#[derive(Debug)]
pub(super) struct Placed {
    pub(super) instance: InstanceId,
    pub(super) runner: RunnerId,
    /// What to run, or why that cannot be read.
    pub(super) plan: Result<(Instance, ShardMetadata), String>,
}

/// What somebody asks of an instance.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) task: TaskId,
    pub(super) instance: InstanceId,
    /// Whether nobody began with it.
    pub(super) pending: bool,
    /// Whether nothing came of it yet.
    pub(super) open: bool,
    pub(super) what: What,
}

#[derive(Debug)]
pub(super) enum What {
    /// An answer in words, if the question can be read.
    Answer(CommandId, Box<Result<TextGenerationTaskParams, String>>),
    /// An image: this device makes none.
    Image,
    /// A step of some worker.
    Step,
}

/// The instance as far as it concerns this node; `None` if it does not.
pub(super) fn placed(heard: &heard::Instance<'_>, node: &NodeId) -> Option<Placed> {
    let (_, runner) = heard.node_to_runner.iter().find(|(owner, _)| **owner == *node.as_str())?;
    let sound = |id: &str| (1..=ID).contains(&id.len()) && !id.chars().any(char::is_control);
    if !sound(&heard.instance_id) || !sound(runner) {
        return None;
    }
    let runner = RunnerId::heard(runner);
    let plan = read::<Instance>(heard.raw.get()).and_then(|instance| {
        let shard = instance.shard_assignments().runner_to_shard().get(&runner).cloned();
        Ok((instance, shard.ok_or("its runner has no shard")?))
    });
    Some(Placed { instance: InstanceId::heard(&heard.instance_id), runner, plan })
}

/// What a task asks; `None` if it cannot be told.
pub(super) fn asked(id: &str, task: &Tagged<'_>) -> Option<Asked> {
    #[derive(Deserialize)]
    struct Body<'a> {
        #[serde(borrow, alias = "instanceId")]
        instance_id: heard::Text<'a>,
        #[serde(borrow, default, alias = "taskStatus")]
        task_status: Option<heard::Text<'a>>,
        #[serde(borrow, default, alias = "commandId")]
        command_id: Option<heard::Text<'a>>,
    }
    let body: Body<'_> = serde_json::from_str(task.body.get()).ok()?;
    let sound = |id: &str| (1..=ID).contains(&id.len()) && !id.chars().any(char::is_control);
    if !sound(id) {
        return None;
    }
    let what = match &*task.tag {
        "TextGeneration" => {
            let command = body.command_id.filter(|command| sound(command))?;
            let request = read::<TextGeneration>(task.body.get()).map(|task| task.task_params);
            What::Answer(CommandId::heard(&command), Box::new(request))
        }
        "ImageGeneration" | "ImageEdits" => What::Image,
        _ => What::Step,
    };
    let status = body.task_status.as_deref().unwrap_or("Pending");
    Some(Asked {
        task: TaskId::heard(id),
        instance: InstanceId::heard(&body.instance_id),
        pending: status == "Pending",
        open: matches!(status, "Pending" | "Running"),
        what,
    })
}

/// Reads a value in either spelling.
fn read<T: DeserializeOwned>(json: &str) -> Result<T, String> {
    let first = match serde_json::from_str(json) {
        Ok(value) => return Ok(value),
        Err(first) => first,
    };
    let respelt = serde_json::from_str::<Value>(json).map(snake);
    // Written and read again: to read it out of a `Value` would be the code of all its parts once more.
    let respelt =
        respelt.and_then(|value| serde_json::to_string(&value)).map_err(|error| error.to_string())?;
    // The first complaint is about the spelling of the log, which is what people can look up.
    serde_json::from_str(&respelt)
        .map_err(|_: serde_json::Error| first.to_string().chars().take(200).collect())
}

fn snake(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let respelt = fields.into_iter().map(|(key, value)| match key.as_str() {
                of if OF_IDS.contains(&of) => (snake_key(&key), with_ids(value)),
                free if FREE.contains(&free) => (snake_key(&key), value),
                _ => (snake_key(&key), snake(value)),
            });
            Value::Object(respelt.collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(snake).collect()),
        plain => plain,
    }
}

fn with_ids(value: Value) -> Value {
    match value {
        Value::Object(fields) => fields.into_iter().map(|(id, value)| (id, snake(value))).collect(),
        other => other,
    }
}

/// Tags begin with a capital and stay as they are.
fn snake_key(key: &str) -> String {
    if key.starts_with(|first: char| first.is_ascii_uppercase()) {
        return key.to_owned();
    }
    let mut snake = String::with_capacity(key.len() + 4);
    for letter in key.chars() {
        if letter.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn keys_are_respelt_but_not_tags_ids_or_what_somebody_else_wrote() {
        let camel = json!({ "PipelineShardMetadata": { "modelCard": { "nLayers": 28 } },
            "nodeToRunner": { "aB": "r" }, "tools": [{ "additionalProperties": false }] });
        let expected = json!({ "PipelineShardMetadata": { "model_card": { "n_layers": 28 } },
            "node_to_runner": { "aB": "r" }, "tools": [{ "additionalProperties": false }] });
        assert_eq!(snake(camel), expected);
    }

    #[test]
    fn the_instances_of_a_real_state_are_read() {
        let body = include_str!("../../../../tests/vectors/exo/state_with_phone_serving.json");
        let snapshot = heard::snapshot(body.as_bytes()).unwrap();
        assert!(!snapshot.instances.is_empty());
        for (_, instance) in &snapshot.instances {
            let (node, runner) = &instance.node_to_runner[0];
            let placed = placed(instance, &NodeId::heard(node)).unwrap();
            assert_eq!(placed.runner.as_str(), &**runner);
            let (_, shard) = placed.plan.unwrap();
            assert_eq!(shard.model_card().model_id.as_str(), &*instance.model_id);
        }
    }
}
