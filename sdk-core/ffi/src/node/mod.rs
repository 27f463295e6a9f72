//! The member: joining, leaving, states, the cluster and discovery.

mod cluster;
mod link;
mod options;
mod state;
mod streams;

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use exo_node::{
    driver::Node,
    member::Request,
    planning::{self, Situation, Wanted},
};
use exo_serving::Host;
use exo_telemetry::{
    reading::{Group, Groups},
    score::Formula,
};
use exo_wire::card::ModelCard;

pub use cluster::{Cluster, ClusterInstance, ClusterLink, ClusterNode};
pub use link::{LinkPreview, read_link};
pub use options::{Founding, JoinOptions};
pub use state::{NodeState, NodeStats, SearchStatus};
pub use streams::{
    ClusterStream, ConditionStream, SearchStream, StateStream, TelemetryStream, TroubleStream,
};

use crate::{
    ExoError, Result,
    closing::Open,
    gpu::Gpu,
    platform::{AppLife, Lifecycle, Platform},
    telemetry::{self, ClusterTelemetry, Condition, Plan, PlanWishes, Policy, Score, TopologyReport},
    threads::{Errands, aside},
};

/// A member of a cluster, or of one that is still searched for.
#[derive(uniffi::Object)]
pub struct ExoNode {
    node: Open<Arc<Node>>,
    notes: Vec<String>,
    life: Option<Watched>,
    planned: Mutex<Option<Planned>>,
}

/// The last plan, with what handing it over needs.
#[derive(Clone)]
struct Planned {
    told: Plan,
    solved: Arc<planning::Plan>,
    card: Arc<ModelCard>,
}

/// The app's lifecycle while it is watched.
struct Watched {
    lifecycle: Arc<dyn Lifecycle>,
    errands: Errands,
}

#[uniffi::export]
impl ExoNode {
    /// Starts searching and joins what is found; [`states`](Self::states) tells how it goes. Returns at once.
    #[uniffi::constructor]
    pub fn join(options: JoinOptions, platform: Platform) -> Result<Self> {
        let lifecycle = platform.lifecycle.clone();
        let models = platform.models.as_ref().map(|models| models.inner()).transpose()?;
        let (options, mut notes) = options.with(platform)?;
        let node = Arc::new(Node::join(options)?);
        notes.extend_from_slice(node.notes());
        let life = lifecycle
            .map(|lifecycle| Watched::start(lifecycle, &node, models.as_deref().cloned()))
            .transpose()?;
        Ok(Self { node: Open::new("node", node), notes, life, planned: Mutex::new(None) })
    }

    /// Who we are.
    pub fn id(&self) -> Result<String> {
        Ok(self.node.get()?.node_id().as_str().to_owned())
    }

    /// What the start has to say to people, such as an identity that could not be kept.
    pub fn notes(&self) -> Result<Vec<String>> {
        Ok(self.notes.clone())
    }

    /// Where the membership stands now.
    pub fn state(&self) -> Result<NodeState> {
        Ok(self.node.get()?.state().into())
    }

    /// Where the membership stands, each time it changes. Ends when the node is over.
    pub fn states(&self) -> Result<Arc<StateStream>> {
        Ok(StateStream::of(self.node.get()?.states(), |state| Some(state.clone().into())))
    }

    /// The cluster now.
    pub fn cluster(&self) -> Result<Cluster> {
        let node = self.node.get()?;
        Ok(Cluster::of(&node.view(), node.node_id()))
    }

    /// The cluster, each time it changes, a few times a second at most.
    pub fn clusters(&self) -> Result<Arc<ClusterStream>> {
        let node = self.node.get()?;
        let own = node.node_id().clone();
        Ok(ClusterStream::of(node.views(), move |view| Some(Cluster::of(view, &own))))
    }

    /// What each way of searching did and what came of it.
    pub fn search(&self) -> Result<Vec<SearchStatus>> {
        Ok(state::searched(&self.node.get()?.discovery()))
    }

    /// The same, each time it changes.
    pub fn searches(&self) -> Result<Arc<SearchStream>> {
        Ok(SearchStream::of(self.node.get()?.discoveries(), |statuses| Some(state::searched(statuses))))
    }

    /// What was sent and heard so far.
    pub fn stats(&self) -> Result<NodeStats> {
        Ok(self.node.get()?.stats().into())
    }

    /// What the network said each time something did not work, for people.
    pub fn troubles(&self) -> Result<Arc<TroubleStream>> {
        Ok(TroubleStream::of(self.node.get()?.troubles(), |why| why.as_deref().map(str::to_owned)))
    }

    /// How this device is; none until it was looked at.
    pub fn condition(&self) -> Result<Option<Condition>> {
        Ok(self.node.get()?.condition().as_deref().map(Condition::from))
    }

    /// The same, each time it changes, once a second at most.
    pub fn conditions(&self) -> Result<Arc<ConditionStream>> {
        Ok(ConditionStream::of(self.node.get()?.conditions(), |now| now.as_deref().map(Condition::from)))
    }

