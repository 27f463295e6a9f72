//! What a worker has to do.

use serde::{Deserialize, Serialize};

use crate::{
    id::{CommandId, InstanceId, RunnerId, TaskId},
    image::{ImageEditsTaskParams, ImageGenerationTaskParams},
    instance::BoundInstance,
    shard::ShardMetadata,
    text::TextGenerationTaskParams,
};

/// What a worker has to do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Task {
    /// Make a runner.
    CreateRunner(Box<CreateRunner>),
    /// Fetch weights.
    DownloadModel(Box<DownloadModel>),
    /// Find the others of the group.
    ConnectToGroup(Step),
    /// Read weights.
    LoadModel(Step),
    /// Try the runner out.
    StartWarmup(Step),
    /// Answer.
    TextGeneration(Box<TextGeneration>),
    /// Stop answering.
    CancelTask(CancelTask),
    /// Paint.
    ImageGeneration(Box<ImageGeneration>),
    /// Paint over.
    ImageEdits(Box<ImageEdits>),
    /// End the runner.
    Shutdown(Shutdown),
}

impl Task {
    /// Which task.
    pub fn task_id(&self) -> &TaskId {
        match self {
            Self::CreateRunner(task) => &task.task_id,
            Self::DownloadModel(task) => &task.task_id,
            Self::ConnectToGroup(task) | Self::LoadModel(task) | Self::StartWarmup(task) => &task.task_id,
            Self::TextGeneration(task) => &task.task_id,
            Self::CancelTask(task) => &task.task_id,
            Self::ImageGeneration(task) => &task.task_id,
            Self::ImageEdits(task) => &task.task_id,
            Self::Shutdown(task) => &task.task_id,
        }
    }
}

/// How a task stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum TaskStatus {
    /// Not begun.
    #[default]
    Pending,
    /// Being done.
    Running,
    /// Done.
    Complete,
    /// Given up for lack of time.
    TimedOut,
    /// Went wrong.
    Failed,
    /// No longer wanted.
    Cancelled,
}

/// A step in the life of a runner that needs no more words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// Which task.
    pub task_id: TaskId,
    /// How it stands.
    #[serde(default)]
    pub task_status: TaskStatus,
    /// For which instance.
    pub instance_id: InstanceId,
}

/// Make a runner.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CreateRunner {
    /// Which task.
    pub task_id: TaskId,
    /// How it stands.
    #[serde(default)]
    pub task_status: TaskStatus,
    /// For which instance.
    pub instance_id: InstanceId,
    /// The instance, as the runner's node sees it.
    pub bound_instance: BoundInstance,
}

/// Fetch weights.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DownloadModel {
    /// Which task.
    pub task_id: TaskId,
    /// How it stands.
    #[serde(default)]
    pub task_status: TaskStatus,
    /// For which instance.
    pub instance_id: InstanceId,
    /// Which weights.
    pub shard_metadata: ShardMetadata,
}

/// Answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TextGeneration {
    /// Which task.
    pub task_id: TaskId,
    /// How it stands.
    #[serde(default)]
    pub task_status: TaskStatus,
    /// With which instance.
    pub instance_id: InstanceId,
    /// The command that asked.
    pub command_id: CommandId,
    /// What it asked.
    pub task_params: TextGenerationTaskParams,
    /// What kind of thing went wrong.
    pub error_type: Option<String>,
    /// What went wrong.
    pub error_message: Option<String>,
}

/// Stop answering.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CancelTask {
    /// Which task.
    pub task_id: TaskId,
    /// How it stands.
    #[serde(default)]
    pub task_status: TaskStatus,
    /// With which instance.
    pub instance_id: InstanceId,
    /// The task that is no longer wanted.
    pub cancelled_task_id: TaskId,
    /// Whose it is.
    pub runner_id: RunnerId,
}

/// Paint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImageGeneration {
    /// Which task.
    pub task_id: TaskId,
    /// How it stands.
    #[serde(default)]
    pub task_status: TaskStatus,
    /// With which instance.
    pub instance_id: InstanceId,
    /// The command that asked.
    pub command_id: CommandId,
    /// What it asked.
    pub task_params: ImageGenerationTaskParams,
    /// What kind of thing went wrong.
    pub error_type: Option<String>,
    /// What went wrong.
    pub error_message: Option<String>,
}

/// Paint over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImageEdits {
    /// Which task.
    pub task_id: TaskId,
    /// How it stands.
    #[serde(default)]
    pub task_status: TaskStatus,
    /// With which instance.
    pub instance_id: InstanceId,
    /// The command that asked.
    pub command_id: CommandId,
    /// What it asked.
    pub task_params: ImageEditsTaskParams,
    /// What kind of thing went wrong.
    pub error_type: Option<String>,
    /// What went wrong.
    pub error_message: Option<String>,
}

/// End a runner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shutdown {
    /// Which task.
    pub task_id: TaskId,
    /// How it stands.
    #[serde(default)]
    pub task_status: TaskStatus,
    /// Of which instance.
    pub instance_id: InstanceId,
    /// Which runner.
    pub runner_id: RunnerId,
}
