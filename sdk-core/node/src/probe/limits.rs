//! The limits of our control group: what a container may use of a large machine.

use std::path::{Path, PathBuf};

use exo_telemetry::reading::{MemoryReadings, Unit};

use super::{
    Look,
    file::File,
    parse::{field, trimmed, whole},
    tree::Tree,
};

/// Version 1 writes "no limit" as a number near 2^63.
const NO_LIMIT: u64 = 1 << 60;
/// Groups within groups: deeper ones are not looked at.
const DEEPEST: usize = 16;

/// The files of one control group, with the names that its version gives them.
#[derive(Debug)]
struct Group {
    limit: File,
    used: File,
    stat: File,
    /// The key of what the kernel could take back at once.
    cache: &'static str,
}

/// All groups that we are in, which may each have a limit.
#[derive(Debug)]
pub(super) struct Limits(Vec<Group>);

impl Limits {
    pub(super) fn find(tree: &Tree) -> Self {
        let ours = tree.text("proc/self/cgroup").unwrap_or_default();
        let line = |wanted: fn(&str) -> bool| {
            ours.lines().find_map(|line| {
                let (_, rest) = line.split_once(':')?;
                let (controllers, path) = rest.split_once(':')?;
                wanted(controllers).then(|| path.to_owned())
            })
        };
        let is_memory = |controllers: &str| controllers.split(',').any(|name| name == "memory");
        let first = line(is_memory).map(|path| groups(tree, "sys/fs/cgroup/memory", &path, first_version));
        let second = || {
            let path = line(str::is_empty).unwrap_or_else(|| "/".to_owned());
            groups(tree, "sys/fs/cgroup", &path, second_version)
        };
        Self(first.filter(|groups| !groups.is_empty()).unwrap_or_else(second))
    }

    /// The tightest limit, and what it leaves of the memory that is available.
    pub(super) fn read(&self, look: &mut Look<'_>, into: &mut MemoryReadings) {
        let (mut tightest, mut left) = (None::<u64>, None::<u64>);
        for group in &self.0 {
            let Some(limit) = group.limit(look) else { continue };
            tightest = Some(tightest.map_or(limit, |other| other.min(limit)));
            if let Some(room) = group.room(look, limit) {
                left = Some(left.map_or(room, |other| other.min(room)));
            }
        }
        let Some(limit) = tightest else {
            into.app_limit.refuse(format_args!("no control group sets a limit"), look.at);
            return;
        };
        into.app_limit.measure(limit, &Unit::BYTES, " bytes", look.at);
        if let (Some(left), Some(available)) = (left, into.available.get()) {
            into.available.measure(available.min(left), &Unit::BYTES, " bytes", look.at);
        }
    }
}

impl Group {
    fn limit(&self, look: &mut Look<'_>) -> Option<u64> {
        let text = self.limit.read(look.buffer).ok()?;
        if trimmed(text) == b"max" { None } else { whole(text).filter(|limit| *limit < NO_LIMIT) }
    }

    /// What may still be used: files that were read and can be dropped do not count.
    fn room(&self, look: &mut Look<'_>, limit: u64) -> Option<u64> {
        let used = self.used.whole(look.buffer)?;
        let stat = self.stat.read(look.buffer).ok();
        let cache = stat.and_then(|text| whole(field(text, self.cache)?)).unwrap_or(0);
        Some(limit.saturating_sub(used.saturating_sub(cache)))
    }
}

/// A group and those around it, as far as they can be seen from here. In a container the path is often that of the
/// host, and only the top is there.
fn groups(tree: &Tree, mount: &str, path: &str, open: fn(&Tree, &Path) -> Group) -> Vec<Group> {
    let below: PathBuf = path.split('/').filter(|part| !part.is_empty() && *part != "..").collect();
    below
        .ancestors()
        .take(DEEPEST)
        .map(|group| open(tree, &Path::new(mount).join(group)))
        .filter(|group| group.limit.is_readable())
        .collect()
}

fn first_version(tree: &Tree, group: &Path) -> Group {
    Group {
        limit: tree.file(group.join("memory.limit_in_bytes")),
        used: tree.file(group.join("memory.usage_in_bytes")),
        stat: tree.file(group.join("memory.stat")),
        cache: "total_inactive_file",
    }
}

fn second_version(tree: &Tree, group: &Path) -> Group {
    Group {
        limit: tree.file(group.join("memory.max")),
        used: tree.file(group.join("memory.current")),
        stat: tree.file(group.join("memory.stat")),
        cache: "inactive_file",
    }
}
