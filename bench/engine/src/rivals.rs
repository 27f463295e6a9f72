//! The rivals, each a process that holds the same model in the form that it reads.
//!
//! A form is made once, beside the model, by the rival's own tools or by a script of ours. A rival whose tools, model or
//! process cannot be had stays in its rows with the error.

use std::{
    cell::RefCell,
    ffi::OsStr,
    path::{Path, PathBuf},
    process::Command,
    rc::Rc,
};

use anyhow::{Context, Result, anyhow, ensure};

use crate::{
    light::THREADS,
    peer::{self, Peer},
    plan::Plan,
    race::Contestant,
    work::Work,
};

/// A rival's process, in one of its ways to compute.
pub struct Rival {
    name: String,
    /// What goes before each line of work.
    way: Option<String>,
    process: Result<Rc<RefCell<Peer>>>,
}

impl Rival {
    /// The rival in a race for `work`.
    pub fn contestant(&self, work: Work) -> Contestant<'static> {
        let line = self.way.as_ref().map_or_else(|| work.to_string(), |way| format!("{way} {work}"));
        match &self.process {
            Ok(peer) => {
                let version = peer.borrow().version.clone();
                Contestant::new(&self.name, version, Ok(peer::sample(peer, &line)))
            }
            Err(error) => Contestant::absent(&self.name, error),
        }
    }
}

/// Everybody who computes on the CPU.
pub fn on_cpu(plan: &Plan, model: &Path) -> Vec<Rival> {
    let house = House { plan, model };
    let mut all = Vec::new();
    all.extend(house.llama("llama.cpp q4_0", "cpu", house.gguf()));
    all.extend(house.llama("llama.cpp q4_k", "cpu", house.k_quants()));
    all.extend(house.started("candle q4_0", house.gguf().map(|file| house.candle(&file))));
    all.extend(house.started("candle q4_k", house.k_quants().map(|file| house.candle(&file))));
    let onnx = house.onnx().map(|file| house.script("onnx", "onnx_tokens.py", &file));
    all.extend(house.started("onnxruntime int4", onnx));
    let openvino = house.openvino().map(|folder| house.script("openvino", "openvino_tokens.py", &folder));
    all.extend(house.started("OpenVINO GenAI int4", openvino));
    all.extend(house.started("mlx-lm", Ok(house.script("mlx", "mlx_tokens.py", model))));
    all
}

/// Everybody who computes on Vulkan.
pub fn on_vulkan(plan: &Plan, model: &Path) -> Vec<Rival> {
    let house = House { plan, model };
    let mut all = house.llama("ggml-vulkan q4_0", "vulkan", house.gguf());
    all.extend(house.llama("ggml-vulkan q4_k", "vulkan", house.k_quants()));
    all
}

/// Where the rivals of one model are found and started.
struct House<'a> {
    plan: &'a Plan,
    model: &'a Path,
}

impl House<'_> {
    fn llama(&self, name: &str, device: &str, file: Result<PathBuf>) -> Vec<Rival> {
        let command = file.map(|file| {
            let mut command = self.built("ggml", "bench-llama");
            command.arg(device).arg(file).arg(THREADS.to_string());
            if device == "vulkan" {
                // ggml passes over Vulkan devices that are CPUs unless one is named.
                command.env("GGML_VK_VISIBLE_DEVICES", "0");
            }
            command
        });
        self.started(name, command)
    }

    fn candle(&self, file: &Path) -> Command {
        let mut command = self.built("candle", "bench-candle");
        command.arg(file).arg(self.model.join("config.json"));
        command
    }

    /// Starts a process; one rival for each of the ways that it offers. scripts/bench leaves a log of its installation
    /// under its name, with dashes.
    fn started(&self, name: &str, command: Result<Command>) -> Vec<Rival> {
        let threads = THREADS.to_string();
        let peer = command.and_then(|mut command| {
            for variable in ["OMP_NUM_THREADS", "RAYON_NUM_THREADS", "OPENBLAS_NUM_THREADS"] {
                command.env(variable, &threads);
            }
            Peer::start(&name.replace(' ', "-"), &mut command, &self.plan.peers())
        });
        let (ways, process) = match peer {
            Ok(peer) => (peer.variants.clone(), Ok(Rc::new(RefCell::new(peer)))),
            Err(error) => (Vec::new(), Err(format!("{error:#}"))),
        };
        let rival = |name: String, way: Option<&String>| Rival {
            name,
            way: way.cloned(),
            process: process.clone().map_err(|error| anyhow!(error)),
        };
        if ways.is_empty() {
            return vec![rival(name.to_owned(), None)];
        }
        ways.iter().map(|way| rival(format!("{name} {way}"), Some(way))).collect()
    }

    /// ggml's blocks of 4 bits: the same numbers.
    fn gguf(&self) -> Result<PathBuf> {
        self.form("q4_0.gguf", |to| {
            let mut command = self.script("gguf", "gguf_model.py", self.model);
            command.arg(to);
            command
        })
    }

    /// What llama.cpp's own quantiser makes of them: the nearest that its K-quants hold.
    fn k_quants(&self) -> Result<PathBuf> {
        let from = self.gguf()?;
        self.form("q4_k.gguf", |to| {
            let mut command = self.built("ggml", "bench-llama");
            command.arg("quantise").arg(from).arg(to);
            command
        })
    }

    fn onnx(&self) -> Result<PathBuf> {
        self.form("int4.onnx", |to| {
            let mut command = self.script("onnx", "onnx_model.py", self.model);
            command.arg(to);
            command
        })
    }

    fn openvino(&self) -> Result<PathBuf> {
        let from = self.gguf()?;
        self.form("openvino", |to| {
            let mut command = self.script("openvino", "openvino_model.py", &from);
            command.arg(to);
            command
        })
    }

    /// A file or folder beside the model, which is made if it is not there.
    fn form(&self, name: &str, make: impl FnOnce(&OsStr) -> Command) -> Result<PathBuf> {
        let (file, unfinished) = (self.model.join(name), self.model.join(format!("{name}.unfinished")));
        if !file.exists() {
            eprintln!("     making {name} of it ...");
            let output =
                make(unfinished.as_os_str()).output().with_context(|| format!("{name} cannot be made"))?;
            // Scripts complain on one, programs of ours on the other.
            let said = [output.stdout, output.stderr].concat();
            let said = String::from_utf8_lossy(&said);
            let last = said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
            ensure!(output.status.success(), "{name} cannot be made: {last}");
            std::fs::rename(unfinished, &file)?;
        }
        Ok(file)
    }

    /// A rival that was built from its sources, in a target directory of its own.
    fn built(&self, target: &str, name: &str) -> Command {
        Command::new(self.plan.root.join(format!("bench/target/{target}/release/{name}")))
    }

    /// A script of ours, in the rival's own Python.
    fn script(&self, python: &str, script: &str, model: &Path) -> Command {
        let mut command = Command::new(self.plan.root.join(format!("bench/.venv-{python}/bin/python")));
        command.arg(self.plan.script(script)).arg(model);
        command
    }
}
