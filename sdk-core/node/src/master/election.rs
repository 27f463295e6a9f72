//! exo's election, as a machine.
//!
//! ```text
//! liveness changes --0.2 s, further changes count as one--> clock + 1 --> campaign
//! a ballot with a higher clock ----------------------------> its clock -> campaign, with it as first candidate
//! campaign: say our ballot, 3.0 s, say it again, the greatest ballot wins
//! ```
//! A ballot (an [`ElectionMessage`]) is greater by clock, then seniority, then commands seen, then the master's id as text. Every node begins
//! as its own master with clock 0 and holds a campaign of no length, so it has seniority 1 from its start. A ballot
//! that proposes ourselves is our own, come back, and is ignored.
//!
//! **A member of an exo cluster never owns one of these**: it hears ballots and follows. Nor do phones alone, who decide
//! by their zids ([`founding`](super::founding)). The machine serves the simulated exo nodes of our tests.

use std::{collections::VecDeque, time::Duration};

use exo_wire::{ElectionMessage, NodeId, SessionId};

use crate::now::Moment;

/// How long after a change of liveness a campaign begins, so that both ends have seen it.
pub const SETTLE: Duration = Duration::from_millis(200);
/// How long ballots are collected.
pub const CAMPAIGN: Duration = Duration::from_secs(3);
/// How many ballots of one campaign count towards seniority, so that nobody can make us senior to everyone by noise.
const MAX_BALLOTS: usize = 1024;

/// What happens to an election.
#[derive(Debug)]
pub enum Input {
    /// The time has come; see [`Election::deadline`].
    Tick,
    /// Somebody's liveliness token came or went.
    Liveness,
    /// A ballot was heard.
    Ballot(ElectionMessage),
    /// A command was heard.
    Command,
}

/// What an election wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Output {
    /// Say this to everyone.
    Say(ElectionMessage),
    /// A campaign is over.
    Elected {
        /// The reign that holds now.
        session: SessionId,
        /// The round that decided it.
        clock: u64,
        /// Whether it is another than before.
        is_new: bool,
    },
}

/// One node's part in the elections of its cluster.
#[derive(Debug)]
pub struct Election {
    node: NodeId,
    seniority: i64,
    clock: u64,
    commands_seen: u64,
    session: SessionId,
    /// When the settle time after a change of liveness ends.
    settles: Option<Moment>,
    campaign: Option<Campaign>,
    outputs: VecDeque<Output>,
}

#[derive(Debug)]
struct Campaign {
    ends: Moment,
    own: ElectionMessage,
    /// The greatest ballot so far.
    best: ElectionMessage,
    /// How many ballots came, ours included.
    ballots: usize,
}

impl Election {
    /// A node that has just started: its own master, by a campaign of no length. Not a candidate means that any
    /// candidate wins over it.
    pub fn new(now: Moment, node: NodeId, is_candidate: bool) -> Self {
        let session = SessionId { master_node_id: node.clone(), election_clock: 0 };
        let mut election = Self {
            node,
            seniority: if is_candidate { 0 } else { -1 },
            clock: 0,
            commands_seen: 0,
            session,
            settles: None,
            campaign: None,
            outputs: VecDeque::new(),
        };
        election.begin(now, Duration::ZERO, None);
        election.finish();
        election
    }

    /// Feeds one input.
    pub fn handle(&mut self, now: Moment, input: Input) {
        match input {
            Input::Tick => {}
            Input::Command => self.commands_seen = self.commands_seen.saturating_add(1),
            Input::Liveness => {
                self.settles.get_or_insert(now + SETTLE);
            }
            Input::Ballot(ballot) => self.hear(now, ballot),
        }
        if self.settles.is_some_and(|settled| settled <= now) {
            self.settles = None;
            self.clock = self.clock.saturating_add(1);
            self.begin(now, CAMPAIGN, None);
        }
        if self.campaign.as_ref().is_some_and(|campaign| campaign.ends <= now) {
            self.finish();
        }
    }

