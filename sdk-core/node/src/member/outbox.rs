//! What we said and the master has not yet put into its log.
//!
//! ```text
//! session A   origin o1:  0 1 2 3 ........ each index once, no gap, the same bytes whenever it is sent again
//!             heard 2 in A's log ......... 0, 1 and 2 are acknowledged: a master releases an origin in its order
//!             3 older than 5 s ........... sent again, by a round every 1 to 2 s
//! session B   origin o2:  0 .............. a new stream; what was important and not acknowledged is said anew
//! ```
//! An index once used is never dropped or changed: a gap stalls the stream in the master, and another content under
//! the same index ends it. So when too much is on its way, what is *not yet sent* waits, and newer news replaces
//! older of its kind there.

use std::{collections::VecDeque, time::Duration};

use exo_wire::{
    EventId, GatheredInfo, LocalEvent, NodeId, Refusal, Sealed, SessionId, SystemId, Topic, When, gate::Gate,
};

use super::{saying::Saying, stats::Stats, telemetry::Kind};
use crate::{Now, Random, now::Moment, worker::Work};

/// What is older is sent again.
const OLD: Duration = Duration::from_secs(5);
/// How much may be on its way at once; of news, much less: newer is better than more.
const FLYING: usize = 64;
const FLYING_NEWS: usize = 12;
/// How much else may wait.
const WAITING: usize = 256;
/// While less than this waits, there is room for what became of work: it can wait where it is made, and gets shorter.
const WAITING_WORK: usize = 32;

#[derive(Debug)]
struct Flying {
    event_id: EventId,
    sealed: Sealed,
    sent: Moment,
    first: Moment,
    /// To be said anew in the next session, unless acknowledged in this one.
    saying: Saying,
}

/// One stream of events to one master.
#[derive(Debug)]
pub(super) struct Outbox {
    node: NodeId,
    /// News about us, and about no other node.
    gate: Gate,
    session: SessionId,
    origin: SystemId,
    next: u64,
    flying: VecDeque<Flying>,
    waiting: VecDeque<Saying>,
    /// How many of those on their way, the oldest, may be in a part of the log that we will never hear.
    doubtful: usize,
    /// That was noticed just now.
    in_doubt: bool,
    /// The next round of sending again; `None` while nothing may be sent.
    round: Option<Moment>,
    /// The last thing that the gate kept back.
    refusal: Option<Refusal>,
    /// Pieces of answers of which nobody can know whether they are in the log.
    holes: Vec<Work>,
}

impl Outbox {
    /// A new stream, with nothing said.
    pub(super) fn new(node: NodeId, session: SessionId, random: &mut Random) -> Self {
        let origin = SystemId::from_random(random.wide());
        let (flying, waiting) = (VecDeque::new(), VecDeque::new());
        Self {
            gate: Gate::guest().speaking_for(node.clone()),
            node,
            session,
            origin,
            next: 0,
            flying,
            waiting,
            doubtful: 0,
            in_doubt: false,
            round: None,
            refusal: None,
            holes: Vec::new(),
        }
    }

    /// Ends this stream. What was important and not acknowledged is to be said anew in the next.
    pub(super) fn into_unsaid(self) -> impl Iterator<Item = Saying> {
        let flying = self.flying.into_iter().map(|flying| flying.saying);
        flying.chain(self.waiting).filter(|saying| saying.news().is_none())
    }

    /// Whether what became of work may be said now.
    pub(super) fn has_room_for_work(&self) -> bool {
        self.waiting.len() < WAITING_WORK
    }

    /// Pieces of answers that may be missing in the log, told once.
    pub(super) fn holes(&mut self) -> Vec<Work> {
        std::mem::take(&mut self.holes)
    }

