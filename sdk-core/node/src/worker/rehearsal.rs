//! An engine without a model, for tests and demonstrations: it says words of the question back, at a given pace, and
//! fails where it is told to.
//!
//! Everything follows from the question and from the times that it is given, so a story that was played twice is the
//! same twice. What a question holds decides the answer:
//!
//! | in the question | the answer |
//! |---|---|
//! | anything | `You said: ` and its last message |
//! | `count to 300` | 300 numbers |
//! | `please fail` | a fault of this question, after one token |
//! | `please stumble` | the runner fails, and may be loaded again |
//! | `please break` | the engine panics |

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use exo_wire::{
    RunnerId, TaskId, chunk::TokenFinish, gathered::Backend, shard::ShardMetadata,
    text::TextGenerationTaskParams,
};

use super::{
    Capacity, Engine, EngineError, Fault, Fetched, Fetching, Finish, Report, Step, Suitable, Token, TopToken,
};
use crate::now::Moment;

/// What an answer takes besides the model.
const SPEECH: u64 = 1 << 20;
/// Parts in which a download and a load are told.
const PARTS: u32 = 4;

/// How to play.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    /// The largest model that is taken, in bytes.
    pub room: u64,
    /// How many answers are made at once.
    pub at_once: usize,
    /// Whether weights are here before they are asked for.
    pub stored: bool,
    /// How long it takes to fetch them.
    pub fetch: Duration,
    /// How long it takes to load them.
    pub load: Duration,
    /// How long it takes to read a word of the question.
    pub read: Duration,
    /// How long a token takes.
    pub token: Duration,
    /// So many loads fail before one works.
    pub bad_loads: u32,
    /// Models with this in their name cannot be run.
    pub unsuitable: String,
}

impl Default for Script {
    fn default() -> Self {
        Self {
            room: 4 << 30,
            at_once: 4,
            stored: true,
            fetch: Duration::from_millis(200),
            load: Duration::from_millis(100),
            read: Duration::from_millis(1),
            token: Duration::from_millis(20),
            bad_loads: 0,
            unsuitable: "Unsuitable".to_owned(),
        }
    }
}

#[derive(Debug)]
enum Doing {
    Fetching { total: u64, part: u32 },
    Loading { layers: u32, part: u32 },
    WarmingUp,
    Resting,
}

#[derive(Debug)]
struct Model {
    weights: u64,
    doing: Doing,
    next: Option<Moment>,
}

#[derive(Debug)]
struct Speech {
    task: TaskId,
    runner: RunnerId,
    question: Question,
    read: u32,
    spoken: u32,
    next: Option<Moment>,
}

#[derive(Debug)]
struct Question {
    words: u32,
    last: String,
    thinks: bool,
    probable: bool,
    most: u32,
}

/// The engine.
#[derive(Debug)]
pub struct Rehearsal {
    script: Script,
    share: f64,
    models: BTreeMap<RunnerId, Model>,
    speeches: Vec<Speech>,
}

impl Rehearsal {
    /// Plays like that.
    pub const fn new(script: Script) -> Self {
        Self { script, share: 1.0, models: BTreeMap::new(), speeches: Vec::new() }
    }

    fn used(&self) -> u64 {
        let loaded = self.models.values().filter(|model| !matches!(model.doing, Doing::Fetching { .. }));
        loaded.map(|model| model.weights).sum::<u64>() + SPEECH * self.speeches.len() as u64
    }

    fn pace(&self, time: Duration) -> Duration {
        time.mul_f64(1.0 / self.share.clamp(0.01, 1.0))
    }

