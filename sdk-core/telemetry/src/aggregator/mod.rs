//! What all devices told: on any member, from messages alone.
//!
//! * Messages may come late, twice, out of order or not at all: sequence numbers tell. A late one fills in only what
//!   no newer one told.
//! * A device promises when it will speak again. Two broken promises make it stale, five lost. Ages are counted on
//!   our own clock; what the sender's clock says is shown to people and decides nothing.
//! * Memory is bounded: at most so many devices, of each at most so much. When there is no room, those go first that
//!   are gone, then those that spoke once, then those that were silent longest: a flood of made-up devices does not
//!   push out those that keep speaking.

mod cluster;
mod device;
mod sequences;

use std::{
    collections::{BTreeMap, VecDeque},
    time::Duration,
};

pub use cluster::{ClusterState, DeviceState, Overview, Total};
pub use device::{Device, Presence};
pub use sequences::Traffic;

use crate::{
    Now,
    now::Moment,
    protocol::{DeviceId, Message, ProtocolError},
};

/// The usual bound on devices.
pub const MOST_DEVICES: usize = 4096;
/// If we are woken this much later than we asked, we slept ourselves.
const OVERSLEPT: Duration = Duration::from_secs(10);

/// What became of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heard {
    /// It was the newest of its device.
    Newest,
    /// The same, and the device's telemetry started anew.
    Restarted,
    /// It was late, and filled in what was missing.
    Late,
    /// It had come before.
    Duplicate,
    /// It was too late to tell whether it had come before.
    TooOld,
    /// It was of a run that ended.
    OldRun,
    /// It is of a type that only a newer version knows.
    NotUnderstood,
}

/// Something that the app may want to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// A device that we did not know.
    Appeared(DeviceId),
    /// Its telemetry started anew.
    Restarted(DeviceId),
    /// It is present, stale, lost or has left, and was not before.
    Became(DeviceId, Presence),
    /// It was silent for so long that it is forgotten, or there was no room.
    Forgotten(DeviceId),
}

/// What all devices told.
#[derive(Debug)]
pub struct Aggregator {
    devices: BTreeMap<DeviceId, Device>,
    most: usize,
    /// No device is due before this.
    wake: Option<Moment>,
    notices: VecDeque<Notice>,
    refused: u64,
}

impl Default for Aggregator {
    fn default() -> Self {
        Self::with_room_for(MOST_DEVICES)
    }
}

impl Aggregator {
    /// One that keeps at most so many devices.
    pub fn with_room_for(devices: usize) -> Self {
        Self {
            devices: BTreeMap::new(),
            most: devices.max(1),
            wake: None,
            notices: VecDeque::new(),
            refused: 0,
        }
    }

    /// Takes the bytes of one message.
    pub fn hear(&mut self, now: Now, bytes: &[u8]) -> Result<Heard, ProtocolError> {
        let message = Message::parse(bytes);
        self.take_or_refuse(now, message)
    }

    /// Takes the bytes of one message that came under the name of `device`: on its key, over its socket. A message that
    /// speaks of another device is refused, or one member could speak for all.
    pub fn hear_from(&mut self, now: Now, device: &str, bytes: &[u8]) -> Result<Heard, ProtocolError> {
        let heard = Message::parse(bytes).and_then(|message| match message.device_id() {
            Some(says) if says.as_str() != device => {
                Err(ProtocolError::OtherDevice { says: says.to_string(), key: device.to_owned() })
            }
            _ => Ok(message),
        });
        self.take_or_refuse(now, heard)
    }

    fn take_or_refuse(
        &mut self,
        now: Now,
        message: Result<Message, ProtocolError>,
    ) -> Result<Heard, ProtocolError> {
        if message.is_err() {
            self.refused = self.refused.saturating_add(1);
        }
        Ok(self.take(now, message?))
    }

    /// Takes one message.
    pub fn take(&mut self, now: Now, message: Message) -> Heard {
        self.tick(now);
        let Some(id) = message.device_id().cloned() else { return Heard::NotUnderstood };
        if !self.devices.contains_key(&id) {
            self.make_room();
            self.devices.insert(id.clone(), Device::new(now, message.run));
            self.notice(Notice::Appeared(id.clone()));
        }
        let Some(device) = self.devices.get_mut(&id) else { return Heard::NotUnderstood };
        let before = device.presence();
        let heard = device.take(now, message);
        let (after, due) = (device.presence(), device.due());
        self.wake = Some(self.wake.map_or(due, |wake| wake.min(due)));
        if heard == Heard::Restarted {
            self.notice(Notice::Restarted(id.clone()));
        }
        if before != after {
            self.notice(Notice::Became(id, after));
        }
        heard
    }

    /// Lets time pass: devices become stale, lost and forgotten.
    pub fn tick(&mut self, now: Now) {
        let Some(wake) = self.wake else { return };
        if now.mono < wake {
            return;
        }
        let overslept = now.mono.since(wake);
        if overslept >= OVERSLEPT {
            for device in self.devices.values_mut().filter(|device| device.presence() != Presence::Left) {
                device.excuse(overslept);
            }
        }
        let mut notices = VecDeque::new();
        self.devices.retain(|id, device| {
            if device.due() > now.mono {
                return true;
            }
            let presence = device.silent();
            notices.push_back(match presence {
                Some(presence) => Notice::Became(id.clone(), presence),
                None => Notice::Forgotten(id.clone()),
            });
            presence.is_some()
        });
        for notice in notices {
            self.notice(notice);
        }
        self.wake = self.devices.values().map(Device::due).min();
    }

    /// The next thing that the app may want to know.
    pub fn poll(&mut self) -> Option<Notice> {
        self.notices.pop_front()
    }

    /// When to call [`tick`](Self::tick), if nothing is heard before. It may come early, never late.
    pub const fn deadline(&self) -> Option<Moment> {
        self.wake
    }

    /// One device.
    pub fn device(&self, id: &str) -> Option<&Device> {
        self.devices.get(id)
    }

    /// All devices, by their ids.
    pub fn devices(&self) -> impl ExactSizeIterator<Item = (&DeviceId, &Device)> {
        self.devices.iter()
    }

    /// How many messages could not be read.
    pub const fn refused(&self) -> u64 {
        self.refused
    }

    /// All that is known, at this moment.
    pub fn state(&self, now: Now) -> ClusterState {
        ClusterState::of(self, now)
    }

    fn make_room(&mut self) {
        if self.devices.len() < self.most {
            return;
        }
        let worth = |device: &Device| {
            (device.presence() == Presence::Present, !device.is_a_stranger(), device.heard())
        };
        let least = self.devices.iter().min_by_key(|(_, device)| worth(device)).map(|(id, _)| id.clone());
        if let Some(id) = least {
            self.devices.remove(&id);
            self.notice(Notice::Forgotten(id));
        }
    }

    /// An app that never asks loses the oldest news, not its memory.
    fn notice(&mut self, notice: Notice) {
        if self.notices.len() >= 2 * self.most {
            self.notices.pop_front();
        }
        self.notices.push_back(notice);
    }
}
