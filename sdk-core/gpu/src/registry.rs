//! What was learnt on this machine, kept across starts: devices and the verdicts on their kernels.
//!
//! One JSON file, written whole to a temporary name and renamed, so that a process killed at any byte leaves the
//! old file or the new one. It carries a format number and a checksum; a file that is damaged or from the future
//! is set aside under another name, never deleted, and a new one is begun.

use std::{
    collections::BTreeMap,
    io::Write,
    path::{Path, PathBuf},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::{DeviceDescription, Error, Result, Verdict};

const FORMAT: u32 = 1;
const FILE: &str = "registry.json";

/// The identity of a device for verdicts: a new driver is a new device.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct DeviceKey(String);

impl DeviceKey {
    pub(crate) fn of(device: &DeviceDescription) -> Self {
        let DeviceDescription { backend, vendor_id, device_id, name, driver, .. } = device;
        Self(format!("{backend}/{vendor_id:04x}:{device_id:04x}/{name}/{}/{}", driver.name, driver.version))
    }
}

/// The registry of one data directory; in memory only where there is none.
#[derive(Debug)]
pub(crate) struct Registry {
    file: Option<PathBuf>,
    state: Mutex<Memory>,
}

#[derive(Debug)]
struct Memory {
    body: Body,
    changed: bool,
    /// What could not be used at open, or not be written since; shown to people.
    notes: Vec<String>,
}

#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
struct Body {
    devices: BTreeMap<DeviceKey, Record>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Record {
    description: DeviceDescription,
    verdicts: BTreeMap<String, Remembered>,
    /// The version of the kernel set that a whole self-test has covered.
    #[serde(default)]
    complete: Option<u64>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Remembered {
    kernel_version: u64,
    verdict: Verdict,
}

#[derive(Serialize, Deserialize)]
struct File<'a> {
    format: u32,
    checksum: String,
    #[serde(borrow)]
    body: &'a RawValue,
}

impl Registry {
    /// Opens the registry in `directory`. Never fails: what cannot be read is set aside and noted.
    pub(crate) fn open(directory: Option<&Path>) -> Self {
        let file = directory.map(|d| d.join(FILE));
        let mut notes = Vec::new();
        let body = file.as_deref().and_then(|file| load(file, &mut notes)).unwrap_or_default();
        Self { file, state: Mutex::new(Memory { body, changed: false, notes }) }
    }

    /// Notes a device that was opened.
    pub(crate) fn met(&self, key: &DeviceKey, description: &DeviceDescription) {
        let mut memory = self.lock();
        let record = memory.body.devices.entry(key.clone());
        let mut new = false;
        record.or_insert_with(|| {
            new = true;
            Record { description: description.clone(), verdicts: BTreeMap::new(), complete: None }
        });
        memory.changed |= new;
    }

    pub(crate) fn verdict(&self, key: &DeviceKey, kernel: &str, version: u64) -> Option<Verdict> {
        let memory = self.lock();
        let remembered = memory.body.devices.get(key)?.verdicts.get(kernel)?;
        (remembered.kernel_version == version).then(|| remembered.verdict.clone())
    }

    pub(crate) fn remember(&self, key: &DeviceKey, kernel: &str, kernel_version: u64, verdict: &Verdict) {
        let mut memory = self.lock();
        if let Some(record) = memory.body.devices.get_mut(key) {
            record.verdicts.insert(kernel.into(), Remembered { kernel_version, verdict: verdict.clone() });
            memory.changed = true;
        }
    }

    pub(crate) fn is_complete(&self, key: &DeviceKey, set_version: u64) -> bool {
        self.lock().body.devices.get(key).is_some_and(|r| r.complete == Some(set_version))
    }

    pub(crate) fn complete(&self, key: &DeviceKey, set_version: u64) {
        let mut memory = self.lock();
        if let Some(record) = memory.body.devices.get_mut(key) {
            record.complete = Some(set_version);
            memory.changed = true;
        }
    }

    /// Writes what changed. A failure is noted and tried again with the next save: verdicts can be found anew.
    pub(crate) fn save(&self) {
        let mut memory = self.lock();
        let Some(file) = self.file.as_deref().filter(|_| memory.changed) else { return };
        match store(file, &memory.body) {
            Ok(()) => memory.changed = false,
            Err(error) => memory.notes.push(error.to_string()),
        }
    }

    /// What could not be used or written, for people.
    pub(crate) fn notes(&self) -> Vec<String> {
        self.lock().notes.clone()
    }

    fn lock(&self) -> MutexGuard<'_, Memory> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        self.save();
    }
}

fn load(file: &Path, notes: &mut Vec<String>) -> Option<Body> {
    let text = match std::fs::read(file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
        Err(error) => {
            notes.push(format!("{}: {error}; starting with an empty registry", file.display()));
            return None;
        }
    };
    match parse(&text) {
        Ok(body) => Some(body),
        Err(reason) => {
            let aside = set_aside(file);
            notes.push(format!("{}: {reason}; {aside}", file.display()));
            None
        }
    }
}

fn parse(text: &[u8]) -> Result<Body, String> {
    let text = std::str::from_utf8(text).map_err(|e| format!("damaged ({e})"))?;
    let file: File<'_> = serde_json::from_str(text).map_err(|e| format!("damaged ({e})"))?;
    if file.format != FORMAT {
        return Err(format!("format {} is not ours ({FORMAT})", file.format));
    }
    let checksum = checksum(file.body.get());
    if checksum != file.checksum {
        return Err(format!("damaged (checksum {checksum}, expected {})", file.checksum));
    }
    serde_json::from_str(file.body.get()).map_err(|e| format!("not understood ({e})"))
}

/// Moves the file to the first free name beside it.
fn set_aside(file: &Path) -> String {
    let free = (1..100).map(|n| file.with_extension(format!("json.aside-{n}"))).find(|path| !path.exists());
    let Some(aside) = free else { return "left in place: too many were set aside before".into() };
    match std::fs::rename(file, &aside) {
        Ok(()) => format!("set aside as {}", aside.display()),
        Err(error) => format!("could not be set aside ({error})"),
    }
}

fn store(file: &Path, body: &Body) -> Result<()> {
    let fail = |reason: String| Error::Io { path: file.display().to_string(), reason };
    let body = serde_json::to_string(body).map_err(|e| fail(e.to_string()))?;
    let raw = RawValue::from_string(body).map_err(|e| fail(e.to_string()))?;
    let whole = File { format: FORMAT, checksum: checksum(raw.get()), body: &raw };
    let text = serde_json::to_vec(&whole).map_err(|e| fail(e.to_string()))?;
    write_atomically(file, &text).map_err(|e| fail(e.to_string()))
}

/// Several processes, and several threads of one, may write at once; each writing has a name of its own.
static WRITINGS: AtomicU64 = AtomicU64::new(0);

/// Replaces `file` by `bytes`, so that whoever reads it sees the old contents or the new ones.
pub(crate) fn write_atomically(file: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let directory = file.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(directory)?;
    let number = WRITINGS.fetch_add(1, Ordering::Relaxed);
    let temporary = file.with_extension(format!("tmp-{}-{number}", std::process::id()));
    let mut out = std::fs::File::create(&temporary)?;
    let written = out.write_all(bytes).and_then(|()| out.sync_all());
    drop(out);
    if let Err(error) = written.and_then(|()| std::fs::rename(&temporary, file)) {
        let _ = std::fs::remove_file(&temporary);
        return Err(error);
    }
    // The rename itself is durable only when the directory is; not every system lets us open one.
    std::fs::File::open(directory).and_then(|d| d.sync_all()).or(Ok(()))
}

/// FNV-1a, 64 bits: it finds damage, it does not keep out an attacker, who could write the file anyway.
fn checksum(text: &str) -> String {
    let hash =
        text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3));
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A directory of its own for each test, removed at the end.
    struct Place(PathBuf);

    impl Place {
        fn new(name: &str) -> Self {
            let place = std::env::temp_dir().join(format!("exo-gpu-registry-{name}-{}", std::process::id()));
            let _ = std::fs::remove_dir_all(&place);
            std::fs::create_dir_all(&place).unwrap();
            Self(place)
        }

        fn file(&self) -> PathBuf {
            self.0.join(FILE)
        }

        fn files(&self) -> usize {
            std::fs::read_dir(&self.0).unwrap().count()
        }
    }

    impl Drop for Place {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    fn device() -> (DeviceKey, DeviceDescription) {
        let description = crate::cpu::describe();
        (DeviceKey::of(&description), description)
    }

    fn filled(place: &Place) -> Vec<u8> {
        let (key, description) = device();
        let registry = Registry::open(Some(&place.0));
        registry.met(&key, &description);
        registry.remember(&key, "add", 7, &Verdict::Trusted);
        registry.save();
        std::fs::read(place.file()).unwrap()
    }

    #[test]
    fn a_verdict_outlives_the_process_and_dies_with_its_kernel_version() {
        let place = Place::new("verdict");
        filled(&place);
        let (key, _) = device();
        let registry = Registry::open(Some(&place.0));
        assert_eq!(registry.verdict(&key, "add", 7), Some(Verdict::Trusted));
        assert_eq!(registry.verdict(&key, "add", 8), None);
        assert_eq!(registry.verdict(&key, "mul", 7), None);
        assert!(registry.notes().is_empty());
    }

    #[test]
    fn a_file_cut_at_any_byte_is_set_aside_and_begun_anew() {
        let place = Place::new("cut");
        let whole = filled(&place);
        for length in 0..whole.len() {
            std::fs::write(place.file(), &whole[..length]).unwrap();
            let registry = Registry::open(Some(&place.0));
            assert_eq!(registry.notes().len(), 1, "cut at byte {length}");
            assert!(!place.file().exists());
            let aside = place.0.join("registry.json.aside-1");
            assert_eq!(std::fs::read(&aside).unwrap(), &whole[..length], "nothing is lost");
            std::fs::remove_file(aside).unwrap();
        }
    }

    #[test]
    fn a_changed_bit_in_the_body_is_noticed() {
        let place = Place::new("bit");
        let whole = filled(&place);
        let at = whole.windows(7).position(|w| w == b"trusted").unwrap();
        let mut damaged = whole.clone();
        damaged[at] ^= 1;
        std::fs::write(place.file(), damaged).unwrap();
        let registry = Registry::open(Some(&place.0));
        assert!(registry.notes()[0].contains("checksum"), "{:?}", registry.notes());
    }

    #[test]
    fn a_registry_from_the_future_is_set_aside() {
        let place = Place::new("future");
        let whole = String::from_utf8(filled(&place)).unwrap();
        std::fs::write(place.file(), whole.replace("\"format\":1", "\"format\":2")).unwrap();
        assert!(Registry::open(Some(&place.0)).notes()[0].contains("format 2"));
    }

    #[test]
    fn a_writer_killed_before_the_rename_leaves_the_old_registry() {
        let place = Place::new("killed");
        let whole = filled(&place);
        std::fs::write(place.file().with_extension("tmp-1"), &whole[..whole.len() / 2]).unwrap();
        let (key, _) = device();
        assert_eq!(Registry::open(Some(&place.0)).verdict(&key, "add", 7), Some(Verdict::Trusted));
    }

    #[test]
    fn a_place_that_cannot_be_written_is_noted_and_nothing_fails() {
        let place = Place::new("readonly");
        let (key, description) = device();
        // A file where the directory should be: nobody can create anything below it, not even root.
        let not_a_directory = place.0.join("file");
        std::fs::write(&not_a_directory, "").unwrap();
        let registry = Registry::open(Some(&not_a_directory.join("below")));
        registry.met(&key, &description);
        registry.save();
        assert_eq!(registry.notes().iter().filter(|n| n.contains("below")).count(), registry.notes().len());
        assert!(!registry.notes().is_empty());
    }

    #[test]
    fn saving_leaves_nothing_but_the_registry() {
        let place = Place::new("clean");
        filled(&place);
        assert_eq!(place.files(), 1);
    }
}
