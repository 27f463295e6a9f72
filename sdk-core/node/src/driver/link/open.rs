//! Opening a session: dialling, subscribing, and the thread that publishes.

use std::{
    sync::{
        Arc, Mutex,
        mpsc::{Receiver, sync_channel},
    },
    thread,
    time::Duration,
};

use exo_telemetry::protocol::DeviceId;
use exo_wire::{Topic, Zid};
use tokio::{sync::oneshot, task::JoinSet, time};
use zenoh::{
    Session, Wait,
    pubsub::Publisher,
    qos::CongestionControl,
    sample::{Locality, Sample, SampleKind},
    session::{TransportEvent, TransportEventsListener},
};

use super::{
    Link, Outgoing, Role, WAITING_PAYLOADS, acquaintances,
    config::{config, plainly},
    inbox::{Losses, Slot, inbox},
    telemetry,
};
use crate::discovery::Locator;

/// TCP and zenoh's handshake need tens of milliseconds on a LAN; some phones' radios need a second to wake.
const OPEN_TIMEOUT: Duration = Duration::from_secs(3);
/// How long an address has before the next one is tried beside it.
const HEAD_START: Duration = Duration::from_millis(400);
/// More addresses than this are not dialled at once.
const MOST_DIALLED: usize = 8;

/// What a link hears.
pub(in crate::driver) const GUEST: &[Topic] = &[Topic::GlobalEvents, Topic::ElectionMessages];

/// Opens a client session to the first of these that answers. Later ones get their turn when an earlier one is slow.
pub(in crate::driver) async fn open_first(
    locators: Vec<Locator>,
    topics: &'static [Topic],
    own: Option<DeviceId>,
    losses: Arc<Losses>,
) -> Result<Link, String> {
    let mut attempts = JoinSet::new();
    let mut failures = Vec::new();
    let mut waiting = locators.into_iter().take(MOST_DIALLED);
    let mut next = waiting.next();
    loop {
        if let Some(locator) = next.take() {
            let (own, losses) = (own.clone(), losses.clone());
            attempts.spawn(async move { open(Role::Client(locator), topics, own, losses).await });
        }
        tokio::select! {
            Some(attempt) = attempts.join_next() => match attempt {
                Ok(Ok(link)) => {
                    // The others end by themselves; a late winner is closed as it is dropped.
                    attempts.detach_all();
                    return Ok(link);
                }
                Ok(Err(why)) => {
                    failures.push(why);
                    next = waiting.next();
                }
                Err(fault) => failures.push(format!("dialling broke off: {fault}")),
            },
            () = time::sleep(HEAD_START), if waiting.len() > 0 => next = waiting.next(),
            else => break,
        }
    }
    if failures.is_empty() {
        failures.push("no address to dial".to_owned());
    }
    Err(failures.join("; "))
}

/// Opens a session in this role. `own` is who tells other members how it is, if it does.
pub(in crate::driver) async fn open(
    role: Role,
    topics: &'static [Topic],
    own: Option<DeviceId>,
    losses: Arc<Losses>,
) -> Result<Link, String> {
    let (Role::Client(locator) | Role::Router(locator, _)) = role;
    let opening = zenoh::open(config(role, OPEN_TIMEOUT)?);
    // zenoh keeps its own timeout; this one is for what it forgets.
    let session = time::timeout(OPEN_TIMEOUT * 2, opening)
        .await
        .map_err(|_| format!("{locator} did not answer"))?
        .map_err(|error| format!("{locator} could not be reached: {}", plainly(error.as_ref())))?;
    equip(session, role, locator, topics, own, losses)
        .await
        .map_err(|error| format!("the session with {locator} broke off: {}", plainly(error.as_ref())))
}

