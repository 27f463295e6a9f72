//! Reading weights, on a thread of its own.

use std::{
    io,
    ops::ControlFlow,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    thread::{self, JoinHandle},
};

use exo_engine::{Engine, LoadOptions};
use exo_gpu::Device;

use crate::{Error, Result};

/// A model that is being loaded.
#[derive(Debug)]
pub(crate) struct Loading {
    layers: Arc<AtomicU32>,
    told: u32,
    is_unwanted: Arc<AtomicBool>,
    thread: JoinHandle<exo_engine::Result<Engine>>,
}

impl Loading {
    pub(crate) fn start(device: Device, directory: PathBuf, options: LoadOptions) -> io::Result<Self> {
        let (layers, is_unwanted) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicBool::new(false)));
        let (count, stop) = (layers.clone(), is_unwanted.clone());
        let load = move || {
            Engine::load(&device, &directory, &options, &mut |progress| {
                count.store(progress.layers as u32, Ordering::Relaxed);
                if stop.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })
        };
        let thread = thread::Builder::new().name("exo-loading".into()).spawn(load)?;
        Ok(Self { layers, told: 0, is_unwanted, thread })
    }

    /// How many layers are there, if that changed.
    pub(crate) fn progress(&mut self) -> Option<u32> {
        let layers = self.layers.load(Ordering::Relaxed);
        (layers != std::mem::replace(&mut self.told, layers)).then_some(layers)
    }

    pub(crate) fn is_over(&self) -> bool {
        self.thread.is_finished()
    }

    /// The model, or why there is none.
    pub(crate) fn end(self) -> Result<Engine> {
        match self.thread.join() {
            Ok(loaded) => Ok(loaded?),
            Err(_) => Err(Error::System(
                "reading the model's weights broke off: try again; if that does not help, report it"
                    .to_owned(),
            )),
        }
    }

    /// Stops after the layer that is being read, and gives the memory back before it returns.
    pub(crate) fn stop(self) {
        self.is_unwanted.store(true, Ordering::Relaxed);
        // Whatever came of it is not wanted.
        drop(self.thread.join());
    }
}
