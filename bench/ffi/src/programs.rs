//! The programs that measure, where `scripts/lib/bench_ffi.sh` has put them.

use std::{cell::RefCell, path::PathBuf, process::Command, rc::Rc};

use anyhow::{Context, Result};
use bench_race::{
    peer::{self, Peer},
    plan::Plan,
    program,
    race::{Contestant, Sample},
};

/// A program that works line by line, shared by the contestants that it plays; or why there is none.
pub struct Program(Result<Rc<RefCell<Peer>>>);

impl Program {
    /// Kotlin on the JVM.
    pub fn kotlin(plan: &Plan) -> Self {
        Self::start(plan, "kotlin", java(plan, "dev.exo.bench.ServeKt"))
    }

    /// Swift, where it lives.
    pub fn swift(plan: &Plan) -> Self {
        let mut command = Command::new(plan.root.join("scripts/lib/in-swift"));
        command.arg(plan.root.join("target/bench-ffi/swift/build/release/Serve"));
        Self::start(plan, "swift", Ok(command))
    }

    /// Python with numpy.
    pub fn numpy(plan: &Plan) -> Self {
        let mut command = Command::new(plan.python());
        command.arg(plan.root.join("bench/ffi/numpy_copy.py"));
        command.env("PYTHONPATH", plan.root.join("target/bench-ffi/python"));
        Self::start(plan, "numpy", Ok(command))
    }

    fn start(plan: &Plan, name: &str, command: Result<Command>) -> Self {
        let start = |mut command| Peer::start(name, &mut command, &plan.peers());
        Self(command.and_then(start).map(|peer| Rc::new(RefCell::new(peer))))
    }

    /// The program as `name`, who does the work of this variant.
    pub fn plays(&self, name: &str, variant: &str) -> Contestant<'static> {
        match &self.0 {
            Ok(peer) => {
                let version = peer.borrow().version.clone();
                Contestant::new(name, version, Ok(peer::sample(peer, variant)))
            }
            Err(error) => Contestant::absent(name, error),
        }
    }
}

/// Seconds that a JVM of its own takes for its first use of a library: `ours` or `uniffi`.
pub fn first_use<'a>(plan: &'a Plan, whose: &'static str) -> Sample<'a> {
    Box::new(move || program::number(java(plan, "dev.exo.bench.Start")?.arg(whose)))
}

fn java(plan: &Plan, class: &str) -> Result<Command> {
    let built = plan.root.join("target/kotlin/bench-ffi");
    let file = built.join("classpath.txt");
    let libraries = std::fs::read_to_string(&file).context("the Kotlin programs were not built")?;
    let places = [plan.root.join("target/release"), plan.root.join("bench/target/release")];
    let mut command = Command::new("java");
    command.arg(format!("-Djna.library.path={}", joined(&places)));
    command.arg("-cp").arg(format!("{}:{}", built.join("classes").display(), libraries.trim()));
    command.arg(class);
    Ok(command)
}

fn joined(places: &[PathBuf]) -> String {
    places.iter().map(|place| place.display().to_string()).collect::<Vec<_>>().join(":")
}
