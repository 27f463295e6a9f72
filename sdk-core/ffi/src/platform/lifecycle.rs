//! When the app comes to the front, and goes.

use std::{
    sync::{Arc, Weak},
    thread,
};

use exo_node::{driver::Node, member::Request};
use exo_serving::Host;
use exo_telemetry::reading::{Group, Groups};

use crate::Result;

/// Tells the core what becomes of the app.
#[uniffi::export(foreign)]
pub trait Lifecycle: Send + Sync {
    /// From now on, tell `life` what happens. What holds now is told too.
    fn watch(&self, life: Arc<AppLife>) -> Result<()>;

    /// Nothing needs to be told any more.
    fn unwatch(&self) -> Result<()>;
}

/// Hears what becomes of the app. What is told after the node has ended does nothing.
#[derive(Debug, uniffi::Object)]
pub struct AppLife {
    node: Weak<Node>,
    models: Option<Host>,
}

impl AppLife {
    pub(crate) fn of(node: &Arc<Node>, models: Option<Host>) -> Arc<Self> {
        Arc::new(Self { node: Arc::downgrade(node), models })
    }
}

#[uniffi::export]
impl AppLife {
    /// The app is on the screen, or is not any more.
    pub fn shown(&self, shown: bool) -> Result<()> {
        match self.node.upgrade() {
            Some(node) => Ok(node.request(Request::ScreenShown(shown))?),
            None => Ok(()),
        }
    }

    /// These readings changed: look at them now, not when it is their turn. Memory is among them when the system warns that
    /// it is short: then models give some back.
    pub fn noticed(&self, groups: Vec<Group>) -> Result<()> {
        if let Some(models) = self.models.clone().filter(|_| groups.contains(&Group::Memory)) {
            // It takes as long as a step of the model, and the app's main thread may be asking.
            let _ = thread::Builder::new().name("exo-models-relieve".into()).spawn(move || models.relieve());
        }
        match self.node.upgrade() {
            Some(node) => Ok(node.noticed(groups.into_iter().fold(Groups::NONE, |all, group| all | group))?),
            None => Ok(()),
        }
    }
}
