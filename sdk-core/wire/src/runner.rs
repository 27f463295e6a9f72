//! How a runner is.

use std::num::NonZeroU16;

use serde::{Deserialize, Serialize};

use crate::diagnostics::Diagnostics;

/// How a runner is, in the order of its life.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum RunnerStatus {
    /// It was made.
    #[serde(rename = "RunnerIdle")]
    Idle {},
    /// It looks for the others of its group.
    #[serde(rename = "RunnerConnecting")]
    Connecting {},
    /// It found them.
    #[serde(rename = "RunnerConnected")]
    Connected {},
    /// It reads weights.
    #[serde(rename = "RunnerLoading")]
    Loading(RunnerLoading),
    /// It has its weights.
    #[serde(rename = "RunnerLoaded")]
    Loaded {},
    /// It tries itself out.
    #[serde(rename = "RunnerWarmingUp")]
    WarmingUp {},
    /// It waits for work.
    #[serde(rename = "RunnerReady")]
    Ready(RunnerReady),
    /// It works.
    #[serde(rename = "RunnerRunning")]
    Running {},
    /// It is about to end.
    #[serde(rename = "RunnerShuttingDown")]
    ShuttingDown {},
    /// It ended: removes the runner from the cluster's state.
    #[serde(rename = "RunnerShutdown")]
    Shutdown {},
    /// It cannot go on.
    #[serde(rename = "RunnerFailed")]
    Failed(RunnerFailed),
}

/// How far the reading of weights is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RunnerLoading {
    /// Done.
    pub layers_loaded: u32,
    /// Of so many.
    pub total_layers: u32,
}

/// What a ready runner offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunnerReady {
    /// Where it prefills for others, if it does.
    pub prefill_server_port: Option<NonZeroU16>,
}

/// Why a runner cannot go on.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunnerFailed {
    /// In words.
    pub error_message: Option<String>,
    /// Nothing.
    pub diagnostics: Diagnostics,
}
