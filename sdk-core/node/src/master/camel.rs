//! exo's topics speak snake case, its HTTP interface camel case.

use serde_json::Value;

/// The same value with its keys in camel case. Tags and ids have no underscores; the keys inside a multiaddr stay as
/// they are, as in exo.
pub(crate) fn camel(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let renamed = fields.iter().map(|(key, value)| match key.as_str() {
                "sink_multiaddr" => (camel_key(key), value.clone()),
                key => (camel_key(key), camel(value)),
            });
            Value::Object(renamed.collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(camel).collect()),
        plain => plain.clone(),
    }
}

fn camel_key(key: &str) -> String {
    let mut words = key.split('_');
    let mut camel = words.next().unwrap_or_default().to_owned();
    for word in words {
        let mut letters = word.chars();
        camel.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        camel.push_str(letters.as_str());
    }
    camel
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn keys_are_renamed_at_every_depth_but_not_inside_a_multiaddr() {
        let snake = json!({ "ram_total": { "in_bytes": 1 }, "MlxRing": [{ "node_to_runner": { "a1": "x_y" } }],
            "sink_multiaddr": { "ip_address": "::1" } });
        let expected = json!({ "ramTotal": { "inBytes": 1 }, "MlxRing": [{ "nodeToRunner": { "a1": "x_y" } }],
            "sinkMultiaddr": { "ip_address": "::1" } });
        assert_eq!(camel(&snake), expected);
    }
}
