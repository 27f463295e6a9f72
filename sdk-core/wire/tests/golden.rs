//! Every message that exo's own classes wrote is read by our closed types and written again as equal JSON.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod vectors;

use exo_wire::{ElectionMessage, ForwardedCommand, ForwardedDownloadCommand, GlobalEvent, LocalEvent, Topic};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use vectors::{Golden, golden};

fn rewritten<T: Serialize + DeserializeOwned>(line: &Golden) -> Value {
    let read: T = serde_json::from_str(&line.json).unwrap_or_else(|why| panic!("{}: {why}", line.variant));
    serde_json::to_value(read).unwrap()
}

#[test]
fn every_golden_line_is_read_and_written_again_as_equal_json() {
    let mut lines = 0;
    for line in golden() {
        let Some(topic) = Topic::named(&line.topic) else {
            assert_eq!(line.variant, "never on the wire");
            continue;
        };
        let again = match topic {
            Topic::GlobalEvents => rewritten::<GlobalEvent>(&line),
            Topic::LocalEvents => rewritten::<LocalEvent>(&line),
            Topic::Commands => rewritten::<ForwardedCommand>(&line),
            Topic::ElectionMessages => rewritten::<ElectionMessage>(&line),
            Topic::DownloadCommands => rewritten::<ForwardedDownloadCommand>(&line),
        };
        let meant: Value = serde_json::from_str(&line.json).unwrap();
        assert_eq!(again, meant, "{}", line.variant);
        lines += 1;
    }
    assert_eq!(lines, 100, "the golden files have grown or shrunk");
}
