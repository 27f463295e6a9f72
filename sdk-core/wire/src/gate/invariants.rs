//! What has to hold between the fields of a class. The fields themselves were judged before.

use super::{
    check::{Fault, Place},
    compile::camel,
    rules::Invariant,
    value::{Object, Value},
};

/// The longest name of a file on the systems that exo runs on, in bytes.
const LONGEST_NAME: usize = 255;

pub(crate) fn hold(invariant: Invariant, object: &Object<'_>, at: &Place<'_>) -> Result<(), Fault> {
    match invariant {
        Invariant::RunnersHaveShards => runners_have_shards(object, at),
        Invariant::BoundRunnerHasShard => bound_runner_has_shard(object, at),
        Invariant::IdNamesAFile => id_names_a_file(object, at),
    }
}

fn runners_have_shards(object: &Object<'_>, at: &Place<'_>) -> Result<(), Fault> {
    let shards = field(object, "runner_to_shard");
    let Some(Value::Object(runners)) = field(object, "node_to_runner") else { return Ok(()) };
    for (node, runner) in runners.iter() {
        if !matches!(runner, Value::Text(runner) if has_shard(shards, runner)) {
            return Err(at.key("node_to_runner").key(node).fault("a runner without a shard"));
        }
    }
    Ok(())
}

fn bound_runner_has_shard(object: &Object<'_>, at: &Place<'_>) -> Result<(), Fault> {
    let instance = match field(object, "instance") {
        Some(Value::Object(tagged)) => match tagged.only() {
            Some((_, Value::Object(instance))) => instance,
            _ => tagged,
        },
        _ => return Ok(()),
    };
    let shards = match field(instance, "shard_assignments") {
        Some(Value::Object(assignments)) => field(assignments, "runner_to_shard"),
        _ => None,
    };
    match field(object, "bound_runner_id") {
        Some(Value::Text(runner)) if has_shard(shards, runner) => Ok(()),
        _ => Err(at.key("bound_runner_id").fault("a runner without a shard")),
    }
}

fn id_names_a_file(object: &Object<'_>, at: &Place<'_>) -> Result<(), Fault> {
    let Some(Value::Text(id)) = field(object, "model_id") else { return Ok(()) };
    let looks = matches!(field(object, "vision"), None | Some(Value::Null));
    // `a/b` becomes `a--b`. A name with a zero byte is not looked for at all.
    let name = id.len() + id.matches('/').count();
    if looks && name > LONGEST_NAME && !id.contains('\0') {
        return Err(at.key("model_id").fault("too long for the name of a directory"));
    }
    Ok(())
}

/// A field of a closed class, by either name.
fn field<'a, 'v>(object: &'a Object<'v>, name: &str) -> Option<&'a Value<'v>> {
    object.get(&camel(name)).or_else(|| object.get(name))
}

/// exo makes a new random id of an empty one, so an empty runner id is never found again.
fn has_shard(shards: Option<&Value<'_>>, runner: &str) -> bool {
    matches!(shards, Some(Value::Object(shards)) if !runner.is_empty() && shards.get(runner).is_some())
}