    fn work(&mut self, now: Moment, tell: &mut dyn FnMut(Report)) {
        let script = self.script.clone();
        let pause = |time: Duration| self.pace(time) / PARTS;
        let (fetch, load) = (pause(script.fetch), pause(script.load));
        for (id, model) in &mut self.models {
            let Some(next) = model.next else { continue };
            if next > now {
                continue;
            }
            let mut after = None;
            match &mut model.doing {
                Doing::Fetching { total, part } => {
                    *part += 1;
                    let done = *total * u64::from(*part) / u64::from(PARTS);
                    if *part < PARTS {
                        let speed = *total as f64 / script.fetch.as_secs_f64().max(0.001);
                        let (fresh, files_done) = (done, *part);
                        let fetching =
                            Fetching { done, total: *total, fresh, files_done, files: PARTS, speed };
                        tell(Report::Fetching(id.clone(), fetching));
                        after = Some(fetch);
                    } else {
                        tell(Report::Fetched(id.clone(), Fetched { total: *total }));
                    }
                }
                Doing::Loading { .. } if self.script.bad_loads > 0 => {
                    self.script.bad_loads -= 1;
                    let why =
                        EngineError::new(Fault::Passing, "the rehearsal's load failed, as it was told to");
                    tell(Report::Failed(id.clone(), why));
                }
                Doing::Loading { layers, part } => {
                    *part += 1;
                    if *part < PARTS {
                        tell(Report::Loading(id.clone(), *layers * *part / PARTS));
                        after = Some(load);
                    } else {
                        tell(Report::Loaded(id.clone()));
                    }
                }
                Doing::WarmingUp => tell(Report::WarmedUp(id.clone())),
                Doing::Resting => {}
            }
            if after.is_none() {
                model.doing = Doing::Resting;
            }
            model.next = after.map(|wait| next + wait);
        }
    }

    fn speak(&mut self, now: Moment, tell: &mut dyn FnMut(Report)) {
        if self.share <= 0.0 {
            return;
        }
        let (read, token) = (self.pace(self.script.read), self.pace(self.script.token));
        let mut over = Vec::new();
        for speech in &mut self.speeches {
            let at = *speech.next.get_or_insert(now);
            if at > now {
                continue;
            }
            if speech.read < speech.question.words {
                // In thirds, as a real engine reads in batches.
                let third = speech.question.words.div_ceil(3);
                let before = speech.read;
                speech.read = (speech.read + third).min(speech.question.words);
                tell(Report::Reading(speech.task.clone(), speech.read, speech.question.words));
                speech.next = Some(at + read * (speech.read - before));
                continue;
            }
            speech.next = Some(at + token);
            match speech.say() {
                Ok(token) => {
                    let last = token.finish.is_some();
                    tell(Report::Token(speech.task.clone(), token));
                    if last {
                        over.push(speech.task.clone());
                    }
                }
                Err(error) if error.fault == Fault::Request => {
                    tell(Report::NotAnswered(speech.task.clone(), error));
                    over.push(speech.task.clone());
                }
                Err(error) => {
                    tell(Report::Failed(speech.runner.clone(), error));
                    over.push(speech.task.clone());
                }
            }
        }
        self.speeches.retain(|speech| !over.contains(&speech.task));
    }

    fn start(&mut self, runner: &RunnerId, shard: &ShardMetadata, doing: Doing) {
        let weights = shard.model_card().storage_size.in_bytes();
        self.models.insert(runner.clone(), Model { weights, doing, next: Some(Moment::default()) });
    }
}

impl Engine for Rehearsal {
    fn backends(&self) -> Vec<Backend> {
        vec![Backend::MlxCpu]
    }

    fn capacity(&self) -> Capacity {
        let used = self.used();
        let room = self.script.room.saturating_sub(used);
        let fetches = if self.script.stored { 0 } else { room };
        Capacity { used, room: room - fetches, fetches, at_once: self.script.at_once }
    }

    fn examine(&mut self, shard: &ShardMetadata) -> Result<Suitable, EngineError> {
        let card = shard.model_card();
        let weights = card.storage_size.in_bytes();
        if card.model_id.as_str().contains(&self.script.unsuitable) {
            let why = format!("{} is no model for a rehearsal: place another", card.model_id);
            return Err(EngineError::new(Fault::Unsuitable, why));
        }
        let Capacity { room, fetches, .. } = self.capacity();
        let room = room.max(fetches);
        if weights > room {
            let why =
                format!("{} needs {weights} bytes, {room} are left: place a smaller model", card.model_id);
            return Err(EngineError::new(Fault::Unsuitable, why));
        }
        Ok(Suitable { memory: weights + SPEECH, stored: self.script.stored.then_some(weights) })
    }

    fn fetch(&mut self, runner: &RunnerId, shard: &ShardMetadata) {
        let total = shard.model_card().storage_size.in_bytes();
        self.start(runner, shard, Doing::Fetching { total, part: 0 });
    }

    fn load(&mut self, runner: &RunnerId, shard: &ShardMetadata) {
        let layers = shard.model_card().n_layers.get();
        self.start(runner, shard, Doing::Loading { layers, part: 0 });
    }

