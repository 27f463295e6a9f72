//! Our own key beside exo's topics: what members of this SDK tell each other, through the cluster's routers.
//!
//! Who joins asks all members once; each answers by telling everything on its key, which all others hear too.
//!
//! exo's nodes do not listen to it, and nothing of it is on a topic of theirs. It has a queue of its own, so that a
//! flood of it takes nothing from the session, and it is dropped rather than waited for when the network is slow.

use std::{
    sync::{Arc, atomic::Ordering::Relaxed},
    time::Duration,
};

use exo_telemetry::protocol::{DeviceId, LARGEST};
use tokio::sync::{mpsc, watch};
use zenoh::{
    Session,
    matching::MatchingStatus,
    pubsub::Publisher,
    qos::{CongestionControl, Priority},
    query::Query,
    sample::{Locality, Sample},
};

use super::Losses;

/// Each device has a key of its own below this.
const KEYS: &str = "exo-mobile/telemetry/";
/// Nobody answers the question itself.
const UNANSWERED: Duration = Duration::from_millis(200);
const WAITING_MESSAGES: usize = 64;

/// What another member told.
#[derive(Debug)]
pub(in crate::driver) struct Told {
    /// On whose key.
    pub(in crate::driver) device: String,
    pub(in crate::driver) payload: Vec<u8>,
}

/// What comes in.
#[derive(Debug)]
pub(super) struct Ear {
    pub(super) told: mpsc::Receiver<Told>,
    /// Whether anybody hears us.
    pub(super) listened: watch::Receiver<bool>,
    /// Somebody asked how we are. How often does not matter.
    pub(super) inquired: watch::Receiver<()>,
}

/// Listens to all members, and prepares to tell them.
pub(super) async fn join(
    session: &Session,
    own: &DeviceId,
    losses: Arc<Losses>,
) -> zenoh::Result<(Publisher<'static>, Ear)> {
    let (tell, told) = mpsc::channel(WAITING_MESSAGES);
    let heard = move |sample: Sample| {
        let (key, payload) = (sample.key_expr().as_str(), sample.payload());
        let Some(device) = key.strip_prefix(KEYS) else { return };
        if payload.len() > LARGEST {
            losses.oversized.fetch_add(1, Relaxed);
        } else if let Ok(place) = tell.try_reserve() {
            place.send(Told { device: device.to_owned(), payload: payload.to_bytes().into_owned() });
        } else {
            losses.overrun.fetch_add(1, Relaxed);
        }
    };
    session
        .declare_subscriber(format!("{KEYS}*"))
        .allowed_origin(Locality::Remote)
        .callback(heard)
        .background()
        .await?;
    let publisher = session
        .declare_publisher(format!("{KEYS}{own}"))
        .allowed_destination(Locality::Remote)
        .congestion_control(CongestionControl::Drop)
        .priority(Priority::DataLow)
        .await?;
    let (hear, listened) = watch::channel(false);
    let matched = move |status: MatchingStatus| {
        hear.send_replace(status.matching());
    };
    publisher.matching_listener().callback(matched).background().await?;
    let (ask, inquired) = watch::channel(());
    let asked = move |_: Query| ask.send_replace(());
    session.declare_queryable(publisher.key_expr().clone()).callback(asked).background().await?;
    session
        .get(format!("{KEYS}*"))
        .allowed_destination(Locality::Remote)
        .timeout(UNANSWERED)
        .callback(|_| ())
        .await?;
    Ok((publisher, Ear { told, listened, inquired }))
}
