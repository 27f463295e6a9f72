//! What must be true while nothing is wrong.
//!
//! An episode of faults ends with everything healed, and a quiet time begins. What it promises, phone by phone:
//!
//! * **Joined within 5 s**, and so it stays. The 5 s begin at the last of these three, which are not the phone's doing:
//!   the heal; the end of the last election of exo's own nodes, which need one after most faults, and another when
//!   they are left with two masters; and, if something that *this* phone said was lost for good, the time by which it
//!   is sent again, 7 s after the loss, since exo's rule is to send again after 5 s in rounds of 1 to 2 s.
//!   What people see is the time from the heal itself. It has no bound here, but it is counted: how many took longer
//!   than 5 s, and the slowest.
//! * It speaks at least every 15 s, and all phones together at most twice as much as their beats need.
//! * At the end of a quiet time of 20 s or more: each view was equal to the master's state at some moment when it was
//!   complete, and everything that was said is in the log. Shorter ones are not judged; a run in which none was is a
//!   failure by itself.
//!
//! What is true at all times, faults or not, is in [`ledger`](crate::ledger) and [`pace`](crate::pace).

use exo_node::{
    master::Master,
    member::{ClusterView, Member},
};
use exo_wire::{NodeId, SessionId};
use serde_json::Value;

use crate::{
    ledger::Broken,
    phone::Phone,
    queue::{MILLI, SECOND, Time},
    world::{Step, World},
};

const LOOK_EVERY: Time = 250 * MILLI;
/// A run of this length has quiet times that are long enough.
const STANDARD_MINUTES: u32 = 10;
/// How long a phone may take to be joined.
const JOINED_WITHIN: Time = 5 * SECOND;
/// How long exo's nodes may take to agree: an election, and another if a token came late.
const AGREED_WITHIN: Time = 15 * SECOND;
/// How long people look at two masters before they restart something.
const PEOPLE_WAIT: Time = 2 * SECOND;
/// How long it takes until what was lost is sent again.
const SENT_AGAIN_WITHIN: Time = 7 * SECOND;
/// From then on replicas are compared.
const REPLICAS_AFTER: Time = 8 * SECOND;
/// By then every view is complete, even if `GET /state` failed for long: it is asked for every 16 s.
const COMPLETE_WITHIN: Time = 20 * SECOND;
/// An event that was published so long ago is in the log.
const LOGGED_WITHIN: Time = 8 * SECOND;
/// And nobody is silent for longer.
const SILENT_AT_MOST: Time = 15 * SECOND + 500 * MILLI;
/// What all phones together may publish in a second while all is well, up to 280 phones.
const TOGETHER: f64 = 20.0;
/// A phone says one event in this many seconds: ten, or more if that would be too much of all together.
const BEAT: f64 = 10.0;
const LONGEST_BEAT: f64 = 14.5;
const BEATS_TOGETHER: f64 = 16.0;

/// What the judge remembers.
#[derive(Debug, Default)]
pub(crate) struct Judge {
    /// Since when nothing is wrong; `None` in an episode.
    healed: Option<Time>,
    /// When exo's nodes last voted or changed their minds.
    exo_moved: Time,
    /// When something that a phone or an exo node said was lost for good.
    lost: Time,
    /// When each phone became joined; `None` if it is not.
    joined: Vec<Option<Time>>,
    /// Phones whose replica was compared in this quiet time.
    compared: Vec<bool>,
    /// What had been published when the quiet time was ten seconds old, and when.
    pace: Option<(u64, Time)>,
}

impl Judge {
    pub(crate) fn healed(&mut self, now: Time) {
        self.healed = Some(now);
    }

    pub(crate) fn disturbed(&mut self) {
        (self.healed, self.pace) = (None, None);
        self.compared.clear();
    }

    pub(crate) fn exo_moved(&mut self, now: Time) {
        self.exo_moved = now;
        self.pace = None;
    }

    pub(crate) fn lost(&mut self, now: Time) {
        self.lost = now;
    }

    /// Since when a phone is joined, if it is.
    fn joined_at(&self, phone: &Phone) -> Option<Time> {
        self.joined.get(usize::from(phone.number)).copied().flatten().filter(|_| phone.joined)
    }

    pub(crate) fn phone_moved(&mut self, phone: u16, joined: bool, now: Time) {
        let phone = usize::from(phone);
        if self.joined.len() <= phone {
            self.joined.resize(phone + 1, None);
        }
        self.joined[phone] = joined.then_some(now);
    }

    /// How long all has been well, for everybody.
    fn well_for(&self, now: Time) -> Option<Time> {
        now.checked_sub(self.well_since(self.lost)?)
    }

    /// Since when all is well for one whose last loss was then.
    fn well_since(&self, lost: Time) -> Option<Time> {
        let healed = self.healed?.max(self.exo_moved);
        // By exo's own rule an event is sent again after 5 to 7 s; only then is its loss healed.
        let sent_again = if lost == 0 { 0 } else { lost + SENT_AGAIN_WITHIN };
        Some(healed.max(sent_again))
    }
}

