//! A message as a whole: its envelope and what is in it.

use serde::{Serialize, Serializer, ser::SerializeMap};

use super::{
    DeviceId, DeviceRegistration, Extra, Goodbye, GpuMetrics, Heartbeat, LARGEST, ProtocolError, VERSION,
    Version,
    fields::{self, Fields, is_shallow},
    told::write_extra,
};

/// One message.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// In which version it was said. What is passed on keeps its version.
    pub protocol: Version,
    /// Drawn at random whenever the device's telemetry starts: a new run counts from 0 again.
    pub run: u32,
    /// The how-manieth message of the run it is. All types count together.
    pub sequence: u64,
    /// What it says.
    pub body: Body,
}

/// What a message says.
#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    /// `device_registration`.
    Registration(Box<DeviceRegistration>),
    /// `gpu_metrics`.
    Metrics(GpuMetrics),
    /// `heartbeat`.
    Heartbeat(Heartbeat),
    /// `goodbye`.
    Goodbye(Goodbye),
    /// A type that only a newer minor version knows.
    Other {
        /// The type.
        kind: String,
        /// All that it says.
        extra: Extra,
    },
}

impl Message {
    /// Reads a message. Total: any bytes end here in a message or an error.
    pub fn parse(bytes: &[u8]) -> Result<Self, ProtocolError> {
        if bytes.len() > LARGEST {
            return Err(ProtocolError::TooLarge { bytes: bytes.len() });
        }
        let not_an_object = |why: String| ProtocolError::NotAnObject {
            reason: why.chars().take(super::LONGEST_TEXT).collect(),
        };
        let text = std::str::from_utf8(bytes).map_err(|error| not_an_object(error.to_string()))?;
        let object: Extra = serde_json::from_str(text).map_err(|error| not_an_object(error.to_string()))?;
        if !is_shallow(&object) {
            return Err(ProtocolError::TooDeep);
        }
        // The version comes first: in another major one, all else may mean something else.
        let mut fields = Fields::new(object, false);
        let protocol = Version::parse(&fields.need("protocol", fields::text)?)?;
        if protocol.major != VERSION.major {
            return Err(ProtocolError::OtherMajor { theirs: protocol });
        }
        let mut fields = Fields::new(fields.rest(), protocol.minor > VERSION.minor);
        let kind = fields.need("type", fields::text)?;
        let run = fields.need("run", fields::small)?;
        let sequence = fields.need("sequence", fields::whole)?;
        let body = match kind.as_str() {
            "device_registration" => Body::Registration(Box::new(DeviceRegistration::read(fields)?)),
            "gpu_metrics" => Body::Metrics(GpuMetrics::read(fields)?),
            "heartbeat" => Body::Heartbeat(Heartbeat::read(fields)?),
            "goodbye" => Body::Goodbye(Goodbye::read(fields)?),
            _ if fields.are_newer() => Body::Other { kind, extra: fields.rest() },
            _ => return Err(ProtocolError::UnknownType { kind }),
        };
        Ok(Self { protocol, run, sequence, body })
    }

    /// The message as JSON, in one line.
    pub fn to_json(&self) -> Result<String, ProtocolError> {
        let json = serde_json::to_string(self)
            .map_err(|error| ProtocolError::NotAnObject { reason: error.to_string() })?;
        if json.len() > LARGEST { Err(ProtocolError::TooLarge { bytes: json.len() }) } else { Ok(json) }
    }

    /// Who says it; a type that we do not know may say so elsewhere.
    pub const fn device_id(&self) -> Option<&DeviceId> {
        match &self.body {
            Body::Registration(registration) => Some(&registration.device_id),
            Body::Metrics(metrics) => Some(&metrics.device_id),
            Body::Heartbeat(heartbeat) => Some(&heartbeat.metrics.device_id),
            Body::Goodbye(goodbye) => Some(&goodbye.device_id),
            Body::Other { .. } => None,
        }
    }
}

impl Body {
    /// The `type` in messages.
    pub fn kind(&self) -> &str {
        match self {
            Self::Registration(_) => "device_registration",
            Self::Metrics(_) => "gpu_metrics",
            Self::Heartbeat(_) => "heartbeat",
            Self::Goodbye(_) => "goodbye",
            Self::Other { kind, .. } => kind,
        }
    }
}

impl Serialize for Message {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("protocol", &self.protocol.to_string())?;
        map.serialize_entry("type", self.body.kind())?;
        map.serialize_entry("run", &self.run)?;
        map.serialize_entry("sequence", &self.sequence)?;
        match &self.body {
            Body::Registration(registration) => registration.write(&mut map)?,
            Body::Metrics(metrics) => metrics.write(&mut map)?,
            Body::Heartbeat(heartbeat) => heartbeat.write(&mut map)?,
            Body::Goodbye(goodbye) => goodbye.write(&mut map)?,
            Body::Other { extra, .. } => write_extra(&mut map, extra)?,
        }
        map.end()
    }
}
