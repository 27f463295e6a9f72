//! Pulls the node's streams until it is over, and leaves when asked to.

use std::time::{Duration, Instant};

use exo_node::{
    driver::{Node, NodeStats},
    member::MemberState,
};
use tokio::time;

use super::{
    advice,
    happening::{Happening, What},
};
use crate::stop::Stop;

/// How long nothing may be found before people are told what to do.
const ADVICE_AFTER: Duration = Duration::from_secs(5);
/// Figures are shown this often at most.
const STATS_EVERY: Duration = Duration::from_secs(1);
/// A goodbye that is not acknowledged by then is given up.
const LEAVE_WITHIN: Duration = Duration::from_secs(5);

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// Left, and the goodbye was seen if there was anybody to see it.
    Left,
    /// The time for the goodbye ran out.
    Unheard,
    /// A fault of ours.
    Failed,
}

/// Whom is followed, and how.
pub(crate) struct Followed<'a> {
    pub(crate) node: &'a Node,
    /// Its name, where there are several.
    pub(crate) phone: Option<String>,
    /// When the program started.
    pub(crate) began: Instant,
    /// Whether people are told what to do when no exo is found.
    pub(crate) advise: bool,
}

/// Whether somebody answered. Dialling proves nothing: a link may lead nowhere.
fn is_found(state: &MemberState) -> bool {
    !matches!(state, MemberState::Searching | MemberState::Connecting { .. })
}

/// Shows a node until it is over. `stop` makes it leave.
pub(crate) async fn follow(
    Followed { node, phone, began, advise }: Followed<'_>,
    stop: &Stop,
    show: &mut (dyn FnMut(Happening) + Send),
) -> Ended {
    let mut tell = |what| show(Happening { at: began.elapsed(), phone: phone.clone(), what });
    let (mut states, mut views, mut discoveries) = (node.states(), node.views(), node.discoveries());
    let mut troubles = node.troubles();
    let mut ticks = time::interval(STATS_EVERY);
    ticks.set_missed_tick_behavior(time::MissedTickBehavior::Delay);
    let mut advice_due = advise.then(|| Box::pin(time::sleep(ADVICE_AFTER)));
    let mut stats = NodeStats::default();
    let mut ended = Ended::Left;
    let mut leaving = false;
    loop {
        tokio::select! {
            state = states.next() => match state {
                Some(state) => {
                    if matches!(state, MemberState::Failed { .. }) {
                        ended = Ended::Failed;
                    }
                    if is_found(&state) {
                        advice_due = None;
                    }
                    tell(What::State(state));
                }
                None => break,
            },
            Some(view) = views.next() => tell(What::View(view)),
            Some(Some(trouble)) = troubles.next() => tell(What::Note(trouble.to_string())),
            Some(statuses) = discoveries.next() => tell(What::Discovery(statuses)),
            () = async { match &mut advice_due { Some(due) => due.await, None => std::future::pending().await } } => {
                advice_due = None;
                tell(What::Advice(advice::text(&node.discovery())));
            }
            _ = ticks.tick() => {
                let now = node.stats();
                if now != stats {
                    stats = now;
                    tell(What::Stats(stats));
                }
            }
            () = stop.asked(), if !leaving => {
                leaving = true;
                if node.leave(LEAVE_WITHIN).await.is_err() {
                    ended = Ended::Unheard;
                    if node.state() != MemberState::Left {
                        break;
                    }
                }
            }
        }
    }
    let last = node.stats();
    if last != stats {
        tell(What::Stats(last));
    }
    ended
}
