//! Rivals that live in a process of their own: Python's and ggml's.
//!
//! They speak lines. At start: `version <text>`, any number of `variant <name>`, then `ready`; or `error <text>`.
//! After that each line that we send is a piece of work and is answered by a line, or by `error <text>`. Where only speed
//! matters, the line names a variant and the answer is the seconds that it took. Between lines the process sleeps, so
//! that it disturbs nobody else's turn.

use std::{
    cell::RefCell,
    fs::File,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    rc::Rc,
};

use anyhow::{Context, Result, bail};

use crate::race::{Sample, settle};

/// A rival's process. It ends when this is dropped.
pub struct Peer {
    child: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
    complaints: PathBuf,
    /// As it names itself.
    pub version: String,
    /// What it can do; at least one.
    pub variants: Vec<String>,
}

impl Peer {
    /// Starts `command` and waits until it is ready. What it complains of goes to a file in `folder`.
    pub fn start(name: &str, command: &mut Command, folder: &Path) -> Result<Self> {
        std::fs::create_dir_all(folder)?;
        let complaints = folder.join(format!("{name}.stderr"));
        let child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(File::create(&complaints)?).spawn();
        let mut child = child.with_context(|| {
            // The name alone: where the project lies on this machine is nobody's business in a committed table.
            let program = Path::new(command.get_program()).file_name().unwrap_or_default();
            format!("{} cannot be started{}", program.display(), why_missing(name, folder))
        })?;
        let to = child.stdin.take();
        let from = BufReader::new(child.stdout.take().context("the process has no output")?);
        let mut peer = Self { child, to, from, complaints, version: String::new(), variants: Vec::new() };
        loop {
            let line = peer.line()?;
            match line.split_once(' ') {
                Some(("version", version)) => version.clone_into(&mut peer.version),
                Some(("variant", variant)) => peer.variants.push(variant.to_owned()),
                Some(("error", error)) => bail!("{error}"),
                _ if line == "ready" => return Ok(peer),
                _ => {} // Libraries greet on standard output too.
            }
        }
    }

    /// Seconds of one piece of `variant`'s work.
    fn measure(&mut self, variant: &str) -> Result<f64> {
        let line = self.ask(variant)?;
        line.parse().with_context(|| format!("{line:?} is no number of seconds"))
    }

    /// Sends a line and returns the answer.
    pub fn ask(&mut self, work: &str) -> Result<String> {
        settle();
        writeln!(self.to.as_mut().context("the process was told to end")?, "{work}")?;
        let line = self.line()?;
        match line.strip_prefix("error ") {
            Some(error) => bail!("{error}"),
            None => Ok(line),
        }
    }

    fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        if self.from.read_line(&mut line)? == 0 {
            bail!("it ended: {}", last_words(&self.complaints));
        }
        Ok(line.trim_end().to_owned())
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.to = None; // The end of its input is its sign to go.
        let _ = self.child.wait();
    }
}

/// A sample that asks a shared process for `variant`.
pub fn sample(peer: &Rc<RefCell<Peer>>, variant: &str) -> Sample<'static> {
    let (peer, variant) = (peer.clone(), variant.to_owned());
    Box::new(move || peer.borrow_mut().measure(&variant))
}

/// What went wrong when scripts/bench installed or built a rival, if it left a log.
fn why_missing(name: &str, folder: &Path) -> String {
    let log = folder.join(format!("{name}.log"));
    if log.exists() { format!(" (its build ended with: {})", last_words(&log)) } else { String::new() }
}

/// The last lines of a log, short enough for a table.
fn last_words(log: &Path) -> String {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let last = lines.iter().skip(lines.len().saturating_sub(4)).map(|line| line.trim());
    let words = last.collect::<Vec<_>>().join(" / ");
    words.chars().take(600).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> PathBuf {
        std::env::temp_dir().join(format!("bench-peer-{}", std::process::id()))
    }

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn a_peer_names_itself_and_answers_with_seconds() {
        let script = "echo hello; echo version 1.2; echo variant a; echo ready; read x; echo 0.25; read x; echo error no";
        let mut peer = Peer::start("talks", &mut shell(script), &folder()).unwrap();
        assert_eq!((peer.version.as_str(), peer.variants.as_slice()), ("1.2", &["a".to_owned()][..]));
        assert_eq!(peer.measure("a").unwrap(), 0.25);
        assert!(format!("{:#}", peer.measure("a").unwrap_err()).contains("no"));
    }

    #[test]
    fn a_peer_that_dies_leaves_its_last_words() {
        let error =
            Peer::start("dies", &mut shell("echo no such library >&2; exit 1"), &folder()).err().unwrap();
        assert!(format!("{error:#}").contains("no such library"), "{error:#}");
    }

    #[test]
    fn a_peer_that_was_never_built_tells_how_its_build_ended() {
        std::fs::create_dir_all(folder()).unwrap();
        std::fs::write(folder().join("unbuilt.log"), "cc: not found\n").unwrap();
        let error = Peer::start("unbuilt", &mut Command::new("/nonexistent/peer"), &folder()).err().unwrap();
        assert!(format!("{error:#}").contains("cc: not found"), "{error:#}");
    }
}