    /// Takes something to say. `false` if too much waits already: say it later.
    pub(super) fn say(&mut self, saying: Saying) -> bool {
        if let Some(kind) = saying.news()
            && let Some(older) = self.waiting.iter_mut().find(|waiting| waiting.news() == Some(kind))
        {
            *older = saying;
            return true;
        }
        let room = self.waiting.len() < WAITING;
        if room {
            self.waiting.push_back(saying);
        }
        room
    }

    /// Nothing may be sent: there is no link, or we must not speak.
    pub(super) fn close(&mut self) {
        self.round = None;
    }

    /// What is to be sent now. After a pause that is all that is on its way, since the old link may have swallowed it.
    pub(super) fn send(&mut self, now: Now, random: &mut Random, stats: &mut Stats) -> Vec<Sealed> {
        let mut out = Vec::new();
        if self.flying.len() > FLYING && self.doubtful == self.flying.len() {
            self.renew(random);
        }
        if self.round.is_none_or(|due| due <= now.mono) {
            let age = if self.round.is_none() { Duration::ZERO } else { OLD };
            self.round = Some(now.mono + round(random));
            out = self.again(now.mono, age, stats);
        }
        while self.has_room()
            && let Some(saying) = self.waiting.pop_front()
        {
            out.extend(self.launch(now, saying, random, stats));
        }
        out
    }

    /// An event of our session was put into the log. If it is one of ours that we waited for: since when.
    pub(super) fn heard(&mut self, event_id: &str, stats: &mut Stats) -> Option<Moment> {
        let place = self.flying.iter().position(|flying| flying.event_id.as_str() == event_id)?;
        let since = self.flying.get(place).map(|flying| flying.first);
        stats.acked += self.flying.drain(..=place).count() as u64;
        self.doubtful = self.doubtful.saturating_sub(place + 1);
        since
    }

    /// A part of the log was skipped: the acknowledgements of what is on its way may be in it. The master ignores
    /// what it has, so sending again brings none; the acknowledgement of anything newer speaks for all before it.
    pub(super) fn doubt(&mut self) {
        self.doubtful = self.flying.len();
        self.in_doubt = self.doubtful > 0;
    }

    /// Whether something new should be said soon, to end a doubt. Says so once.
    pub(super) fn takes_doubt(&mut self) -> bool {
        std::mem::take(&mut self.in_doubt) && self.doubtful > 0
    }

    /// Since when the oldest waits for its acknowledgement, which it would have heard.
    pub(super) fn oldest(&self) -> Option<Moment> {
        self.flying.get(self.doubtful).map(|flying| flying.first)
    }

    /// Whether all that was to be said is in the log.
    pub(super) fn is_empty(&self) -> bool {
        self.flying.is_empty() && self.waiting.is_empty()
    }

    /// What the gate kept back since last asked.
    pub(super) fn refusal(&mut self) -> Option<Refusal> {
        self.refusal.take()
    }

    /// When [`Self::send`] will have something, while something may be sent.
    pub(super) fn deadline(&self) -> Option<Moment> {
        let round = self.round?;
        self.flying.iter().map(|flying| flying.sent + OLD).min().map(|old| old.max(round))
    }

    fn has_room(&self) -> bool {
        let limit = match self.waiting.front() {
            Some(saying) if saying.news().is_some() => FLYING_NEWS,
            _ => FLYING,
        };
        let fresh = self.flying.len() - self.doubtful.min(self.flying.len());
        // One that is not in doubt may always go: its acknowledgement is what ends the doubt.
        fresh < limit && (fresh == 0 || self.flying.len() < FLYING)
    }

