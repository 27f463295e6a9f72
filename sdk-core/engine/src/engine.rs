//! A model that answers: requests in, pieces of replies out.

use std::{collections::HashMap, ops::ControlFlow, path::Path};

use exo_gpu::Device;

use crate::{
    Error, JobId, LoadOptions, Model, Pressure, Produced, Progress, Relief, Result, Scheduler,
    chat::{ChatRequest, Event, Reply},
    files::Directory,
    text::{Language, Moment, TextFiles},
};

/// No honest file of a tokenizer is larger.
const MAX_TOKENIZER_BYTES: u64 = 256 << 20;
/// Nor one of the others.
const MAX_SETTINGS_BYTES: u64 = 16 << 20;

/// A model with its language, and the replies that it is working on.
///
/// It computes in [`Engine::step`] and nowhere else: whoever has a thread for it decides when, and between two steps
/// requests come and go.
#[derive(Debug)]
pub struct Engine {
    scheduler: Scheduler,
    language: Language,
    replies: HashMap<JobId, Reply>,
    produced: Vec<Produced>,
}

/// What a step brought about for one request.
#[derive(Clone, Debug)]
pub enum Happened {
    /// More of its prompt is computed.
    Prefill {
        /// The request.
        job: JobId,
        /// Tokens of the prompt that are computed.
        processed: u32,
        /// Tokens of the prompt.
        total: u32,
        /// How many of them were known from an earlier request.
        reused: u32,
    },
    /// Something for the client.
    Replied {
        /// The request.
        job: JobId,
        /// What.
        event: Event,
    },
    /// The request is over without a reply, or in the middle of one.
    Failed {
        /// The request.
        job: JobId,
        /// Why.
        error: Error,
    },
}

impl Engine {
    /// Loads a model from its directory, text first: what cannot be read is refused before weights are.
    pub fn load(
        device: &Device,
        directory: &Path,
        options: &LoadOptions,
        progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Self> {
        let language = Self::read_language(directory)?;
        let model = Model::load(device, directory, options, progress)?;
        Ok(Self { scheduler: Scheduler::new(model), language, replies: HashMap::new(), produced: Vec::new() })
    }

    /// Reads what concerns text of the model in a directory.
    pub fn read_language(directory: &Path) -> Result<Language> {
        read_language(directory)
    }

    /// The model.
    pub fn model(&self) -> &Model {
        self.scheduler.model()
    }

    /// The language.
    pub fn language(&self) -> &Language {
        &self.language
    }

    /// Takes a request. `now` is the date, for templates that tell it.
    pub fn submit(&mut self, request: &ChatRequest, now: Moment) -> Result<JobId> {
        let (tokens, reply) = Reply::begin(&self.language, request, now)?;
        let job = self.scheduler.submit(tokens)?;
        self.replies.insert(job, reply);
        Ok(job)
    }

    /// Takes a request with a prompt of its own, which the model gets as it is: without a template, and as the only text
    /// of the request.
    pub fn submit_raw(&mut self, prompt: &str, request: &ChatRequest) -> Result<JobId> {
        let (tokens, reply) = Reply::begin_raw(&self.language, prompt, request)?;
        let job = self.scheduler.submit(tokens)?;
        self.replies.insert(job, reply);
        Ok(job)
    }

    /// Takes a request back. Nothing is said about it any more. Whether it was there.
    pub fn cancel(&mut self, job: JobId) -> bool {
        self.replies.remove(&job);
        self.scheduler.cancel(job)
    }

    /// Takes the next step against a shortage of memory that gains anything: drops beginnings that nobody uses, gives new
    /// requests a smaller cache, moves layers to the host where the device has memory of its own, refuses new requests. Call
    /// it again while memory is short. Requests that run go on, with the same tokens as without.
    pub fn relieve(&mut self) -> Result<Relief> {
        self.scheduler.relieve()
    }

    /// Ends the relief: new requests are taken again, with the full cache. Layers that were moved to the host stay there.
    pub fn recover(&mut self) -> Result<()> {
        self.scheduler.recover()
    }

    /// How far relief has come.
    pub fn pressure(&self) -> Pressure {
        self.scheduler.pressure()
    }

    /// Whether there is nothing to do.
    pub fn is_idle(&self) -> bool {
        self.scheduler.is_idle()
    }

    /// One step of the model, if there is anything to do: at most one token for each request. An error is the device's,
    /// and every request is still there.
    pub fn step(&mut self, happened: &mut Vec<Happened>) -> Result<()> {
        let mut produced = std::mem::take(&mut self.produced);
        let result = self.scheduler.step(&mut produced);
        for item in produced.drain(..) {
            self.take(item, happened);
        }
        self.produced = produced;
        result
    }

    fn take(&mut self, produced: Produced, happened: &mut Vec<Happened>) {
        match produced {
            Produced::Prefill { job, processed, total, reused } => {
                if let Some(reply) = self.replies.get_mut(&job) {
                    reply.set_cached_tokens(reused);
                }
                happened.push(Happened::Prefill { job, processed, total, reused });
            }
            Produced::Failed { job, error } => {
                self.replies.remove(&job);
                happened.push(Happened::Failed { job, error });
            }
            Produced::Token { job, sampled, end } => {
                let Some(reply) = self.replies.get_mut(&job) else { return };
                let outcome = reply.push(sampled, end.is_some());
                while let Some(event) = reply.next_event() {
                    happened.push(Happened::Replied { job, event });
                }
                match outcome {
                    Ok(false) if end.is_none() => {}
                    // Over for the model, for the reply (a stop text, its calls), or both.
                    Ok(_) => {
                        self.cancel(job);
                    }
                    Err(error) => {
                        self.cancel(job);
                        happened.push(Happened::Failed { job, error });
                    }
                }
            }
        }
    }
}

fn read_language(directory: &Path) -> Result<Language> {
    let bytes = |name: &str, most| Directory::beside(directory, name, most);
    let text = |name: &str| -> Result<Option<String>> {
        let text = bytes(name, MAX_SETTINGS_BYTES)?.map(String::from_utf8).transpose();
        text.map_err(|_| Error::InvalidModel { file: name.into(), what: "it is not UTF-8".into() })
    };
    let tokenizer = bytes("tokenizer.json", MAX_TOKENIZER_BYTES)?.ok_or_else(|| Error::Io {
        path: directory.join("tokenizer.json"),
        reason: "it is not there; download the whole model".into(),
    })?;
    let (tokenizer_config, config) = (text("tokenizer_config.json")?, text("config.json")?);
    let (generation_config, chat_template) = (text("generation_config.json")?, text("chat_template.jinja")?);
    Language::from_files(&TextFiles {
        tokenizer: &tokenizer,
        tokenizer_config: tokenizer_config.as_deref(),
        config: config.as_deref(),
        generation_config: generation_config.as_deref(),
        chat_template: chat_template.as_deref(),
    })
}
