//! P0: opening, each time in a fresh process, because a driver that was loaded once opens faster.

use std::{
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

use anyhow::{Context, Result, bail, ensure};
use exo_gpu::{BackendKind, Gpu, OpenOptions};

use crate::{
    ours,
    plan::Plan,
    race::{Contestant, Sample},
    rivals::{
        raw::Raw,
        wgpu::{self, Wgpu},
    },
    row::{Bar, Field, Row, Spec, Unit},
    stats::Statistic,
};

/// P0: cold, and with a registry from an earlier open.
pub fn run(plan: &Plan) -> Vec<Row> {
    let spec = |id, what, goal, bars| Spec {
        id,
        what,
        unit: Unit::Cost { name: "ms", scale: 1e3 },
        goal,
        bars,
        statistic: Statistic::Best,
    };
    let raw = || Some(Contestant::new("raw ash", env!("ASH_VERSION"), Ok(fresh("raw", None))));
    let wgpu = || vec![Contestant::new("wgpu", wgpu::VERSION, Ok(fresh("wgpu", None)))];
    let cold = plan.peers().join("open-cold");
    let warm = plan.peers().join("open-warm");
    let rounds = plan.rounds(15);
    vec![
        Field {
            spec: spec("P0.cold", "cold open", "<= 1.3x raw ash", &[Bar::Limit(1.0 / 1.3)]),
            ours: Contestant::new("ours", ours::VERSION, Ok(emptied(cold))),
            limit: raw(),
            peers: wgpu(),
        }
        .run(rounds),
        Field {
            spec: spec(
                "P0.registry",
                "open with a valid registry",
                "<= raw ash + 20 ms",
                &[Bar::OverLimit(0.020)],
            ),
            ours: Contestant::new("ours", ours::VERSION, registered(&warm)),
            limit: raw(),
            peers: wgpu(),
        }
        .run(rounds),
    ]
}

/// The child's part: opens `who` once and says how many seconds it took.
pub fn child(who: &str, folder: Option<&Path>) -> Result<f64> {
    let start = Instant::now();
    let seconds = match who {
        "ours" => {
            let options = OpenOptions::new().backend(BackendKind::Vulkan);
            let gpu = Gpu::open(options.data_dir(folder.context("ours needs a folder")?))?;
            let seconds = start.elapsed();
            ensure!(gpu.device().description().backend == BackendKind::Vulkan, "Vulkan was not opened");
            gpu.device().close();
            seconds
        }
        "raw" => {
            let raw = Raw::open()?;
            let seconds = start.elapsed();
            drop(raw);
            seconds
        }
        "wgpu" => {
            let wgpu = Wgpu::open()?;
            let seconds = start.elapsed();
            drop(wgpu);
            seconds
        }
        other => bail!("nobody is called {other}"),
    };
    Ok(seconds.as_secs_f64())
}

/// Opens in a fresh process.
fn fresh(who: &'static str, folder: Option<PathBuf>) -> Sample<'static> {
    Box::new(move || {
        let folder = folder.as_ref().map(|folder| folder.as_os_str());
        in_child(Command::new(std::env::current_exe()?).args(["child", "open", who]).args(folder))
    })
}

/// Opens with nothing on disk.
fn emptied(folder: PathBuf) -> Sample<'static> {
    let mut open = fresh("ours", Some(folder.clone()));
    Box::new(move || {
        if folder.exists() {
            std::fs::remove_dir_all(&folder)?;
        }
        std::fs::create_dir_all(&folder)?;
        open()
    })
}

/// Opens with what an earlier open left on disk.
fn registered(folder: &Path) -> Result<Sample<'static>> {
    emptied(folder.to_owned())()?;
    ensure!(std::fs::read_dir(folder)?.next().is_some(), "the first open left no registry in its folder");
    Ok(fresh("ours", Some(folder.to_owned())))
}

/// Runs a child of this program and reads the number that it prints last.
pub fn in_child(command: &mut Command) -> Result<f64> {
    let output = command.output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "the child ended with {}: {}", output.status, said.trim());
    text.lines().last().and_then(|line| line.trim().parse().ok()).context("the child printed no number")
}
