//! What happens to a phone, as plain data: the JSON lines, and the source of everything that is shown.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use exo_node::{
    discovery::{Activity, ProviderStatus},
    driver::NodeStats,
    member::{ClusterView, MemberState, NodeView},
};
use exo_wire::NodeId;
use serde::{Serialize, Serializer, ser::SerializeMap};
use serde_json::{Value, json};

/// The version of the JSON lines; it changes when a field changes its meaning or goes away.
pub(crate) const SCHEMA: u32 = 1;

/// One line.
#[derive(Clone, Debug)]
pub(crate) struct Happening {
    /// Since the program's start.
    pub(crate) at: Duration,
    /// Which phone, where there are several.
    pub(crate) phone: Option<String>,
    /// What.
    pub(crate) what: What,
}

/// What happened.
#[derive(Clone, Debug)]
pub(crate) enum What {
    /// The first line.
    Started { node_id: String, namespace: String, notes: Vec<String> },
    /// The membership stands elsewhere.
    State(MemberState),
    /// Some provider has news.
    Discovery(Arc<[ProviderStatus]>),
    /// The cluster changed.
    View(Arc<ClusterView>),
    /// The figures changed.
    Stats(NodeStats),
    /// Nothing was found for a while: what was tried, and what to do.
    Advice(String),
    /// Something else that people want to know.
    Note(String),
}

impl Serialize for Happening {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("at", &((self.at.as_secs_f64() * 1000.0).round() / 1000.0))?;
        if let Some(phone) = &self.phone {
            map.serialize_entry("phone", phone)?;
        }
        let (kind, fields) = self.what.fields();
        map.serialize_entry("kind", kind)?;
        for (key, value) in fields.as_object().into_iter().flatten() {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

impl What {
    fn fields(&self) -> (&'static str, Value) {
        match self {
            Self::Started { node_id, namespace, notes } => (
                "started",
                json!({
                    "schema": SCHEMA, "version": env!("CARGO_PKG_VERSION"),
                    "node_id": node_id, "namespace": namespace, "notes": notes,
                }),
            ),
            Self::State(state) => ("state", state_fields(state)),
            Self::Discovery(statuses) => ("discovery", json!({ "providers": providers(statuses) })),
            Self::View(view) => ("view", view_fields(view)),
            Self::Stats(stats) => ("stats", stats_fields(stats)),
            Self::Advice(text) => ("advice", json!({ "text": text })),
            Self::Note(text) => ("note", json!({ "text": text })),
        }
    }
}

/// A state's name in the JSON lines.
pub(crate) fn state_name(state: &MemberState) -> &'static str {
    match state {
        MemberState::Searching => "searching",
        MemberState::Connecting { .. } => "connecting",
        MemberState::Joining => "joining",
        MemberState::Joined { .. } => "joined",
        MemberState::ListeningOnly { .. } => "listening_only",
        MemberState::Degraded { .. } => "degraded",
        MemberState::Draining => "draining",
        MemberState::Left => "left",
        MemberState::Failed { .. } => "failed",
    }
}

fn state_fields(state: &MemberState) -> Value {
    let mut fields = match state {
        MemberState::Connecting { to } => json!({ "to": to }),
        MemberState::Joined { nodes } => json!({ "nodes": nodes }),
        MemberState::ListeningOnly { why } | MemberState::Degraded { why } | MemberState::Failed { why } => {
            json!({ "why": why })
        }
        MemberState::Searching | MemberState::Joining | MemberState::Draining | MemberState::Left => {
            json!({})
        }
    };
    fields["state"] = state_name(state).into();
    fields
}

/// An activity's name.
pub(crate) const fn activity_name(activity: Activity) -> &'static str {
    match activity {
        Activity::Off => "off",
        Activity::Searching => "searching",
        Activity::Blocked => "blocked",
        Activity::Found => "found",
    }
}

fn providers(statuses: &[ProviderStatus]) -> Vec<Value> {
    let one = |status: &ProviderStatus| {
        json!({
            "provider": status.provider.name(),
            "activity": activity_name(status.activity),
            "note": status.note,
        })
    };
    statuses.iter().map(one).collect()
}

fn view_fields(view: &ClusterView) -> Value {
    let nodes: BTreeMap<&str, Value> =
        view.nodes.iter().map(|(id, node)| (id.as_str(), node_fields(node))).collect();
    let instances: BTreeMap<&str, Value> = view
        .instances
        .iter()
        .map(|(id, (model, on))| {
            let on: Vec<&str> = on.iter().map(NodeId::as_str).collect();
            (id.as_str(), json!({ "model": model, "nodes": on }))
        })
        .collect();
    let links: Vec<[&str; 2]> = view.links.iter().map(|(from, to)| [from.as_str(), to.as_str()]).collect();
    json!({
        "session": view.session, "complete_to": view.complete_to,
        "nodes": nodes, "instances": instances, "links": links,
    })
}

fn node_fields(node: &NodeView) -> Value {
    json!({
        "name": node.name, "model": node.model, "chip": node.chip, "os_version": node.os_version,
        "memory": node.memory.map(|memory| json!({ "total": memory.total, "available": memory.available })),
        "disk": node.disk.map(|disk| json!({ "total": disk.total, "available": disk.available })),
        "temperature": node.temperature, "gpu_use": node.gpu_use,
        "backends": node.backends, "present": node.present,
    })
}

fn stats_fields(stats: &NodeStats) -> Value {
    let member = stats.member;
    json!({
        "sent": member.sent, "acked": member.acked, "resent": member.resent, "nacks": member.nacks,
        "refused": member.refused, "applied": member.applied, "unreadable": member.unreadable,
        "sessions": member.sessions, "snapshots": member.snapshots, "dials": member.dials,
        "heard": stats.heard, "overrun": stats.overrun, "oversized": stats.oversized,
        "unsent": stats.unsent, "links_lost": stats.links_lost,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(what: What) -> Value {
        let happening = Happening { at: Duration::from_micros(1_234_567), phone: None, what };
        serde_json::to_value(&happening).unwrap()
    }

    #[test]
    fn a_line_has_its_time_its_kind_and_its_fields() {
        let joined = line(What::State(MemberState::Joined { nodes: 3 }));
        assert_eq!(joined, json!({ "at": 1.235, "kind": "state", "state": "joined", "nodes": 3 }));
    }

    #[test]
    fn a_phone_is_named_where_there_are_several() {
        let happening =
            Happening { at: Duration::ZERO, phone: Some("late".into()), what: What::Note("hello".into()) };
        let value = serde_json::to_value(&happening).unwrap();
        assert_eq!(value["phone"], "late");
    }

    #[test]
    fn every_state_has_a_name_of_its_own() {
        let why = || String::from("x");
        let states = [
            MemberState::Searching,
            MemberState::Connecting { to: why() },
            MemberState::Joining,
            MemberState::Joined { nodes: 1 },
            MemberState::ListeningOnly { why: why() },
            MemberState::Degraded { why: why() },
            MemberState::Draining,
            MemberState::Left,
            MemberState::Failed { why: why() },
        ];
        let names: std::collections::BTreeSet<_> = states.iter().map(state_name).collect();
        assert_eq!(names.len(), states.len());
    }

    #[test]
    fn the_view_keeps_what_is_unknown_unknown() {
        let mut view = ClusterView::default();
        view.nodes.insert(exo_wire::NodeId::heard("abc"), NodeView::default());
        let value = line(What::View(Arc::new(view)));
        assert_eq!(value["session"], Value::Null);
        assert_eq!(value["nodes"]["abc"]["memory"], Value::Null);
    }
}
