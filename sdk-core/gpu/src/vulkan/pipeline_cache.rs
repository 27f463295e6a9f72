//! Compiled pipelines on disk, so that the second start of an app compiles nothing.
//!
//! One file for each driver, under the data directory. It is read when the first pipeline is made and written when
//! the device is trimmed or closed, if it grew. A file that is damaged, or another driver's, is ignored and written
//! over: drivers are known to crash on caches that are not theirs.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use ash::vk;

use super::{
    context::Context,
    describe::{CacheIdentity, hexadecimal},
};
use crate::Result;

const MAGIC: &[u8; 8] = b"exopipe1";

/// Magic, vendor, device, driver, UUID, length, checksum.
const HEADER_BYTES: usize = 8 + 4 + 4 + 4 + vk::UUID_SIZE + 8 + 8;

/// A larger file is not ours.
const LARGEST: u64 = 256 << 20;

/// A `VkPipelineCache` and the file behind it.
pub(super) struct PipelineCache {
    context: Arc<Context>,
    raw: vk::PipelineCache,
    file: Option<PathBuf>,
    identity: CacheIdentity,
    /// Checksum of what the file holds; 0 without a file.
    stored: AtomicU64,
}

impl PipelineCache {
    /// Opens the cache of a driver in `directory`; `None` keeps it in memory.
    pub(super) fn open(
        context: &Arc<Context>,
        directory: Option<&Path>,
        identity: CacheIdentity,
    ) -> Result<Self> {
        let file = directory.map(|directory| directory.join(file_name(identity)));
        let stored = file.as_deref().and_then(|file| load(file, identity)).unwrap_or_default();
        let create = |data: &[u8]| {
            let info = vk::PipelineCacheCreateInfo::default().initial_data(data);
            // SAFETY: the device is alive. The data, if any, passed its checksum and was written for this driver.
            unsafe { context.raw.create_pipeline_cache(&info, None) }
        };
        // A driver may still dislike what it wrote; then it starts anew.
        let raw = create(&stored)
            .or_else(|_| create(&[]))
            .map_err(|e| context.error("vkCreatePipelineCache", e))?;
        let checksum = if stored.is_empty() { 0 } else { checksum(&stored) };
        Ok(Self { context: Arc::clone(context), raw, file, identity, stored: AtomicU64::new(checksum) })
    }

    pub(super) fn raw(&self) -> vk::PipelineCache {
        self.raw
    }

    /// Writes the file, if there is anything new. A disk that refuses costs the next start some time, no more.
    pub(super) fn save(&self) {
        let Some(file) = &self.file else { return };
        // SAFETY: the cache is alive; a query that may run beside others.
        let Ok(data) = (unsafe { self.context.raw.get_pipeline_cache_data(self.raw) }) else { return };
        let checksum = checksum(&data);
        if self.stored.load(Ordering::Relaxed) != checksum
            && store(file, &encode(self.identity, &data)).is_ok()
        {
            self.stored.store(checksum, Ordering::Relaxed);
        }
    }
}

impl Drop for PipelineCache {
    fn drop(&mut self) {
        // SAFETY: pipelines do not need the cache after they were made, and nobody is making one: `drop` is alone.
        unsafe { self.context.raw.destroy_pipeline_cache(self.raw, None) }
    }
}

fn file_name(id: CacheIdentity) -> String {
    let uuid = hexadecimal(id.uuid);
    format!("pipelines-{:x}-{:x}-{:x}-{uuid}.bin", id.vendor, id.device, id.driver)
}

/// What `file` holds, if it is whole and of this driver.
fn load(file: &Path, identity: CacheIdentity) -> Option<Vec<u8>> {
    if fs::metadata(file).ok()?.len() > LARGEST {
        return None;
    }
    let bytes = fs::read(file).ok()?;
    let data = bytes.get(HEADER_BYTES..)?;
    // The header follows from the data, so that every byte of it is checked by making it again.
    (bytes[..HEADER_BYTES] == header(identity, data)).then(|| data.to_vec())
}

fn encode(identity: CacheIdentity, data: &[u8]) -> Vec<u8> {
    let mut bytes = header(identity, data);
    bytes.extend_from_slice(data);
    bytes
}

fn header(identity: CacheIdentity, data: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEADER_BYTES + data.len());
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&identity.vendor.to_le_bytes());
    bytes.extend_from_slice(&identity.device.to_le_bytes());
    bytes.extend_from_slice(&identity.driver.to_le_bytes());
    bytes.extend_from_slice(&identity.uuid);
    bytes.extend_from_slice(&(data.len() as u64).to_le_bytes());
    bytes.extend_from_slice(&checksum(data).to_le_bytes());
    bytes
}

/// FNV-1a. It guards against torn writes and bad disks, not against forgery.
fn checksum(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Replaces `file` in one step: whoever reads it sees the old or the new, never a half.
fn store(file: &Path, bytes: &[u8]) -> std::io::Result<()> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    if let Some(directory) = file.parent() {
        fs::create_dir_all(directory)?;
    }
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let part = file.with_extension(format!("{}-{count}.part", std::process::id()));
    let written = fs::File::create(&part)
        .and_then(|mut open| open.write_all(bytes).and_then(|()| open.sync_all()))
        .and_then(|()| fs::rename(&part, file));
    if written.is_err() {
        let _ = fs::remove_file(&part);
    }
    written
}