    fn warm_up(&mut self, runner: &RunnerId) {
        if let Some(model) = self.models.get_mut(runner) {
            (model.doing, model.next) = (Doing::WarmingUp, Some(Moment::default()));
        }
    }

    fn generate(&mut self, runner: &RunnerId, task: &TaskId, request: &Arc<TextGenerationTaskParams>) {
        let question = Question::of(request);
        let (task, runner) = (task.clone(), runner.clone());
        self.speeches.push(Speech { task, runner, question, read: 0, spoken: 0, next: None });
    }

    fn cancel(&mut self, task: &TaskId) {
        self.speeches.retain(|speech| speech.task != *task);
    }

    fn unload(&mut self, runner: &RunnerId) {
        self.models.remove(runner);
        self.speeches.retain(|speech| speech.runner != *runner);
    }

    fn set_share(&mut self, share: f64) {
        self.share = share;
    }

    fn step(&mut self, now: Moment, tell: &mut dyn FnMut(Report)) -> Step {
        // The first look at something is when its time begins.
        for model in self.models.values_mut() {
            let wait = match model.doing {
                Doing::Fetching { .. } => self.script.fetch / PARTS,
                Doing::Loading { .. } | Doing::WarmingUp => self.script.load / PARTS,
                Doing::Resting => continue,
            };
            if model.next == Some(Moment::default()) {
                model.next = Some(now + wait);
            }
        }
        self.work(now, tell);
        self.speak(now, tell);
        let speeches =
            self.speeches.iter().filter(|_| self.share > 0.0).map(|speech| speech.next.unwrap_or(now));
        let models = self.models.values().filter_map(|model| model.next);
        match speeches.chain(models).min() {
            Some(next) if next <= now => Step::Again,
            Some(next) => Step::After(next.since(now)),
            None => Step::Idle,
        }
    }
}

impl Question {
    fn of(request: &TextGenerationTaskParams) -> Self {
        let words = request.input.iter().map(|turn| turn.content.split_whitespace().count()).sum::<usize>();
        Self {
            words: words.max(1) as u32,
            last: request.input.last().map(|turn| turn.content.clone()).unwrap_or_default(),
            thinks: request.enable_thinking == Some(true),
            probable: request.logprobs,
            most: request.max_output_tokens.unwrap_or(u32::MAX).max(1),
        }
    }

    /// The word at that place, and whether it is the last.
    fn word(&self, place: u32) -> (String, bool) {
        if let Some(most) =
            self.last.strip_prefix("count to ").and_then(|most| most.trim().parse::<u32>().ok())
        {
            let gap = if place == 0 { "" } else { " " };
            return (format!("{gap}{}", place + 1), place + 1 >= most.max(1));
        }
        let spoken = ["You", " said:"];
        let place = place as usize;
        if let Some(word) = spoken.get(place) {
            return ((*word).to_owned(), false);
        }
        let mut words = self.last.split_whitespace().skip(place - spoken.len());
        let word = words.next().map_or_else(String::new, |word| format!(" {word}"));
        (word, words.next().is_none())
    }
}

impl Speech {
    fn say(&mut self) -> Result<Token, EngineError> {
        let question = &self.question;
        let place = self.spoken;
        if place == 1 && question.last.contains("please fail") {
            return Err(EngineError::new(Fault::Request, "the question asked for a fault"));
        }
        if place == 1 && question.last.contains("please stumble") {
            return Err(EngineError::new(Fault::Passing, "the question made the runner stumble"));
        }
        assert!(place != 1 || !question.last.contains("please break"), "the question broke the engine");
        self.spoken += 1;
        let thinking = question.thinks && place < 2;
        let (text, last) = question.word(place);
        let cut = self.spoken >= question.most;
        let finish = (last || cut).then(|| Finish {
            reason: if last { TokenFinish::Stop } else { TokenFinish::Length },
            tool_calls: Vec::new(),
            prompt_tokens: question.words,
            cached_tokens: 0,
            completion_tokens: self.spoken,
            reasoning_tokens: if question.thinks { self.spoken.min(2) } else { 0 },
        });
        let logprob = question.probable.then_some(-0.5);
        let top = TopToken { text: text.clone(), logprob: -0.5, bytes: None };
        let top = if question.probable { vec![top] } else { Vec::new() };
        Ok(Token { text, id: 100 + place, thinking, logprob, top, finish })
    }
}
