//! Bugs, injected between a member and the bus, to prove that the invariants catch them.

use std::{cmp::Ordering, rc::Rc};

use exo_node::member::{Input, Request};
use exo_wire::{Sealed, Topic};
use serde_json::Value;

use crate::{config::Bug, phone::Parcel, queue::SECOND, world::World};

impl World {
    /// What is published instead of what the member wanted.
    pub(crate) fn through_the_bug(&mut self, number: u16, sealed: &Sealed) -> Vec<(Topic, Vec<u8>)> {
        let said = (sealed.topic(), sealed.payload().to_vec());
        // Bugs show up after a while, as they do.
        let Some(bug) = self.config.bug.filter(|_| self.now > 30 * SECOND) else { return vec![said] };
        match bug {
            Bug::NewIndex if said.0 == Topic::LocalEvents => {
                vec![(said.0, self.shift(number, &said.1, false))]
            }
            Bug::OtherContent if said.0 == Topic::LocalEvents => {
                vec![(said.0, self.shift(number, &said.1, true))]
            }
            Bug::NackFromZero if said.0 == Topic::Commands => {
                vec![(
                    said.0,
                    edit(&said.1, |json| json["command"]["RequestEventLog"]["since_idx"] = 0.into()),
                )]
            }
            Bug::Votes => {
                let vote = br#"{"clock":9,"seniority":9,"proposed_session":{"master_node_id":"f","election_clock":0},"commands_seen":0}"#;
                vec![said, (Topic::ElectionMessages, vote.to_vec())]
            }
            Bug::Swallows if self.chance(0.05) => Vec::new(),
            Bug::Floods => vec![said; 3],
            Bug::Forgets if said.0 == Topic::LocalEvents => self.forget(number, said.1),
            Bug::ReusedIndex if said.0 == Topic::LocalEvents => {
                vec![(said.0, self.reuse_the_origin(number, said.1))]
            }
            _ => vec![said],
        }
    }

    /// What was said before is said again under a new index, or with other content.
    fn shift(&mut self, number: u16, bytes: &[u8], same_index: bool) -> Vec<u8> {
        let Ok(json) = serde_json::from_slice::<Value>(bytes) else { return bytes.to_vec() };
        let (origin, index) = (json["origin"].to_string(), json["origin_idx"].as_u64().unwrap_or(0));
        let phone = &mut self.phones[usize::from(number)];
        let (known, next, shift) = &mut phone.shifted;
        if *known != origin {
            (*known, *next, *shift) = (origin, index, 0);
        }
        let is_again = index < *next;
        *next = (*next).max(index + 1);
        match (is_again, same_index) {
            (true, true) => edit(bytes, |json| json["event"]["NodeGatheredInfo"]["when"] = "other".into()),
            (true, false) => {
                *shift += 1;
                renumber(bytes, index, *next - 1 + *shift)
            }
            (false, _) => renumber(bytes, index, index + *shift),
        }
    }

    /// Swallows one event of a stream and gives its index to the next.
    fn forget(&self, number: u16, bytes: Vec<u8>) -> Vec<(Topic, Vec<u8>)> {
        const SWALLOWED: u64 = 4;
        let index = index_of(&bytes);
        let bytes = match index.cmp(&SWALLOWED) {
            _ if self.phones[usize::from(number)].runs < 2 => bytes,
            Ordering::Less => bytes,
            Ordering::Equal => return Vec::new(),
            Ordering::Greater => renumber(&bytes, index, index - 1),
        };
        vec![(Topic::LocalEvents, bytes)]
    }

    /// Puts the origin of the app's first run in the place of the one of this run, if the session is still the same.
    fn reuse_the_origin(&mut self, number: u16, bytes: Vec<u8>) -> Vec<u8> {
        let Ok(json) = serde_json::from_slice::<Value>(&bytes) else { return bytes };
        let (origin, session) = (json["origin"].to_string(), json["session"].to_string());
        let phone = &mut self.phones[usize::from(number)];
        if phone.runs < 2 {
            phone.first_origin = (origin, session);
        } else if phone.first_origin.1 == session {
            return String::from_utf8_lossy(&bytes).replacen(&origin, &phone.first_origin.0, 1).into();
        }
        bytes
    }

    /// What a bug does to an app that starts.
    pub(crate) fn start_with_the_bug(&mut self, number: u16) {
        if self.config.bug == Some(Bug::Hurries) && number.is_multiple_of(4) {
            self.tell(number, Input::Request(Request::ScreenShown(true)));
        }
    }

    /// Whether the bug keeps this payload from the phone.
    pub(crate) fn is_kept_back_by_a_bug(&self, number: u16, parcel: &Rc<Parcel>) -> bool {
        let is_deaf = self.config.bug == Some(Bug::NoAcks) && self.now > 30 * SECOND;
        let id = self.phones[usize::from(number)].node_id.as_str().as_bytes();
        is_deaf && parcel.bytes.windows(id.len()).any(|window| window == id)
    }
}

fn index_of(bytes: &[u8]) -> u64 {
    serde_json::from_slice::<Value>(bytes)
        .ok()
        .and_then(|json| json["origin_idx"].as_u64())
        .unwrap_or_default()
}

/// The same bytes with another index.
fn renumber(bytes: &[u8], from: u64, to: u64) -> Vec<u8> {
    let text = String::from_utf8_lossy(bytes);
    text.replacen(&format!("\"origin_idx\":{from},"), &format!("\"origin_idx\":{to},"), 1).into()
}

/// The same JSON, edited. Keys keep their order only as far as the parser keeps it; exo does not mind.
fn edit(bytes: &[u8], change: impl FnOnce(&mut Value)) -> Vec<u8> {
    serde_json::from_slice(bytes).map_or_else(
        |_| bytes.to_vec(),
        |mut json: Value| {
            change(&mut json);
            json.to_string().into()
        },
    )
}