async fn equip(
    session: Session,
    role: Role,
    locator: Locator,
    topics: &'static [Topic],
    own: Option<DeviceId>,
    losses: Arc<Losses>,
) -> zenoh::Result<Link> {
    let (lost_sender, lost) = oneshot::channel();
    // What is held lives as long as the link; a loss is heard of through it.
    let (zid, held) = match role {
        Role::Client(_) => {
            let watcher = watch_transport(&session, lost_sender).await?;
            // A loss between opening and watching would never be told: look once.
            let router = session.info().routers_zid().await.next();
            let router = router.ok_or("the router closed the session at once")?;
            (Zid(router.to_le_bytes()), (Some(watcher), None))
        }
        // Clients come and go; a router is there until it is closed.
        Role::Router(_, zid) => (zid, (None, Some(lost_sender))),
    };
    let (slot, inbox) = inbox(losses.clone());
    for &topic in topics {
        subscribe(&session, topic, slot.clone()).await?;
    }
    let acquaintances = match role {
        Role::Client(_) => Some(acquaintances::ask(&session).await?),
        Role::Router(..) => None,
    };
    let (mouth, ear) = match own {
        Some(own) => {
            let (mouth, ear) = telemetry::join(&session, &own, losses).await?;
            (Some(mouth), Some(ear))
        }
        None => (None, None),
    };
    let (outgoing, waiting) = sync_channel(WAITING_PAYLOADS);
    let (closed_sender, closed) = oneshot::channel();
    thread::Builder::new().name("exo-link".into()).spawn(move || {
        publish_all(&waiting, &session, role, mouth.as_ref());
        drop((held, mouth));
        let _ = session.close().wait();
        let _ = closed_sender.send(());
    })?;
    Ok(Link { locator, zid: Some(zid), outgoing, inbox, acquaintances, ear, lost, closed })
}

/// Tells, once, when the transport to the router is gone.
async fn watch_transport(
    session: &Session,
    lost: oneshot::Sender<String>,
) -> zenoh::Result<TransportEventsListener<()>> {
    let lost = Mutex::new(Some(lost));
    let told = move |event: TransportEvent| {
        if event.kind() == SampleKind::Delete
            && let Some(lost) = lost.lock().ok().and_then(|mut lost| lost.take())
        {
            let _ = lost.send("the router closed the link, or it was silent for too long".to_owned());
        }
    };
    session.info().transport_events_listener().history(false).callback(told).await
}

/// Hears a topic until the session is closed. What we say ourselves is not heard: as in exo, each part of a node
/// knows what it said.
async fn subscribe(session: &Session, topic: Topic, slot: Slot) -> zenoh::Result<()> {
    let heard = move |sample: Sample| {
        let payload = sample.payload();
        slot.keep(topic, payload.len(), || payload.to_bytes().into_owned());
    };
    session
        .declare_subscriber(topic.key())
        .allowed_origin(Locality::Remote)
        .callback(heard)
        .background()
        .await
}

/// Publishes until the link is dropped. As exo does: reliable, and blocking rather than dropping when the network is
/// slow; zenoh gives a router that takes nothing 5 s, then it closes the transport.
fn publish_all(
    waiting: &Receiver<Outgoing>,
    session: &Session,
    role: Role,
    telemetry: Option<&Publisher<'_>>,
) {
    let mut publishers: Vec<(Topic, Publisher<'_>)> = Vec::new();
    while let Ok(outgoing) = waiting.recv() {
        let sealed = match outgoing {
            Outgoing::Sealed(sealed) => sealed,
            Outgoing::Telemetry(message) => {
                if let Some(telemetry) = telemetry {
                    let _ = telemetry.put(message).wait();
                }
                continue;
            }
        };
        // A master of phones speaks through its own router alone.
        if matches!(role, Role::Client(_)) && !sealed.is_a_guests() {
            continue;
        }
        let topic = sealed.topic();
        if !publishers.iter().any(|(declared, _)| *declared == topic) {
            let declared =
                session.declare_publisher(topic.key()).congestion_control(CongestionControl::Block);
            // Without a publisher the payload is lost, as it would be on a bad network: the member sends it again.
            let Ok(publisher) = declared.wait() else { continue };
            publishers.push((topic, publisher));
        }
        if let Some((_, publisher)) = publishers.iter().find(|(declared, _)| *declared == topic) {
            let _ = publisher.put(sealed.payload()).wait();
        }
    }
}