impl World {
    pub(crate) fn judge_now(&mut self) {
        self.queue.push(self.now + LOOK_EVERY, Step::Judge);
        let Some(healed) = self.judge.healed.filter(|healed| *healed <= self.now) else { return };
        if let Err(broken) = self.look(self.now - healed) {
            self.fail(broken);
        }
    }

    fn look(&mut self, healed_for: Time) -> Result<(), Broken> {
        let well = self.judge.well_for(self.now).unwrap_or(0);
        if self.reign().is_none() {
            if healed_for > AGREED_WITHIN {
                return Err(Broken("exo's nodes do not agree on a master".to_owned()));
            }
            // Votes that were lost in an episode leave exo with two masters until something starts an election;
            // here somebody does, as a person would. Phones have lived with both until now.
            if well > PEOPLE_WAIT {
                self.flap_tokens();
            }
            return Ok(());
        }
        for phone in &self.phones {
            let Some(since) = self.judge.well_since(phone.lost).filter(|since| *since <= self.now) else {
                continue;
            };
            let well = self.now - since;
            if well < JOINED_WITHIN {
                continue;
            }
            let Some(at) = self.judge.joined_at(phone) else {
                let state = phone.member.as_ref().map(|member| member.state().clone());
                let seconds = well as f64 / SECOND as f64;
                return Err(Broken(format!(
                    "phone{} is {state:?} although all has been well for {seconds:.2} s",
                    phone.number
                )));
            };
            self.tally.slowest_rejoin = self.tally.slowest_rejoin.max(at.saturating_sub(since));
            if well > SILENT_AT_MOST && self.now - phone.last_said > SILENT_AT_MOST {
                let seconds = (self.now - phone.last_said) as f64 / SECOND as f64;
                return Err(Broken(format!("phone{} was silent for {seconds:.1} s", phone.number)));
            }
        }
        if well >= JOINED_WITHIN {
            self.look_at_the_memory()?;
            self.look_at_the_pace(well)?;
        }
        if well >= REPLICAS_AFTER {
            self.compare_replicas();
        }
        Ok(())
    }

    fn look_at_the_pace(&mut self, well: Time) -> Result<(), Broken> {
        let Some((published, at)) = self.judge.pace else {
            if well >= 10 * SECOND {
                self.judge.pace = Some((self.ledger.published, self.now));
            }
            return Ok(());
        };
        // Not shorter than the longest beat: phones that joined together speak together.
        if self.now - at < 15 * SECOND {
            return Ok(());
        }
        let said = (self.ledger.published - published) as f64;
        let seconds = (self.now - at) as f64 / SECOND as f64;
        self.judge.pace = Some((self.ledger.published, self.now));
        self.tally.paces += 1;
        let limit = most_together(self.config.phones) * seconds;
        // Of a few phones one alone can be early, or have news of its engine.
        if said > limit + 3.0 {
            return Err(Broken(format!(
                "all phones together published {said} payloads in {seconds:.1} s, more than {limit:.1}"
            )));
        }
        Ok(())
    }

    /// What waits anywhere is bounded: steps to come, payloads held for phones, events on their way to the log.
    fn look_at_the_memory(&self) -> Result<(), Broken> {
        let limit = 1000 + 50 * self.phones.len();
        if self.queue.len() > limit {
            return Err(Broken(format!("{} steps wait for their time", self.queue.len())));
        }
        for phone in &self.phones {
            let stats = phone.member.as_ref().map(Member::stats).unwrap_or_default();
            let flying = stats.sent.saturating_sub(stats.acked);
            // What a stream had not got through when its session ended stays unacknowledged for ever.
            if flying > 64 * (1 + stats.sessions) {
                return Err(Broken(format!("phone{} has {flying} events on their way", phone.number)));
            }
        }
        Ok(())
    }

    /// The master that every exo node follows, if they agree.
    pub(crate) fn reign(&self) -> Option<&Master> {
        let mut sessions = self.sites.iter().map(|site| site.exo.as_ref().map(crate::exo::Exo::session));
        let first: Option<&SessionId> = sessions.next().flatten();
        let agreed = first.is_some() && sessions.all(|session| session == first);
        let masters = self.sites.iter().filter_map(|site| site.exo.as_ref().and_then(|exo| exo.master()));
        masters.into_iter().find(|master| agreed && Some(master.session()) == first)
    }

