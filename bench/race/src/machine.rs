//! Where and from what a run came. All of it is asked of the machine; nothing is typed by a person.

use std::{collections::BTreeMap, path::Path, process::Command};

use anyhow::{Context, Result};
use serde::Serialize;

/// The origin of a run's figures.
#[derive(Clone, Debug, Serialize)]
pub struct Machine {
    /// The commit, with `-dirty` when files differ from it.
    pub commit: String,
    /// When, in UTC.
    pub date: String,
    /// The CPU's own name.
    pub cpu: String,
    /// Cores that this process may use.
    pub cores: usize,
    /// Bytes of memory.
    pub memory_bytes: u64,
    /// The operating system.
    pub system: String,
    /// The kernel.
    pub kernel: String,
    /// What else matters to this benchmark, such as the Vulkan driver.
    #[serde(flatten)]
    pub facts: BTreeMap<String, String>,
}

impl Machine {
    /// Asks the machine. What cannot be had is said to be unavailable.
    pub fn ask(repository: &Path, facts: BTreeMap<String, String>) -> Self {
        Self {
            commit: commit(repository),
            date: said_by(Command::new("date").args(["-u", "+%Y-%m-%dT%H:%M:%SZ"])),
            cpu: field("/proc/cpuinfo", "model name", ':'),
            cores: std::thread::available_parallelism().map_or(0, usize::from),
            memory_bytes: field("/proc/meminfo", "MemTotal", ':')
                .trim_end_matches(" kB")
                .parse::<u64>()
                .map_or(0, |kib| kib * 1024),
            system: field("/etc/os-release", "PRETTY_NAME", '=').trim_matches('"').to_owned(),
            kernel: said_by(Command::new("uname").arg("-r")),
            facts,
        }
    }
}

/// The most memory that this process ever had.
pub fn peak_bytes() -> Result<f64> {
    let status =
        std::fs::read_to_string("/proc/self/status").context("peak memory is known on Linux only")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).context("no VmHWM")?;
    let kib: f64 = line.trim().trim_end_matches("kB").trim().parse()?;
    Ok(kib * 1024.0)
}

fn commit(repository: &Path) -> String {
    // What the run itself writes does not make the code another one.
    let changed = said_by(Command::new("git").arg("-C").arg(repository).args([
        "status",
        "--porcelain",
        "--untracked-files=no",
        "--",
        ".",
        ":!docs/benchmarks",
    ]));
    let commit = said_by(Command::new("git").arg("-C").arg(repository).args(["rev-parse", "HEAD"]));
    if changed.is_empty() { commit } else { format!("{commit}-dirty") }
}

fn said_by(command: &mut Command) -> String {
    match command.output() {
        Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout).trim().to_owned(),
        Ok(output) => format!("unavailable: {}", String::from_utf8_lossy(&output.stderr).trim()),
        Err(error) => format!("unavailable: {error}"),
    }
}

fn field(file: &str, key: &str, separator: char) -> String {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let value =
        text.lines().filter_map(|line| line.split_once(separator)).find(|(name, _)| name.trim() == key);
    value.map_or_else(|| "unavailable".into(), |(_, value)| value.trim().to_owned())
}