    /// Gives a saying its index and sends it. A refusal takes no index: a gap would stall all that follows.
    fn launch(&mut self, now: Now, saying: Saying, random: &mut Random, stats: &mut Stats) -> Option<Sealed> {
        let event_id = EventId::from_random(random.wide());
        let event = saying.event(event_id.clone(), self.node.clone(), When::since_1970(now.wall));
        let (origin, session) = (self.origin.clone(), self.session.clone());
        match self
            .gate
            .seal(Topic::LocalEvents, &LocalEvent { origin_idx: self.next, origin, session, event })
        {
            Ok(sealed) => {
                self.next += 1;
                stats.sent += 1;
                let (sent, first) = (now.mono, now.mono);
                self.flying.push_back(Flying { event_id, sealed: sealed.clone(), sent, first, saying });
                Some(sealed)
            }
            Err(refusal) => {
                stats.refused += 1;
                self.refusal = Some(refusal);
                if let Saying::Work(work @ Work::Chunk(..)) = saying {
                    self.holes.push(work);
                    return None;
                }
                // Absurd figures must not cost us our place: a bare sign of life instead.
                let bare = Saying::News(Kind::Vital, GatheredInfo::NodeConfig {});
                (saying.news() == Some(Kind::Vital) && saying != bare)
                    .then(|| self.launch(now, bare, random, stats))
                    .flatten()
            }
        }
    }

    /// Doubt upon doubt, and no more room for an event that would end it: a new stream, in which what is important is
    /// said anew.
    fn renew(&mut self, random: &mut Random) {
        let next = Self::new(self.node.clone(), self.session.clone(), random);
        let round = self.round;
        let unsaid = std::mem::replace(self, next).into_unsaid();
        // A piece of an answer that is said twice would stand there twice.
        let (holes, unsaid): (Vec<_>, Vec<_>) =
            unsaid.partition(|saying| matches!(saying, Saying::Work(Work::Chunk(..))));
        self.waiting = unsaid.into_iter().take(WAITING).collect();
        self.holes = holes.into_iter().filter_map(Saying::into_work).collect();
        self.round = round;
    }

    fn again(&mut self, now: Moment, age: Duration, stats: &mut Stats) -> Vec<Sealed> {
        let old = self.flying.iter_mut().filter(|flying| now.since(flying.sent) >= age);
        let again: Vec<Sealed> = old
            .map(|flying| {
                flying.sent = now;
                flying.sealed.clone()
            })
            .collect();
        stats.resent += again.len() as u64;
        again
    }
}

