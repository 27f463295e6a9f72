//! Ourselves, through the public API only: the scheduler, as the engine of an app runs it.

use std::{ops::ControlFlow, path::Path, time::Instant};

use anyhow::{Result, bail, ensure};
use exo_engine::{LoadOptions, Model, Produced, SamplingParams, Scheduler, chat::TokenRequest};
use exo_gpu::{BackendKind, Device, Gpu, OpenOptions};

use crate::work::{self, Work};

/// Our version; the commit is in the report.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Positions for the longest context, what is decoded after it, and a second prompt beside it.
const CONTEXT: u32 = 4096;

/// Opens a device of `backend` that keeps nothing on disk.
pub fn open(backend: BackendKind) -> Result<Device> {
    let gpu = Gpu::open(OpenOptions::new().backend(backend).remember_nothing())?;
    let found = gpu.device().description().backend;
    ensure!(found == backend, "asked for {backend}, got {found}");
    Ok(gpu.device().clone())
}

/// A loaded model.
pub struct Ours {
    scheduler: Scheduler,
    /// Prompts that were computed afresh: each begins with a token of its own, so that none is known already.
    prompts: u32,
    produced: Vec<Produced>,
}

impl Ours {
    pub fn load(backend: BackendKind, folder: &Path) -> Result<Self> {
        Self::load_on(&open(backend)?, folder, CONTEXT)
    }

    /// Loads with room for so many positions.
    pub fn load_on(device: &Device, folder: &Path, context: u32) -> Result<Self> {
        let options = LoadOptions { context, ..LoadOptions::default() };
        let model = Model::load(device, folder, &options, &mut |_| ControlFlow::Continue(()))?;
        Ok(Self { scheduler: Scheduler::new(model), prompts: 0, produced: Vec::new() })
    }

    pub fn model(&self) -> &Model {
        self.scheduler.model()
    }

    /// Seconds of a piece of work.
    pub fn seconds(&mut self, work: Work) -> Result<f64> {
        match work {
            Work::Decode { context, tokens } => self.decode(&[work::prompt(context)], tokens),
            Work::Prefill { tokens } => self.prefill(tokens),
            Work::Chats { chats, context, tokens } => {
                let prompts = (0..chats).map(|chat| fresh(context, 500 + chat)).collect::<Vec<_>>();
                self.decode(&prompts, tokens)
            }
        }
    }

    /// A prompt that nobody has seen, up to the first token of its answer.
    fn prefill(&mut self, tokens: u32) -> Result<f64> {
        self.prompts += 1;
        self.submit(fresh(tokens, self.prompts), 1)?;
        let start = Instant::now();
        self.run_until_idle()?;
        Ok(start.elapsed().as_secs_f64())
    }

    /// So many tokens for each of the prompts, after them and their first token. What is known of a prompt from an
    /// earlier round is not computed again.
    fn decode(&mut self, prompts: &[Vec<u32>], tokens: u32) -> Result<f64> {
        for prompt in prompts {
            // Whoever is first goes on while the others' prompts are computed.
            self.submit(prompt.clone(), tokens + 2 * prompts.len() as u32 * prompt.len() as u32)?;
        }
        let mut answering = 0;
        while answering < prompts.len() {
            answering = self.step()?;
        }
        let start = Instant::now();
        for _ in 0..tokens {
            let made = self.step()?;
            ensure!(made == prompts.len(), "a step made {made} tokens for {} chats", prompts.len());
        }
        let seconds = start.elapsed().as_secs_f64();
        self.end_all();
        Ok(seconds)
    }

    fn submit(&mut self, prompt: Vec<u32>, max_tokens: u32) -> Result<()> {
        let sampling = SamplingParams { temperature: 0.0, ..SamplingParams::default() };
        self.scheduler.submit(TokenRequest {
            prompt,
            sampling,
            max_tokens,
            ends: Vec::new(),
            reuses: true,
        })?;
        Ok(())
    }

    /// One step. How many chats have a new token.
    fn step(&mut self) -> Result<usize> {
        self.produced.clear();
        self.scheduler.step(&mut self.produced)?;
        let mut tokens = 0;
        for produced in &self.produced {
            match produced {
                Produced::Token { .. } => tokens += 1,
                Produced::Failed { error, .. } => bail!("a chat failed: {error}"),
                Produced::Prefill { .. } => {}
            }
        }
        Ok(tokens)
    }

    fn run_until_idle(&mut self) -> Result<()> {
        while !self.scheduler.is_idle() {
            self.step()?;
        }
        Ok(())
    }

    /// Takes back whoever produced in the last step, which is everybody.
    fn end_all(&mut self) {
        for produced in self.produced.drain(..) {
            if let Produced::Token { job, .. } = produced {
                self.scheduler.cancel(job);
            }
        }
    }
}

/// A prompt with a first token of its own.
fn fresh(tokens: u32, first: u32) -> Vec<u32> {
    let mut prompt = work::prompt(tokens);
    if let Some(token) = prompt.first_mut() {
        *token = 1000 + first;
    }
    prompt
}
