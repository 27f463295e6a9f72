//! A model on a device: its weights, its cache, and the step that runs some rows through its layers.
//!
//! A step takes rows of one or of several sequences: a chunk of a prompt, the next token of each of several chats, or
//! both. It is one batch on the device, whatever is in it.

mod forward;
mod inputs;
mod layer;
mod offload;
mod plan;
mod resize;
mod room;
mod scratch;
mod slabs;
mod states;

use std::{
    ops::{ControlFlow, Range},
    path::Path,
};

use exo_gpu::Device;
pub(crate) use forward::{Reduce, Row, Step, Wanted};
use inputs::Inputs;
pub use plan::MemoryPlan;
use scratch::Scratch;
use slabs::Slabs;
use states::States;

use crate::{
    Architecture, Error, Progress, Result, Slice,
    cache::{PAGE, Pools},
    config::Layer,
    files::Directory,
    weights::{Blueprint, Weights},
};

/// How keys and values are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum CacheType {
    /// As they were computed: for comparisons.
    F32,
    /// Half precision.
    #[default]
    F16,
    /// 8 bits and a scale for each head of a position: half of the memory, a little less exact.
    Q8,
}

/// How much of a model is loaded, and for how much text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadOptions {
    /// The layers to run here; all if there is no range.
    pub layers: Option<Range<usize>>,
    /// Positions that the cache holds, of all sequences together.
    pub context: u32,
    /// How keys and values are kept.
    pub cache: CacheType,
    /// Chats that can be answered at once, where layers remember in a state: each has one. What chats leave is used for
    /// beginnings that may come again.
    pub chats: u32,
    /// Rows of the largest step: prompts are computed in chunks of this many tokens.
    pub chunk: u32,
    /// Which slice of each layer to run here; whole layers if there is none.
    pub slice: Option<Slice>,
    /// Bytes that the model may use; what the device allows if there is no number.
    pub budget: Option<u64>,
}

impl Default for LoadOptions {
    fn default() -> Self {
        Self {
            layers: None,
            context: 4096,
            cache: CacheType::default(),
            chats: 4,
            chunk: 256,
            slice: None,
            budget: None,
        }
    }
}

/// A model that is ready to run.
#[derive(Debug)]
pub struct Model {
    device: Device,
    architecture: Architecture,
    layers: Range<usize>,
    is_slice: bool,
    weights: Weights,
    slabs: Slabs,
    /// Keys and values in 8 bits, of sequences that began while memory was short.
    small_slabs: Option<Slabs>,
    cache: CacheType,
    states: States,
    scratch: Scratch,
    inputs: Inputs,
    pools: Pools,
    /// Whether memory of the cache could not be had again.
    has_lost_cache: bool,
    /// What was planned: it never takes more.
    planned: MemoryPlan,
    /// What it takes now.
    plan: MemoryPlan,
}

impl Model {
    /// How many rows of one step can have logits: the chats that can be answered at once.
    pub const MOST_WANTED: u32 = scratch::MAX_LOGITS;

    /// What the model in a directory is. Reads headers only.
    pub fn architecture_in(directory: &Path) -> Result<Architecture> {
        Architecture::from_config(&Directory::config_in(directory)?)
    }

    /// How many layers the model in a directory has.
    pub fn layers_in(directory: &Path) -> Result<usize> {
        Ok(Self::architecture_in(directory)?.layers.len())
    }

    /// What loading would take, and whether it may. Reads headers only.
    pub fn plan(directory: &Path, options: &LoadOptions) -> Result<MemoryPlan> {
        Drawing::of(directory, options).map(|drawing| drawing.plan)
    }

    /// What loading would take, or the refusal that it would end with: there may be too little memory now.
    pub fn admit(device: &Device, directory: &Path, options: &LoadOptions) -> Result<MemoryPlan> {
        let plan = Self::plan(directory, options)?;
        plan.admit(available(device, options)?)?;
        Ok(plan)
    }

    /// The same before the weights are there, for a whole model with so many bytes of them. Only `config.json` is read.
    pub fn admit_ahead(
        device: &Device,
        directory: &Path,
        weights: u64,
        options: &LoadOptions,
    ) -> Result<MemoryPlan> {
        let architecture = Self::architecture_in(directory)?;
        // Whoever promised the weights may have promised more than can be counted.
        let weights = weights.min(1 << 60);
        let plan = MemoryPlan::of(&architecture, 0..architecture.layers.len(), weights, options);
        plan.admit(available(device, options)?)?;
        Ok(plan)
    }

