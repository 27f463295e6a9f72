//! Joins in silence and waits until the cluster is known.

use std::{sync::Arc, time::Duration};

use exo_node::{
    driver::Node,
    member::{ClusterView, MemberState},
};
use tokio::time::{self, Instant};

use crate::watch::{advice, lines};

/// How long nothing may be found before people are told what to do.
const ADVICE_AFTER: Duration = Duration::from_secs(5);

/// The cluster as soon as all of it is known, or why it is not.
pub(super) async fn attend(
    node: &Node,
    within: Duration,
    say: &mut impl FnMut(&str),
) -> Result<Arc<ClusterView>, String> {
    let (mut states, mut views) = (node.states(), node.views());
    let end = Instant::now() + within;
    let advise_at = Instant::now() + ADVICE_AFTER;
    let mut advised = false;
    loop {
        tokio::select! {
            state = states.next() => match state {
                Some(MemberState::Failed { why }) => return Err(why),
                Some(state) => say(&lines::in_words(&state)),
                None => return Err("the node ended before the cluster was known".to_owned()),
            },
            Some(view) = views.next() => if is_whole(&view) { return Ok(view) },
            () = time::sleep_until(advise_at), if !advised && advise_at < end => {
                advised = true;
                if is_searching(node) {
                    say(&advice::text(&node.discovery()));
                }
            }
            () = time::sleep_until(end) => return Err(gave_up(node, within, advised)),
        }
    }
}

/// The log is known without a gap, and it is a cluster.
fn is_whole(view: &ClusterView) -> bool {
    view.complete_to.is_some() && view.nodes.values().any(|node| node.present)
}

fn is_searching(node: &Node) -> bool {
    matches!(node.state(), MemberState::Searching | MemberState::Connecting { .. })
}

fn gave_up(node: &Node, within: Duration, advised: bool) -> String {
    let seconds = within.as_secs_f32();
    if is_searching(node) {
        let advice = if advised { String::new() } else { format!("\n{}", advice::text(&node.discovery())) };
        return format!("no exo was found within {seconds} s{advice}");
    }
    let trouble = node.trouble().map_or_else(String::new, |trouble| format!(": {trouble}"));
    format!("a cluster was found, but its state was not known within {seconds} s{trouble}")
}