    /// Compares the views that are complete up to the end of the log now. The others have their turn later.
    fn compare_replicas(&mut self) {
        let count = self.phones.len();
        self.judge.compared.resize(count, false);
        // Of very many phones, some.
        let step = count.div_ceil(100).max(1);
        let mut broken = None;
        let mut equal = 0;
        let Some(master) = self.reign() else { return };
        let mut compared = self.judge.compared.clone();
        for phone in self.phones.iter().step_by(step) {
            let done = &mut compared[usize::from(phone.number)];
            let Some(member) = phone.member.as_ref().filter(|_| !*done) else { continue };
            if member.complete_to().map(|index| index + 1) != Some(master.next_index()) {
                continue;
            }
            match difference(&member.view(), master) {
                None => (*done, equal) = (true, equal + 1),
                Some(why) => {
                    broken = Some(Broken(format!("phone{} sees another state: {why}", phone.number)));
                    break;
                }
            }
        }
        self.judge.compared = compared;
        self.tally.replicas += equal;
        if let Some(broken) = broken {
            self.fail(broken);
        }
    }

    /// At the end of a quiet time: everything that was to come out of it did.
    pub(crate) fn judge_a_quiet_time(&mut self) {
        self.count_rejoins();
        let well = self.judge.well_for(self.now).unwrap_or(0);
        let reign = self.reign().map(|master| master.session().clone());
        let Some(session) = reign.filter(|_| well >= COMPLETE_WITHIN) else {
            self.tally.unjudged += u64::from(self.judge.healed.is_some());
            return;
        };
        self.tally.judged += 1;
        let step = self.phones.len().div_ceil(100).max(1);
        for phone in self.phones.iter().step_by(step) {
            if self.judge.compared.get(usize::from(phone.number)) != Some(&true) {
                let complete = phone.member.as_ref().and_then(Member::complete_to);
                let broken =
                    Broken(format!("phone{} never had a complete view; it has {complete:?}", phone.number));
                return self.fail(broken);
            }
            if let Some(index) =
                self.ledger.lost(phone.number, &session, self.now.saturating_sub(LOGGED_WITHIN))
            {
                let broken =
                    Broken(format!("phone{} said index {index}, which never reached the log", phone.number));
                return self.fail(broken);
            }
        }
    }

    /// How long phones took to be joined, counted from the heal itself.
    fn count_rejoins(&mut self) {
        let Some(healed) = self.judge.healed else { return };
        for phone in &self.phones {
            let took = self.judge.joined_at(phone).unwrap_or(self.now).saturating_sub(healed);
            self.tally.rejoins += u64::from(took > 0);
            self.tally.late_rejoins += u64::from(took > JOINED_WITHIN);
            self.tally.slowest_from_heal = self.tally.slowest_from_heal.max(took);
        }
    }

    /// At the very end: no ghosts, and something was judged at all.
    pub(crate) fn judge_the_end(&mut self) {
        self.judge_a_quiet_time();
        let Some(master) = self.reign() else {
            return self.fail(Broken("there is no master at the end".to_owned()));
        };
        let exos = self.sites.iter().filter_map(|site| site.exo.as_ref().map(|exo| exo.id().clone()));
        let expected: std::collections::BTreeSet<NodeId> =
            exos.chain(self.phones.iter().map(|phone| phone.node_id.clone())).collect();
        if *master.state().present() != expected {
            let (is, should) = (master.state().present().len(), expected.len());
            return self.fail(Broken(format!("the master counts {is} nodes, there are {should}")));
        }
        if self.config.minutes >= STANDARD_MINUTES && self.tally.judged == 0 {
            self.fail(Broken("no quiet time was long enough to be judged".to_owned()));
        }
    }
}

/// What so many phones may publish in a second while all is well: twice what their beats need, and never more than
/// the limit for all of them together.
fn most_together(phones: u16) -> f64 {
    let phones = f64::from(phones);
    let beats = phones / (phones / BEATS_TOGETHER).clamp(BEAT, LONGEST_BEAT);
    (2.0 * beats).min(TOGETHER.max(1.2 * beats))
}

/// In what a view differs from the master's state, if it does.
fn difference(view: &ClusterView, master: &Master) -> Option<String> {
    let state = master.state();
    let seen: Vec<&NodeId> = view.nodes.iter().filter(|(_, node)| node.present).map(|(id, _)| id).collect();
    if !seen.iter().copied().eq(state.present().iter()) {
        return Some(format!("{} nodes instead of {}", seen.len(), state.present().len()));
    }
    for id in seen {
        let node = &view.nodes[id];
        let memory =
            state.of_node("nodeMemory", id).and_then(|memory| memory.pointer("/ramAvailable/inBytes"));
        if node.memory.map(|memory| memory.available) != memory.and_then(Value::as_u64) {
            return Some(format!("the memory of {id} is {:?} instead of {memory:?}", node.memory));
        }
        let name =
            state.of_node("nodeIdentities", id).and_then(|identity| identity.get("friendlyName")?.as_str());
        if node.name.as_deref() != name {
            return Some(format!("the name of {id} is {:?} instead of {name:?}", node.name));
        }
    }
    None
}
