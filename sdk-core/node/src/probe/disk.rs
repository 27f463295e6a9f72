//! The disk that holds models.

use std::{fs, path::Path};

use exo_telemetry::reading::{DiskReadings, Unit};

use super::Look;

/// A directory on that disk, opened once.
#[derive(Debug)]
pub(super) struct Disk(Option<fs::File>);

impl Disk {
    /// A directory that is made later lies on the disk of its nearest parent.
    pub(super) fn find(models: &Path) -> Self {
        Self(models.ancestors().find_map(|path| fs::File::open(path).ok()))
    }

    pub(super) fn read(&self, look: &Look<'_>, into: &mut DiskReadings) {
        match self.0.as_ref().and_then(space) {
            Some((total, available)) if available <= total => {
                into.total.measure(total, &Unit::BYTES, " bytes", look.at);
                into.available.measure(available, &Unit::BYTES, " bytes", look.at);
            }
            Some(_) => {
                into.total.refuse(format_args!("more is free on the disk than there is"), look.at);
                into.available.refuse(format_args!("more is free on the disk than there is"), look.at);
            }
            None => {
                into.total.refuse(format_args!("the system does not tell about the disk"), look.at);
                into.available.refuse(format_args!("the system does not tell about the disk"), look.at);
            }
        }
    }
}

/// All bytes, and those that are free for us.
#[cfg(unix)]
fn space(directory: &fs::File) -> Option<(u64, u64)> {
    let disk = rustix::fs::fstatvfs(directory).ok()?;
    let bytes = |blocks: u64| blocks.checked_mul(disk.f_frsize);
    Some((bytes(disk.f_blocks)?, bytes(disk.f_bavail)?))
}

#[cfg(not(unix))]
fn space(_: &fs::File) -> Option<(u64, u64)> {
    None
}
