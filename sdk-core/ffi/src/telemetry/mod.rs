//! What the device knows of itself and of the cluster, and what follows from it.

mod condition;
mod placement;
mod policy;
mod reading;
mod score;
mod state;
mod topology;

pub use condition::{Condition, Heat, HeatUnit, Outlook, WorkState};
pub use placement::{Assumption, Objective, Plan, PlanDevice, PlanStage, PlanWishes, place};
pub use policy::{Allowance, Policy, QuietHours, Reason};
pub use reading::{Figure, Sample};
pub use score::{Score, ScoreFactor};
pub use state::{ClusterTelemetry, DeviceTelemetry};
pub use topology::{Link, LinkFigure, TopologyReport};

pub(crate) use placement::plan_of;
pub(crate) use reading::{refuse, samples, take};
pub(crate) use score::rank;
