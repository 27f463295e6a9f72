//! A tiny model with its engine, and somebody who asks it: set-up that is not part of any story.
#![allow(dead_code, clippy::unwrap_used, clippy::panic)] // Each test binary uses its part.

use std::{collections::BTreeMap, ops::ControlFlow, path::PathBuf};

use exo_engine::{
    CacheType, Engine, Happened, JobId, LoadOptions, Result,
    chat::{ChatRequest, Event},
    text::Moment,
    tiny::{self, Family},
};
use exo_gpu::{BackendKind, Device, Gpu, OpenOptions};

pub(crate) struct Scene {
    pub(crate) engine: Engine,
    gpu: Gpu,
}

/// The text of each request, and how many tokens of its prompt were known.
pub(crate) type Replies = BTreeMap<JobId, (String, u32)>;

/// A directory of this program's own.
pub(crate) fn place(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(env!("CARGO_CRATE_NAME")).join(name)
}

/// A directory of the test's own: tests run at once.
fn directory(test: &str, family: Family) -> PathBuf {
    let path = place(&format!("{test}-{family:?}"));
    tiny::write_family(&path, family, 7).unwrap();
    path
}

/// A small model with an exact cache.
pub(crate) fn options(context: u32, chats: u32) -> LoadOptions {
    LoadOptions { context, chats, cache: CacheType::F32, chunk: 64, ..LoadOptions::default() }
}

impl Scene {
    pub(crate) fn with(context: u32) -> Self {
        Self::of(Family::Llama, context, 4)
    }

    pub(crate) fn of(family: Family, context: u32, chats: u32) -> Self {
        Self::loaded(family, &options(context, chats))
    }

    pub(crate) fn loaded(family: Family, options: &LoadOptions) -> Self {
        let open = OpenOptions::new().remember_nothing().backend(BackendKind::Cpu);
        Self::on(Gpu::open(open).unwrap(), family, options)
    }

    pub(crate) fn on(gpu: Gpu, family: Family, options: &LoadOptions) -> Self {
        Self::try_on(gpu, family, options).unwrap()
    }

    pub(crate) fn try_on(gpu: Gpu, family: Family, options: &LoadOptions) -> Result<Self> {
        let test = std::thread::current().name().unwrap_or("main").to_owned();
        let directory = directory(&test, family);
        let engine = Engine::load(gpu.device(), &directory, options, &mut |_| ControlFlow::Continue(()))?;
        Ok(Self { engine, gpu })
    }

    pub(crate) fn device(&self) -> &Device {
        self.gpu.device()
    }

    /// Bytes in buffers of the device.
    pub(crate) fn used(&self) -> u64 {
        self.device().memory_report().unwrap().used
    }

    /// Unloads the model. Returns what is left on the device.
    pub(crate) fn unload(self) -> u64 {
        let Self { engine, gpu } = self;
        drop(engine);
        gpu.device().memory_report().unwrap().used
    }

    pub(crate) fn ask(&mut self, prompt: &str, tokens: u32) -> JobId {
        self.engine.submit(&request(prompt, tokens), Moment::from_unix(0)).unwrap()
    }

    /// One step, with what it brought noted down.
    pub(crate) fn step(&mut self, replies: &mut Replies) {
        let mut happened = Vec::new();
        self.engine.step(&mut happened).unwrap();
        note(happened, replies);
    }

    /// Steps until all are answered.
    pub(crate) fn replies(&mut self) -> Replies {
        let mut replies = Replies::new();
        for _ in 0..10_000 {
            if self.engine.is_idle() {
                return replies;
            }
            self.step(&mut replies);
        }
        panic!("no end is in sight");
    }

    pub(crate) fn reply(&mut self, prompt: &str, tokens: u32) -> String {
        let job = self.ask(prompt, tokens);
        self.replies().remove(&job).unwrap().0
    }
}

pub(crate) fn note(happened: Vec<Happened>, replies: &mut Replies) {
    for what in happened {
        match what {
            Happened::Prefill { job, reused, .. } => replies.entry(job).or_default().1 = reused,
            Happened::Replied { job, event: Event::Said(said) } => {
                replies.entry(job).or_default().0.push_str(&said.text);
            }
            other => panic!("{other:?}"),
        }
    }
}

pub(crate) fn request(prompt: &str, tokens: u32) -> ChatRequest {
    let request = serde_json::json!({
        "input": [{"role": "user", "content": prompt}],
        "max_output_tokens": tokens,
        "temperature": 0.0,
        "bench": true,
        "use_prefix_cache": true,
    });
    ChatRequest::from_json(&request.to_string()).unwrap()
}