    /// The next thing that the election wants.
    pub fn poll(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    /// When to call [`Self::handle`] with [`Input::Tick`], if nothing else happens before.
    pub fn deadline(&self) -> Option<Moment> {
        let ends = self.campaign.as_ref().map(|campaign| campaign.ends);
        ends.into_iter().chain(self.settles).min()
    }

    /// The reign that holds now.
    pub fn session(&self) -> &SessionId {
        &self.session
    }

    /// Whether a campaign runs: exo's HTTP interface takes no commands meanwhile.
    pub fn is_campaigning(&self) -> bool {
        self.campaign.is_some()
    }

    fn hear(&mut self, now: Moment, ballot: ElectionMessage) {
        if ballot.proposed_session.master_node_id == self.node || ballot.clock < self.clock {
            return;
        }
        if ballot.clock > self.clock {
            self.clock = ballot.clock;
            self.begin(now, CAMPAIGN, Some(ballot));
        } else if let Some(campaign) = &mut self.campaign {
            campaign.ballots = campaign.ballots.saturating_add(1).min(MAX_BALLOTS);
            if ballot > campaign.best {
                campaign.best = ballot;
            }
        }
    }

    /// A new campaign; an older one is given up.
    fn begin(&mut self, now: Moment, length: Duration, first: Option<ElectionMessage>) {
        let own = self.ballot();
        self.outputs.push_back(Output::Say(own.clone()));
        let ballots = 1 + usize::from(first.is_some());
        let best = first.into_iter().chain([own.clone()]).max().unwrap_or_else(|| own.clone());
        self.campaign = Some(Campaign { ends: now + length, own, best, ballots });
    }

    fn finish(&mut self) {
        let Some(Campaign { own, best, ballots, .. }) = self.campaign.take() else { return };
        self.outputs.push_back(Output::Say(own));
        if best.proposed_session.master_node_id == self.node && self.seniority >= 0 {
            self.seniority = self.seniority.max(ballots as i64);
        }
        let is_new = best.proposed_session != self.session;
        self.session = best.proposed_session.clone();
        self.outputs.push_back(Output::Elected { session: best.proposed_session, clock: best.clock, is_new });
    }

    fn ballot(&self) -> ElectionMessage {
        let session = if self.session.master_node_id == self.node {
            self.session.clone()
        } else {
            SessionId { master_node_id: self.node.clone(), election_clock: self.clock }
        };
        ElectionMessage {
            clock: self.clock,
            seniority: self.seniority,
            proposed_session: session,
            commands_seen: self.commands_seen,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: f64) -> Moment {
        Moment::after_start(Duration::from_secs_f64(seconds))
    }

    fn node(id: &str) -> Election {
        let mut election = Election::new(at(0.0), NodeId::heard(id), true);
        while election.poll().is_some() {}
        election
    }

    /// What one says all others hear at once, until everybody is silent.
    fn talk(now: Moment, nodes: &mut [Election]) -> Vec<SessionId> {
        let mut elected = Vec::new();
        let mut queue: VecDeque<(usize, Output)> = VecDeque::new();
        loop {
            for (from, node) in nodes.iter_mut().enumerate() {
                queue.extend(std::iter::from_fn(|| node.poll()).map(|output| (from, output)));
            }
            match queue.pop_front() {
                None => return elected,
                Some((_, Output::Elected { session, .. })) => elected.push(session),
                Some((from, Output::Say(ballot))) => {
                    let others = nodes.iter_mut().enumerate().filter(|(to, _)| *to != from);
                    others.for_each(|(_, node)| node.handle(now, Input::Ballot(ballot.clone())));
                }
            }
        }
    }

    fn tick(now: Moment, nodes: &mut [Election]) -> Vec<SessionId> {
        for node in nodes.iter_mut() {
            node.handle(now, Input::Tick);
        }
        talk(now, nodes)
    }

    fn ballot(id: &str, clock: u64, seniority: i64, commands_seen: u64) -> ElectionMessage {
        let session = SessionId { master_node_id: NodeId::heard(id), election_clock: 0 };
        ElectionMessage { clock, seniority, proposed_session: session, commands_seen }
    }

    #[test]
    fn a_lone_node_is_its_own_master_from_the_start_with_seniority_one() {
        let mut lone = Election::new(at(0.0), NodeId::heard("a"), true);
        let own = ballot("a", 0, 0, 0);
        assert_eq!(lone.poll(), Some(Output::Say(own.clone())));
        assert_eq!(lone.poll(), Some(Output::Say(own.clone())));
        let elected = Output::Elected { session: own.proposed_session.clone(), clock: 0, is_new: false };
        assert_eq!(lone.poll(), Some(elected));
        assert_eq!((lone.deadline(), lone.seniority), (None, 1));
    }

    #[test]
    fn two_lone_nodes_that_meet_agree_on_the_larger_id_after_three_seconds() {
        let mut nodes = [node("aa"), node("b")];
        for node in &mut nodes {
            node.handle(at(1.0), Input::Liveness);
        }
        assert!(tick(at(1.1), &mut nodes).is_empty());
        assert!(tick(at(1.2), &mut nodes).is_empty(), "the campaign has only begun");
        assert!(nodes.iter().all(Election::is_campaigning));
        let elected = tick(at(4.2), &mut nodes);
        let winner = SessionId { master_node_id: NodeId::heard("b"), election_clock: 0 };
        assert_eq!(elected, [winner.clone(), winner.clone()]);
        assert!(nodes.iter().all(|node| *node.session() == winner && node.deadline().is_none()));
        assert!(nodes[1].seniority > nodes[0].seniority, "the winner counted the ballots");
    }

    #[test]
    fn changes_of_liveness_within_the_settle_time_make_one_campaign() {
        let mut a = node("a");
        a.handle(at(1.0), Input::Liveness);
        a.handle(at(1.15), Input::Liveness);
        assert_eq!(a.deadline(), Some(at(1.2)));
        a.handle(at(1.2), Input::Tick);
        assert_eq!((a.clock, a.deadline()), (1, Some(at(4.2))));
    }

    #[test]
    fn a_higher_clock_is_adopted_a_lower_one_and_our_own_echo_are_not() {
        let mut a = node("a");
        a.handle(at(1.0), Input::Ballot(ballot("b", 7, 0, 0)));
        assert_eq!(a.clock, 7);
        assert_eq!(a.poll(), Some(Output::Say(ballot("a", 7, 1, 0))));
        a.handle(at(1.1), Input::Ballot(ballot("zz", 6, 99, 0)));
        a.handle(at(1.1), Input::Ballot(ballot("a", 99, 99, 0)));
        assert_eq!(a.clock, 7);
        a.handle(at(4.0), Input::Tick);
        assert_eq!(a.session().master_node_id.as_str(), "a", "seniority 1 wins over 0");
    }

    #[test]
    fn ballots_rank_by_clock_then_seniority_then_commands_then_the_text_of_the_id() {
        let rising = [
            ballot("f", 1, 9, 9),
            ballot("f", 2, -1, 9),
            ballot("f", 2, 0, 3),
            ballot("10", 2, 0, 4),
            ballot("9", 2, 0, 4),
            ballot("a", 2, 1, 0),
        ];
        assert!(rising.is_sorted(), "{rising:#?}");
    }

    #[test]
    fn one_that_is_no_candidate_yields_to_any_candidate_and_never_grows_senior() {
        let mut shy = Election::new(at(0.0), NodeId::heard("ff"), false);
        assert_eq!(shy.seniority, -1);
        shy.handle(at(1.0), Input::Liveness);
        shy.handle(at(1.2), Input::Tick);
        shy.handle(at(1.3), Input::Ballot(ballot("1", 1, 0, 0)));
        shy.handle(at(4.2), Input::Tick);
        assert_eq!(shy.session().master_node_id.as_str(), "1");
    }

    #[test]
    fn a_node_that_lost_proposes_itself_with_the_clock_of_the_round() {
        let mut a = node("a");
        a.handle(at(1.0), Input::Ballot(ballot("b", 3, 5, 0)));
        a.handle(at(4.0), Input::Tick);
        while a.poll().is_some() {}
        a.handle(at(9.0), Input::Liveness);
        a.handle(at(9.2), Input::Tick);
        let proposed = SessionId { master_node_id: NodeId::heard("a"), election_clock: 4 };
        let own = ElectionMessage { clock: 4, seniority: 1, commands_seen: 0, proposed_session: proposed };
        assert_eq!(a.poll(), Some(Output::Say(own)));
    }
}