fn round(random: &mut Random) -> Duration {
    Duration::from_millis(1000 + random.below(1000))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use exo_wire::{RunnerId, heard};

    use super::*;

    struct Story {
        outbox: Outbox,
        random: Random,
        stats: Stats,
        clock: f64,
    }

    /// What was sent: its index, its event's id, its bytes.
    type Sent = (u64, String, Vec<u8>);

    fn session(master: &str) -> SessionId {
        SessionId { master_node_id: NodeId::heard(master), election_clock: 0 }
    }

    fn heartbeat() -> Saying {
        Saying::News(Kind::Vital, GatheredInfo::NodeConfig {})
    }

    fn important(n: usize) -> Saying {
        Saying::RunnerGone(RunnerId::heard(&format!("runner-{n}")))
    }

    impl Story {
        fn new() -> Self {
            let mut random = Random::seeded(11);
            let outbox = Outbox::new(NodeId::heard("f0"), session("a"), &mut random);
            Self { outbox, random, stats: Stats::default(), clock: 0.0 }
        }

        fn now(&self) -> Now {
            let since = Duration::from_secs_f64(self.clock);
            Now { mono: Moment::after_start(since), wall: since }
        }

        fn sends(&mut self, at: f64) -> Vec<Sent> {
            self.clock = at;
            let now = self.now();
            let sealed = self.outbox.send(now, &mut self.random, &mut self.stats);
            sealed
                .iter()
                .map(|sealed| {
                    let local = heard::local(sealed.payload()).unwrap();
                    let id = local.event().event_id().unwrap().to_owned();
                    (local.origin_idx, id, sealed.payload().to_vec())
                })
                .collect()
        }

        fn says(&mut self, at: f64, saying: Saying) -> Sent {
            assert!(self.outbox.say(saying));
            self.sends(at).pop().unwrap()
        }
    }

    #[test]
    fn indices_begin_at_zero_and_have_no_gap() {
        let mut story = Story::new();
        let indices: Vec<u64> = (0..5).map(|n| story.says(0.0, important(n)).0).collect();
        assert_eq!(indices, [0, 1, 2, 3, 4]);
    }

    #[test]
    fn what_is_older_than_five_seconds_is_sent_again_to_the_byte() {
        let mut story = Story::new();
        let first = story.says(0.0, heartbeat());
        assert!(story.sends(4.9).is_empty());
        let due = story.outbox.deadline().unwrap().since_start().as_secs_f64();
        assert!((5.0..=7.0).contains(&due), "{due}");
        assert_eq!(story.sends(due), [first]);
        assert_eq!(story.stats.resent, 1);
    }

    #[test]
    fn an_acknowledgement_ends_it_and_all_before_it() {
        let mut story = Story::new();
        let sent: Vec<Sent> = (0..4).map(|n| story.says(0.0, important(n))).collect();
        assert!(story.outbox.heard(&sent[2].1, &mut story.stats).is_some());
        assert!(story.outbox.heard(&sent[1].1, &mut story.stats).is_none(), "it is acknowledged already");
        assert_eq!(story.stats.acked, 3);
        assert_eq!(story.sends(10.0), [sent[3].clone()]);
    }

    #[test]
    fn full_it_pauses_and_newer_news_replaces_older_that_is_not_yet_sent() {
        let mut story = Story::new();
        let sent: Vec<Sent> = (0..FLYING_NEWS).map(|_| story.says(0.0, heartbeat())).collect();
        for _ in 0..1000 {
            assert!(story.outbox.say(heartbeat()));
            assert!(story.sends(0.1).is_empty());
        }
        assert_eq!(story.outbox.waiting.len(), 1);
        story.outbox.heard(&sent[0].1, &mut story.stats);
        let next = story.sends(0.2);
        assert_eq!(next.len(), 1);
        assert_eq!(next[0].0, FLYING_NEWS as u64, "no index was skipped");
    }

    #[test]
    fn what_is_important_waits_in_order_and_is_refused_when_too_much_waits() {
        let mut story = Story::new();
        let taken = (0..1000).filter(|n| story.outbox.say(important(*n))).count();
        assert_eq!(taken, WAITING);
        let sent = story.sends(0.0);
        assert_eq!(sent.len(), FLYING);
        story.outbox.heard(&sent[FLYING - 1].1, &mut story.stats);
        assert_eq!(story.sends(0.1)[0].0, FLYING as u64);
    }

    #[test]
    fn after_a_pause_all_that_is_on_its_way_is_sent_again_at_once() {
        let mut story = Story::new();
        let sent: Vec<Sent> = (0..3).map(|n| story.says(0.0, important(n))).collect();
        story.outbox.close();
        assert_eq!(story.sends(0.5), sent);
        assert!(story.sends(0.6).is_empty());
    }

    #[test]
    fn a_new_session_is_told_anew_what_was_important_and_not_acknowledged() {
        let mut story = Story::new();
        let acked = story.says(0.0, important(0));
        story.says(0.0, heartbeat());
        story.says(0.0, important(1));
        story.outbox.heard(&acked.1, &mut story.stats);
        let old = story.outbox.origin.clone();
        let next = Outbox::new(NodeId::heard("f0"), session("b"), &mut story.random);
        let unsaid: Vec<Saying> = std::mem::replace(&mut story.outbox, next).into_unsaid().collect();
        assert_eq!(unsaid, [important(1)]);
        assert_ne!(story.outbox.origin, old);
        assert_eq!(story.says(1.0, important(1)).0, 0);
    }

    #[test]
    fn a_refusal_takes_no_index() {
        let mut story = Story::new();
        story.outbox.say(Saying::RunnerGone(RunnerId::heard(&"x".repeat(10_000_000))));
        let sent = story.sends(0.0);
        assert!(sent.is_empty());
        assert_eq!(story.stats.refused, 1);
        assert!(story.outbox.refusal().is_some());
        assert_eq!(story.says(0.1, heartbeat()).0, 0);
    }

    #[test]
    fn a_lossy_master_ends_up_with_every_event_once_and_in_order() {
        for seed in 0..50 {
            let mut story = Story::new();
            let mut luck = Random::seeded(seed);
            let (mut next, mut log, mut bytes) = (0, Vec::new(), std::collections::HashMap::new());
            let mut waiting = std::collections::BTreeMap::new();
            for tenth in 0..3000u32 {
                if tenth < 1000 && tenth % 10 == 0 {
                    story.outbox.say(important(tenth as usize));
                }
                for (index, id, payload) in story.sends(f64::from(tenth) / 10.0) {
                    assert_eq!(
                        *bytes.entry(index).or_insert_with(|| payload.clone()),
                        payload,
                        "seed {seed}"
                    );
                    if luck.below(10) < 7 && index >= next {
                        waiting.insert(index, id);
                    }
                }
                while let Some(id) = waiting.remove(&next) {
                    next += 1;
                    log.push(id.clone());
                    if luck.below(10) < 7 {
                        story.outbox.heard(&id, &mut story.stats);
                    }
                }
                if story.outbox.flying.len() == 1 && log.len() == 100 {
                    // The very last acknowledgement was lost: a replay brings it.
                    story.outbox.heard(log.last().unwrap(), &mut story.stats);
                }
            }
            assert_eq!(log.len(), 100, "seed {seed}");
            assert_eq!(log.iter().collect::<BTreeSet<_>>().len(), 100, "seed {seed}");
        }
    }

    #[test]
    fn when_a_part_of_the_log_was_skipped_something_new_speaks_for_what_is_on_its_way() {
        let mut story = Story::new();
        for n in 0..FLYING_NEWS {
            story.says(n as f64, heartbeat());
        }
        assert!(story.outbox.say(heartbeat()));
        let sent_again = story.sends(20.0).len();
        assert_eq!(sent_again, FLYING_NEWS, "no room for news while so much is on its way");
        story.outbox.doubt();
        assert!(story.outbox.takes_doubt() && !story.outbox.takes_doubt(), "said once");
        let (index, id, _) = story.sends(20.1).pop().unwrap();
        assert_eq!((index, story.outbox.oldest()), (FLYING_NEWS as u64, Some(story.now().mono)));
        assert!(story.outbox.heard(&id, &mut story.stats).is_some());
        assert!(story.outbox.is_empty() && story.outbox.oldest().is_none());
    }

    #[test]
    fn full_of_doubt_there_is_still_room_for_what_ends_it() {
        let mut story = Story::new();
        (0..FLYING).for_each(|n| drop(story.says(0.0, important(n))));
        story.outbox.doubt();
        let (index, id, _) = story.says(1.0, heartbeat());
        assert_eq!(index, FLYING as u64);
        assert!(story.outbox.heard(&id, &mut story.stats).is_some());
        assert!(story.outbox.is_empty());
    }

    #[test]
    fn doubt_upon_doubt_begins_a_new_stream_in_which_the_important_is_said_anew() {
        let mut story = Story::new();
        (0..FLYING).for_each(|n| drop(story.says(0.0, important(n))));
        story.outbox.doubt();
        story.says(1.0, heartbeat());
        story.outbox.doubt();
        let old = story.outbox.origin.clone();
        let anew = story.sends(2.0);
        assert_ne!(story.outbox.origin, old);
        let indices: Vec<u64> = anew.iter().map(|(index, ..)| *index).collect();
        assert_eq!(indices, (0..FLYING as u64).collect::<Vec<_>>());
    }
}
