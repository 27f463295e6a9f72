//! Handing a plan to the exo that the node is linked to. Only ever done because the app asked for it.

use std::{sync::Arc, time::Duration};

use exo_wire::{CommandId, InstanceId, card::ModelCard};
use tokio::time;

use super::{ApiError, Node, entropy};
use crate::planning::{HandOverError, Plan, Whereabouts, hand_over};

/// An instance that exo creates is in its log within a second; an election holds it up.
const SEEN_WITHIN: Duration = Duration::from_secs(10);

/// Why a plan was not handed over.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum NotHandedOver {
    /// Nobody to hand it to: not linked, or it is not known where exo serves HTTP.
    #[error("there is no exo to hand it to: it is not known where one serves HTTP")]
    Nobody,
    /// The plan does not fit the cluster as it is now. Nothing was sent.
    #[error(transparent)]
    Unfit(#[from] HandOverError),
    /// exo did not take it, or did not answer.
    #[error(transparent)]
    Exo(#[from] ApiError),
}

/// A plan that exo took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandedOver {
    /// The instance as it is called from now on.
    pub instance_id: InstanceId,
    /// The command that exo made of it; empty if it did not say.
    pub command_id: CommandId,
    /// Whether the instance was seen in the cluster's log. If not, exo took the command and nothing came of it within
    /// 10 s; it tells the reason to its own log alone.
    pub seen: bool,
}

impl Node {
    /// Asks exo to run a plan, and waits until the instance is in the cluster's log.
    ///
    /// The plan is checked against a state that is fetched for it. It is sent once and never again: after
    /// [`ApiError::Unclear`] look at the instances of [`Self::view`] before asking again.
    pub async fn hand_over(&self, plan: &Plan, card: &Arc<ModelCard>) -> Result<HandedOver, NotHandedOver> {
        let api = self.exo_api().ok_or(NotHandedOver::Nobody)?;
        let now = Whereabouts::read(&api.state().await?)?;
        let request = hand_over(plan, card, &now, &mut entropy::random())?;
        let command_id = api.create_instance(&request).await?;
        let instance_id = request.instance_id().clone();
        let seen = self.sees(instance_id.clone()).await;
        Ok(HandedOver { instance_id, command_id, seen })
    }

    /// Waits on the node's own clock: the caller may be on any executor.
    async fn sees(&self, instance: InstanceId) -> bool {
        let mut views = self.watched_views();
        let seeing = async move {
            let seen = views.wait_for(|view| view.instances.contains_key(&instance));
            time::timeout(SEEN_WITHIN, seen).await.is_ok_and(|seen| seen.is_ok())
        };
        self.own_runtime().spawn(seeing).await.unwrap_or(false)
    }
}
