//! The flags of `place`.

use std::time::Duration;

use clap::{Args as ClapArgs, ValueEnum};
use exo_node::planning::Wishes;
use exo_telemetry::placement::Objective as Minimised;

use crate::{join::SearchArgs, stop};

/// Show how the cluster would run a model, and hand that to exo if asked to
///
/// Joins without saying a word, reads what exo knows of its nodes, and plans who would run which layers. Figures that
/// nobody measured are assumed, and listed. Nothing is changed unless --hand-over is given.
#[derive(ClapArgs, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// A model that exo lists (mlx-community/Qwen3-0.6B-4bit, or Qwen3-0.6B-4bit), or a file with its card
    #[arg(value_name = "MODEL")]
    pub(super) model: String,
    #[command(flatten)]
    pub(super) search: SearchArgs,
    /// Tokens of context that must fit
    #[arg(long, value_name = "N", default_value_t = 4096)]
    context: u32,
    /// What to make small: the time of one token, or the time between tokens when many are asked for at once
    #[arg(long, value_enum, default_value_t = Objective::Latency)]
    objective: Objective,
    /// The most devices of a plan
    #[arg(long, value_name = "N")]
    max_devices: Option<usize>,
    /// Plan as if devices that offer nothing to exo did
    #[arg(long, conflicts_with = "hand_over")]
    even_guests: bool,
    /// Ask exo to run the plan: POST /instance
    #[arg(long)]
    pub(super) hand_over: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(super) json: bool,
    /// Give up after so many seconds without a cluster
    #[arg(long, value_name = "N", value_parser = stop::seconds, default_value = "30")]
    pub(super) seconds: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Objective {
    Latency,
    Throughput,
}

const AFTER_HELP: &str = "\
A file holds a model card as exo writes it, or layers as in docs/placement.md ({\"layers\": [{\"bytes\": 5e8}, ...]}).

Ends with:
  0  there is a plan, and exo took it if that was asked for
  1  a fault, or no cluster was found; the message says which
  2  a flag or a model that is not known; the message says what to write instead
  4  there is no plan, or it was not handed over; the message says why

Examples:
  exo-phone place Qwen3-0.6B-4bit
  exo-phone place mlx-community/Llama-3.2-3B-Instruct-4bit --context 16384 --objective throughput
  exo-phone place Qwen3-0.6B-4bit --hand-over";

impl Args {
    /// What the plan is for.
    pub(super) fn wishes(&self) -> Wishes {
        Wishes {
            context_tokens: self.context,
            objective: match self.objective {
                Objective::Latency => Minimised::Latency,
                Objective::Throughput => Minimised::Throughput,
            },
            even_guests: self.even_guests,
            max_devices: self.max_devices,
            ..Wishes::default()
        }
    }
}