    /// Loads a model from its directory. `progress` is called after every layer and may stop it.
    pub fn load(
        device: &Device,
        directory: &Path,
        options: &LoadOptions,
        progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Self> {
        let Drawing { directory, architecture, layers, blueprint, plan, context } =
            Drawing::of(directory, options)?;
        plan.admit(available(device, options)?)?;
        let weights = blueprint.load(device, &directory, progress)?;
        let slabs = Slabs::new(device, &architecture.layers[layers.clone()], context, options.cache)?;
        let here = &architecture.layers[layers.clone()];
        let states = States::new(device, here, options.chats)?;
        let has_states = here.iter().any(|layer| layer.delta().is_some());
        let pools = Pools::new(context / PAGE, has_states.then_some(options.chats));
        let inputs = Inputs::new(device, &architecture, options.chunk, context)?;
        let scratch = Scratch::new(device, &architecture, options.chunk)?;
        Ok(Self {
            device: device.clone(),
            architecture,
            layers,
            is_slice: options.slice.is_some(),
            weights,
            slabs,
            small_slabs: None,
            cache: options.cache,
            states,
            scratch,
            inputs,
            pools,
            has_lost_cache: false,
            planned: plan,
            plan,
        })
    }

    /// What it is. Of a slice, with the heads and columns that are run here.
    pub fn architecture(&self) -> &Architecture {
        &self.architecture
    }

    /// The layers that are run here.
    pub fn layers(&self) -> Range<usize> {
        self.layers.clone()
    }

    /// How many operations the CPU has computed in the place of the device, on which all of them were asked for: those of
    /// kernels that are wrong there. See [`Device::substituted`].
    pub fn substituted(&self) -> u64 {
        self.device.substituted()
    }

    /// What it takes now. Less than was planned where memory was given back.
    pub fn memory(&self) -> &MemoryPlan {
        &self.plan
    }

    /// Rows of the largest step.
    pub fn chunk(&self) -> u32 {
        self.inputs.rows()
    }

    /// Gives memory that nothing uses back to the system, whoever used it.
    pub(crate) fn trim(&self) -> Result<()> {
        Ok(self.device.trim()?)
    }

    pub(crate) fn pools(&mut self) -> &mut Pools {
        &mut self.pools
    }

    /// Whether some of its layers remember in a state, which cannot be cut back.
    pub(crate) fn has_states(&self) -> bool {
        self.pools.states.is_some()
    }
}

/// The bytes that a model may use now.
fn available(device: &Device, options: &LoadOptions) -> Result<u64> {
    let report = device.memory_report()?;
    let left = report.budget.map_or(u64::MAX, |budget| budget.saturating_sub(report.used));
    Ok(options.budget.unwrap_or(u64::MAX).min(left))
}

/// A model before it is loaded.
struct Drawing {
    directory: Directory,
    architecture: Architecture,
    layers: Range<usize>,
    blueprint: Blueprint,
    plan: MemoryPlan,
    /// In whole pages.
    context: u32,
}

impl Drawing {
    /// More cannot be in one step.
    const MOST_CHATS: u32 = Model::MOST_WANTED;

    fn of(path: &Path, options: &LoadOptions) -> Result<Self> {
        let directory = Directory::open(path)?;
        let architecture = Architecture::from_config(&directory.config)?;
        let count = architecture.layers.len();
        let layers = options.layers.clone().unwrap_or(0..count);
        if layers.start >= layers.end || layers.end > count {
            return Err(Error::InvalidRequest {
                what: "LoadOptions::layers",
                asked: format!("{layers:?}"),
                allowed: format!("a range within 0..{count}"),
            });
        }
        let reads_elsewhere = architecture.layers[layers.clone()]
            .iter()
            .filter_map(Layer::attention)
            .find_map(|attention| attention.reads_keys_of.filter(|owner| !layers.contains(owner)));
        if let Some(owner) = reads_elsewhere {
            return Err(Error::InvalidRequest {
                what: "LoadOptions::layers",
                asked: format!("{layers:?}, which read the keys of layer {owner}"),
                allowed: format!("a range that begins at layer {owner} or before"),
            });
        }
        let most = architecture.context;
        if options.context == 0 || options.context > most || !(1..=4096).contains(&options.chunk) {
            return Err(Error::InvalidRequest {
                what: "LoadOptions",
                asked: format!("a context of {} and chunks of {}", options.context, options.chunk),
                allowed: format!("a context of 1 to {most} and chunks of 1 to 4096"),
            });
        }
        if !(1..=Self::MOST_CHATS).contains(&options.chats) {
            return Err(Error::InvalidRequest {
                what: "LoadOptions::chats",
                asked: options.chats.to_string(),
                allowed: format!("1 to {}", Self::MOST_CHATS),
            });
        }
        let context = options.context.next_multiple_of(PAGE);
        let sliced = options.slice.map(|slice| architecture.sliced(slice)).transpose()?;
        let blueprint = Blueprint::draw(&architecture, &layers, &directory, options.slice)?;
        let architecture = sliced.unwrap_or(architecture);
        let plan = MemoryPlan::of(&architecture, layers.clone(), blueprint.bytes(), options);
        Ok(Self { directory, architecture, layers, blueprint, plan, context })
    }
}