    /// How all members of this SDK are that told it.
    pub fn telemetry(&self) -> Result<ClusterTelemetry> {
        Ok((&*self.node.get()?.telemetry()).into())
    }

    /// The same, each time it changes, once a second at most.
    pub fn telemetries(&self) -> Result<Arc<TelemetryStream>> {
        Ok(TelemetryStream::of(self.node.get()?.telemetries(), |state| Some((&**state).into())))
    }

    /// The links between members of this SDK, as they measured them.
    pub fn topology(&self) -> Result<TopologyReport> {
        Ok((&self.node.get()?.topology()).into())
    }

    /// How good each member of this SDK is for work now, best first.
    pub fn scores(&self, formula: Formula) -> Result<Vec<Score>> {
        Ok(telemetry::rank(&self.node.get()?.telemetry(), formula))
    }

    /// Changes what the owner allows. Holds at once.
    pub fn set_policy(&self, policy: Policy) -> Result<()> {
        Ok(self.node.get()?.set_policy(policy.into())?)
    }

    /// Measures what this device can do, for about a third of a second, and tells the other members.
    pub async fn calibrate(&self, gpu: Arc<Gpu>) -> Result<()> {
        let node = self.node.get()?;
        aside("exo-calibrate", move || {
            let gpu = gpu.inner()?;
            Ok(node.set_capabilities(exo_node::capabilities::measured(gpu.device())?)?)
        })
        .await
    }

    /// The app is on the screen, or is not any more.
    pub fn shown(&self, shown: bool) -> Result<()> {
        Ok(self.node.get()?.request(Request::ScreenShown(shown))?)
    }

    /// These readings changed: look at them now, not when it is their turn.
    pub fn noticed(&self, groups: Vec<Group>) -> Result<()> {
        Ok(self.node.get()?.noticed(groups.into_iter().collect::<Groups>())?)
    }

    /// Who would run which layers of a model of the cluster's, and why. Nothing is sent to anybody.
    pub async fn plan(&self, model: String, wishes: PlanWishes) -> Result<Plan> {
        let node = Arc::clone(&*self.node.get()?);
        let card = Arc::new(node.find_model(&model).await?);
        let solving = {
            let card = card.clone();
            move || {
                let (view, state, topology) = (node.view(), node.telemetry(), node.topology());
                let situation = Situation { view: &view, telemetry: &state, topology: &topology };
                let began = Instant::now();
                planning::plan(Wanted::Card(&card), situation, &(&wishes).into(), &|| began.elapsed())
                    .map_err(ExoError::invalid)
            }
        };
        let solved = Arc::new(aside("exo-plan", solving).await?);
        let plan = telemetry::plan_of(card.model_id.as_str(), &solved);
        *self.planned.lock().unwrap_or_else(PoisonError::into_inner) =
            Some(Planned { told: plan.clone(), solved, card });
        Ok(plan)
    }

    /// Asks exo to run the plan that was made last, and gives the id of the instance. Only ever done because the app asks.
    pub async fn hand_over(&self, plan: Plan) -> Result<String> {
        let node = Arc::clone(&*self.node.get()?);
        let planned = self.planned.lock().unwrap_or_else(PoisonError::into_inner).clone();
        match planned {
            Some(Planned { told, solved, card }) if told == plan => {
                Ok(node.hand_over(&solved, &card).await?.instance_id.as_str().to_owned())
            }
            _ => Err(ExoError::invalid(
                "this is not the plan that was made last: plan again, then hand it over",
            )),
        }
    }

    /// Says goodbye and waits until the cluster has seen it, at most about this long.
    pub async fn leave(&self, within: Duration) -> Result<()> {
        let node = Arc::clone(&*self.node.get()?);
        Ok(node.leave(within).await?)
    }

    /// Ends the node. One that has not left says goodbye for a quarter of a second, and ends all the same.
    pub fn shut(&self) -> Result<()> {
        self.end();
        Ok(())
    }
}

impl ExoNode {
    fn end(&self) {
        let node = self.node.close();
        if let (Some(_), Some(life)) = (&node, &self.life) {
            life.stop();
        }
    }
}

impl Drop for ExoNode {
    fn drop(&mut self) {
        self.end();
    }
}

impl std::fmt::Debug for ExoNode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ExoNode").field("node", &self.node).finish_non_exhaustive()
    }
}

impl Watched {
    fn start(lifecycle: Arc<dyn Lifecycle>, node: &Arc<Node>, models: Option<Host>) -> Result<Self> {
        let errands = Errands::start("exo-lifecycle")?;
        let (watching, life) = (lifecycle.clone(), AppLife::of(node, models));
        errands.send(move || drop(watching.watch(life)));
        Ok(Self { lifecycle, errands })
    }

    fn stop(&self) {
        let lifecycle = self.lifecycle.clone();
        self.errands.send(move || drop(lifecycle.unwatch()));
    }
}
