//! How far a node is with a model's weights.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::{count::Count, finite::Amount, id::NodeId, memory::Memory, shard::ShardMetadata};

/// How far a node is with a model's weights.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum DownloadProgress {
    /// Not begun.
    #[serde(rename = "DownloadPending")]
    Pending(DownloadPending),
    /// Under way.
    #[serde(rename = "DownloadOngoing")]
    Ongoing(DownloadOngoing),
    /// There.
    #[serde(rename = "DownloadCompleted")]
    Completed(DownloadCompleted),
    /// Given up.
    #[serde(rename = "DownloadFailed")]
    Failed(DownloadFailed),
}

/// Not begun.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DownloadPending {
    /// Whose disk.
    pub node_id: NodeId,
    /// Which weights.
    pub shard_metadata: ShardMetadata,
    /// Where they shall lie.
    #[serde(default)]
    pub model_directory: String,
    /// What is there already.
    #[serde(default)]
    pub downloaded: Memory,
    /// What there will be.
    #[serde(default)]
    pub total: Memory,
}

/// Under way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DownloadOngoing {
    /// Whose disk.
    pub node_id: NodeId,
    /// Which weights.
    pub shard_metadata: ShardMetadata,
    /// Where they lie.
    #[serde(default)]
    pub model_directory: String,
    /// How far.
    pub download_progress: DownloadProgressData,
}

/// There.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DownloadCompleted {
    /// Whose disk.
    pub node_id: NodeId,
    /// Which weights.
    pub shard_metadata: ShardMetadata,
    /// Where they lie.
    #[serde(default)]
    pub model_directory: String,
    /// How much it is.
    pub total: Memory,
    /// Whether they cannot be deleted.
    #[serde(default)]
    pub read_only: bool,
}

/// Given up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DownloadFailed {
    /// Whose disk.
    pub node_id: NodeId,
    /// Which weights.
    pub shard_metadata: ShardMetadata,
    /// Where they should have lain.
    #[serde(default)]
    pub model_directory: String,
    /// Why.
    pub error_message: String,
}

/// How far a download is, in all and by file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DownloadProgressData {
    /// What there will be.
    pub total: Memory,
    /// What is there.
    pub downloaded: Memory,
    /// What came since the program began.
    pub downloaded_this_session: Memory,
    /// Files that are there.
    pub completed_files: u32,
    /// All files.
    pub total_files: u32,
    /// Bytes a second.
    pub speed: Amount,
    /// Milliseconds to go.
    pub eta_ms: Count,
    /// Each file. exo's type nests without end, its messages do not.
    pub files: BTreeMap<FileName, FileProgress>,
}

/// How far one file is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileProgress {
    /// What there will be.
    pub total: Memory,
    /// What is there.
    pub downloaded: Memory,
    /// What came since the program began.
    pub downloaded_this_session: Memory,
    /// Files that are there: 0 or 1.
    pub completed_files: u32,
    /// All files: 1.
    pub total_files: u32,
    /// Bytes a second.
    pub speed: Amount,
    /// Milliseconds to go.
    pub eta_ms: Count,
    /// None.
    pub files: NoFiles,
}

/// The name of a file, 1 to 256 bytes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct FileName(String);

impl TryFrom<String> for FileName {
    type Error = &'static str;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        if (1..=256).contains(&name.len()) { Ok(Self(name)) } else { Err("a file's name has 1 to 256 bytes") }
    }
}

/// A file has no files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct NoFiles;

impl Serialize for NoFiles {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        BTreeMap::<(), ()>::new().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for NoFiles {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let files = BTreeMap::<String, de::IgnoredAny>::deserialize(deserializer)?;
        if files.is_empty() { Ok(Self) } else { Err(de::Error::custom("files within a file")) }
    }
}
