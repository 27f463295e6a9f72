//! The problems that everybody solves, and the rivals that solve them in Python.

use std::{cell::RefCell, path::PathBuf, process::Command};

use anyhow::{Context, Result, bail};
use bench_race::{peer::Peer, plan::Plan};
use exo_telemetry::placement::Problem;
use serde::Deserialize;

/// One problem, for us and in a file for the others.
pub struct Given {
    /// As tests/placement/samples.py makes it: "p14b latency 14".
    pub name: String,
    /// As we read it.
    pub problem: Problem,
    file: PathBuf,
}

impl Given {
    /// Has tests/placement make the problem of these words.
    pub fn made(plan: &Plan, words: &[&str]) -> Result<Self> {
        let mut command = Command::new("python3");
        command.arg(plan.root.join("bench/telemetry/problem.py")).args(words);
        let output = command.output().context("python3 cannot be started, and makes the problems")?;
        if !output.status.success() {
            bail!("the problem was not made: {}", String::from_utf8_lossy(&output.stderr).trim());
        }
        let folder = plan.peers().join("placement");
        std::fs::create_dir_all(&folder)?;
        let file = folder.join(format!("{}.json", words.join("-")));
        std::fs::write(&file, &output.stdout)?;
        let problem = Problem::from_json(&String::from_utf8(output.stdout)?)?;
        Ok(Self { name: words.join(" "), problem, file })
    }
}

/// What a rival found.
#[derive(Debug, Deserialize)]
pub struct Found {
    /// In the solver's own word; `optimal` means the same to all.
    pub status: String,
    /// What its plan costs, if it found one.
    pub cost_s: Option<f64>,
    /// What it proved that no plan can cost less than.
    pub lower_bound_s: Option<f64>,
    /// How long the solver ran, without building the model.
    pub elapsed_s: f64,
}

/// A solver in a process of its own.
pub struct Solver {
    /// As it names itself.
    pub version: String,
    peer: RefCell<Peer>,
}

impl Solver {
    /// CP-SAT, from the environment that also checks our placements.
    pub fn cp_sat(plan: &Plan) -> Result<Self> {
        Self::start(plan, "cp_sat", "placement")
    }

    /// `HiGHS`, in an environment of its own.
    pub fn highs(plan: &Plan) -> Result<Self> {
        Self::start(plan, "highs", "placement-highs")
    }

    fn start(plan: &Plan, word: &str, environment: &str) -> Result<Self> {
        let mut command = Command::new(plan.root.join(".tools").join(environment).join("bin/python"));
        command.arg(plan.root.join("bench/telemetry/solve.py")).arg(word);
        let peer = Peer::start(word, &mut command, &plan.peers())?;
        Ok(Self { version: peer.version.clone(), peer: RefCell::new(peer) })
    }

    /// Its answer after at most so many seconds.
    pub fn solve(&self, given: &Given, seconds: f64) -> Result<Found> {
        let line = self.peer.borrow_mut().ask(&format!("{seconds} {}", given.file.display()))?;
        serde_json::from_str(&line).with_context(|| format!("{line:?} is no answer"))
    }
}
