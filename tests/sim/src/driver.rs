//! What a phone's driver would do: sockets, timers, discovery and HTTP, in virtual time.

use std::rc::Rc;

use exo_node::{
    discovery::{Input as Wanted, Locator},
    member::{Input, MemberState, Output, Readings},
};
use exo_wire::{Sealed, Zid, datagram::ZENOH_PORT};

use crate::{
    bus::ASTRAY,
    ledger::{Broken, Speaker},
    phone::{Parcel, address, site},
    queue::{MILLI, SECOND, Time},
    trace::{Note, Party},
    world::{Step, World},
};

/// How long one address is dialled.
const OPEN_TIMEOUT: Time = 3 * SECOND;
/// How long it has before the next one is dialled beside it.
const HEAD_START: Time = 400 * MILLI;
/// zenoh's lease: a link that carries nothing for so long is dead.
const LEASE: Time = 10 * SECOND;
/// A machine that wants so much without time passing spins.
const MOST_WITHOUT_TIME: u32 = 10_000;

impl World {
    pub(crate) fn start(&mut self, number: u16) {
        let phone = &mut self.phones[usize::from(number)];
        if phone.member.is_none() {
            phone.start(self.now);
            phone.armed = Time::MAX;
            self.did(Party::Phone(number), "starts");
            self.begin_search(number);
            self.start_with_the_bug(number);
            self.follow_up(number);
        }
    }

    /// The app is killed: no goodbye.
    pub(crate) fn stop(&mut self, number: u16) {
        self.unlink(number);
        let phone = &mut self.phones[usize::from(number)];
        (phone.member, phone.search, phone.joined, phone.asleep) = (None, None, false, None);
        self.ledger.ended(number);
        self.did(Party::Phone(number), "is killed");
    }

    pub(crate) fn phone_timer(&mut self, number: u16) {
        let phone = &mut self.phones[usize::from(number)];
        if self.now < phone.armed {
            return;
        }
        phone.armed = Time::MAX;
        if phone.asleep.is_none() {
            self.tell(number, Input::Tick);
        }
    }

    /// Feeds a phone's member and does what it wants.
    pub(crate) fn tell(&mut self, number: u16, input: Input<'_>) {
        let phone = &mut self.phones[usize::from(number)];
        let clock = phone.clock(self.now);
        if let Some(member) = &mut phone.member {
            member.handle(clock, input);
            self.follow_up(number);
        }
    }

    /// Does what a phone's member wants, and sets its timer.
    pub(crate) fn follow_up(&mut self, number: u16) {
        self.count_acknowledged(number);
        for _ in 0..MOST_WITHOUT_TIME {
            let phone = &mut self.phones[usize::from(number)];
            let Some(member) = &mut phone.member else { return };
            if let Some(output) = member.poll() {
                self.act(number, output);
                continue;
            }
            let Some(at) = member.deadline().map(|moment| phone.when(moment).max(self.now)) else { return };
            let phone = &mut self.phones[usize::from(number)];
            if at < phone.armed {
                phone.armed = at;
                if at == self.now {
                    phone.still += 1;
                    if phone.still > MOST_WITHOUT_TIME {
                        return self.fail(Broken(format!("phone{number} spins: its deadline does not move")));
                    }
                } else {
                    phone.still = 0;
                }
                self.queue.push(at, Step::PhoneTimer(number));
            }
            return;
        }
        self.fail(Broken(format!("phone{number} never stops wanting something")));
    }

    /// What the member takes for acknowledged now is looked up before it says more: it is of the stream that it spoke
    /// in last.
    fn count_acknowledged(&mut self, number: u16) {
        let phone = &mut self.phones[usize::from(number)];
        let Some(acked) = phone.member.as_ref().map(|member| member.stats().acked) else { return };
        let before = std::mem::replace(&mut phone.acked, acked);
        if acked != before
            && let Err(broken) = self.ledger.phone_counts(number, acked - before)
        {
            self.fail(broken);
        }
    }

    fn act(&mut self, number: u16, output: Output) {
        match output {
            Output::Dial(locators) => self.dial(number, &locators),
            Output::HangUp => self.unlink(number),
            Output::FetchState(at) => self.fetch_state(number, site(at)),
            Output::Measure => {
                let readings = Box::new(self.phones[usize::from(number)].readings());
                let at = self.now + self.between(MILLI, 20 * MILLI);
                self.queue.push(at, Step::Readings { phone: number, readings });
            }
            Output::Publish(sealed) => self.publish(number, &sealed),
            Output::Search(true) => self.tell_search(number, Wanted::Search),
            Output::Search(false) => self.tell_search(number, Wanted::Rest),
            Output::Changed => self.changed(number),
            // These phones run nothing.
            Output::Engine(_) | Output::Offer(_) => {}
        }
    }

    fn changed(&mut self, number: u16) {
        let phone = &mut self.phones[usize::from(number)];
        let Some(member) = &phone.member else { return };
        let joined = matches!(member.state(), MemberState::Joined { .. });
        if phone.joined != joined || self.config.trace {
            phone.joined = joined;
            let what = format!("is {:?}", member.state());
            self.judge.phone_moved(number, joined, self.now);
            self.did(Party::Phone(number), what);
        }
    }

    /// Whether the phone can reach that exo node, and be reached.
    pub(crate) fn connects(&self, number: u16, place: u16) -> bool {
        let weather = self.phones[usize::from(number)].weather;
        !weather.deaf && !weather.mute && usize::from(place) < self.sites.len()
    }

    pub(crate) fn is_up(&self, place: u16) -> bool {
        self.sites.get(usize::from(place)).is_some_and(|site| site.exo.is_some())
    }

    pub(crate) fn zid(&self, place: u16) -> Option<Zid> {
        self.sites.get(usize::from(place))?.exo.as_ref().and_then(|exo| Zid::of(exo.id()))
    }

    /// As the real driver: each address gets a head start, and TCP knocks twice before the attempt is given up.
    fn dial(&mut self, number: u16, locators: &[Locator]) {
        self.unlink(number);
        let epoch = self.phones[usize::from(number)].epoch;
        let places: Vec<u16> = locators.iter().filter_map(|locator| site(locator.address())).collect();
        self.did(Party::Phone(number), format!("dials exo{places:?}"));
        let is_refused = |place: &u16| self.connects(number, *place) && !self.is_up(*place);
        let wait = if places.iter().all(is_refused) { 10 * MILLI } else { OPEN_TIMEOUT };
        let mut at = self.now + self.between(3 * MILLI, 30 * MILLI);
        let mut last = at;
        for place in places {
            last = at;
            for knock in [at, at + SECOND] {
                self.queue.push(knock, Step::Knock { phone: number, epoch, site: place });
            }
            at += HEAD_START;
        }
        self.queue.push(last + wait, Step::Dialled { phone: number, epoch, site: None });
    }

    /// TCP's first packet of an attempt, or its second.
    pub(crate) fn knock(&mut self, number: u16, epoch: u32, place: u16) {
        if self.connects(number, place) && self.is_up(place) {
            self.dialled(number, epoch, Some(place));
        }
    }

    pub(crate) fn dialled(&mut self, number: u16, epoch: u32, answers: Option<u16>) {
        let phone = &mut self.phones[usize::from(number)];
        if phone.epoch != epoch || phone.link.is_some() || phone.member.is_none() {
            return;
        }
        // The answer may come too late: the node is gone, the network is cut, the phone sleeps.
        let linked = answers.filter(|place| self.is_up(*place) && self.connects(number, *place));
        let phone = &mut self.phones[usize::from(number)];
        let Some(place) = linked.filter(|_| phone.asleep.is_none()) else {
            return self.unlinked(number, "nobody answered");
        };
        phone.link = Some(place);
        let host = address(place, ZENOH_PORT).ip();
        phone.past_hosts.retain(|past| *past != host);
        phone.past_hosts.insert(0, host);
        let clients = &mut self.sites[usize::from(place)].clients;
        if let Err(at) = clients.binary_search(&number) {
            clients.insert(at, number);
        }
        let zid = self.zid(place);
        self.did(Party::Phone(number), format!("is linked to exo{place}"));
        self.tell(number, Input::Linked { locator: Locator::new(address(place, ZENOH_PORT)), zid });
    }

    /// The link is no more; what is on its way over it is lost.
    pub(crate) fn unlink(&mut self, number: u16) {
        let phone = &mut self.phones[usize::from(number)];
        phone.epoch += 1;
        phone.inbox.clear();
        phone.outbox.clear();
        phone.last_in = 0;
        if let Some(place) = phone.link.take() {
            let clients = &mut self.sites[usize::from(place)].clients;
            if let Ok(at) = clients.binary_search(&number) {
                clients.remove(at);
            }
        }
    }

    pub(crate) fn break_link(&mut self, number: u16, epoch: u32, why: &'static str) {
        if self.phones[usize::from(number)].epoch == epoch {
            self.unlinked(number, why);
        }
    }

    pub(crate) fn unlinked(&mut self, number: u16, why: &'static str) {
        self.unlink(number);
        if self.phones[usize::from(number)].asleep.is_some() {
            // Nobody is awake to hear of it; waking does.
            return;
        }
        self.did(Party::Phone(number), format!("has no link: {why}"));
        self.tell(number, Input::Unlinked { why: why.to_owned() });
    }

    /// Something stopped passing: the link dies after the lease, unless it heals before.
    pub(crate) fn doubt_link(&mut self, number: u16) {
        let epoch = self.phones[usize::from(number)].epoch;
        self.queue.push(self.now + LEASE, Step::Lease { phone: number, epoch });
    }

    pub(crate) fn lease(&mut self, number: u16, epoch: u32) {
        let phone = &self.phones[usize::from(number)];
        let is_stuck = phone.weather.deaf || phone.weather.mute || phone.asleep.is_some();
        if phone.epoch == epoch && phone.link.is_some() && is_stuck {
            self.unlinked(number, "the lease expired");
        }
    }

    fn fetch_state(&mut self, number: u16, place: Option<u16>) {
        let (wait, answers) = match place {
            Some(place) if !self.connects(number, place) => (3 * SECOND, None),
            Some(place) if self.is_up(place) && !self.chance(self.http_fails) => (5 * MILLI, Some(place)),
            _ => (2 * MILLI, None),
        };
        let at = self.now + wait + self.between(0, 30 * MILLI);
        self.queue.push(at, Step::State { phone: number, site: answers });
    }

    pub(crate) fn answer_state(&mut self, number: u16, place: Option<u16>) {
        if self.phones[usize::from(number)].asleep.is_some() {
            return;
        }
        match place.and_then(|place| self.state_of(place)) {
            Some(state) => self.tell(number, Input::State(Ok(state.as_bytes()))),
            None => self.tell(number, Input::State(Err("no answer".to_owned()))),
        }
    }

    pub(crate) fn answer_readings(&mut self, number: u16, readings: Readings) {
        if self.phones[usize::from(number)].asleep.is_none() {
            self.tell(number, Input::Readings(readings));
        }
    }

    fn publish(&mut self, number: u16, sealed: &Sealed) {
        let phone = &mut self.phones[usize::from(number)];
        phone.last_said = self.now;
        let speaker = Speaker { phone: number, link: phone.epoch };
        let from = Party::Phone(number);
        for (topic, bytes) in self.through_the_bug(number, sealed) {
            self.sample(from, topic, &bytes);
            match self.ledger.phone_said(self.now, speaker, topic, &bytes) {
                Ok(what) => {
                    self.trace.note(self.now, Note::Said { from, topic, what });
                    self.send(number, &Rc::new(Parcel { from, topic, bytes }));
                }
                Err(broken) => self.fail(broken),
            }
        }
    }

    /// From a phone to its router.
    pub(crate) fn send(&mut self, number: u16, parcel: &Rc<Parcel>) {
        let phone = &mut self.phones[usize::from(number)];
        let Some(place) = phone.link else { return };
        if phone.weather.mute {
            return phone.outbox.push_back(Rc::clone(parcel));
        }
        let weather = phone.weather;
        if self.chance(weather.loss_out) {
            self.lose_for_good(Party::Phone(number));
            let to = Party::Exo(place);
            return self.trace.note(self.now, Note::Lost { to, topic: parcel.topic });
        }
        let at = if self.chance(weather.strays) {
            self.strays_until(weather.delay)
        } else {
            let wait = self.between(500, 4 * MILLI) + weather.delay;
            let phone = &mut self.phones[usize::from(number)];
            phone.last_out = phone.last_out.max(self.now + wait);
            phone.last_out
        };
        let step = || Step::Arrive { site: place, parcel: Rc::clone(parcel), relayed: false };
        self.queue.push(at, step());
        if self.chance(weather.twice) {
            let later = at + self.between(MILLI, ASTRAY);
            self.queue.push(later, step());
        }
    }

    /// A phone falls asleep: nothing runs, the socket fills.
    pub(crate) fn sleep(&mut self, number: u16) {
        let now = self.now;
        let phone = &mut self.phones[usize::from(number)];
        if phone.member.is_some() && phone.asleep.is_none() {
            phone.asleep = Some(now);
            self.did(Party::Phone(number), "falls asleep");
            self.doubt_link(number);
        }
    }

    /// It wakes: what its socket held comes at once, and so does the news of a dead link.
    pub(crate) fn wake(&mut self, number: u16) {
        let phone = &mut self.phones[usize::from(number)];
        if phone.asleep.take().is_none() {
            return;
        }
        let (lost, epoch) = (phone.link.is_none(), phone.epoch);
        self.did(Party::Phone(number), "wakes");
        self.tell_search(number, Wanted::Tick);
        self.tell(number, Input::Tick);
        self.catch_up(number);
        if lost {
            let at = self.now + self.between(MILLI, 50 * MILLI);
            self.queue.push(at, Step::Break { phone: number, epoch, why: "lost while asleep" });
        }
    }

    /// What was held back passes now.
    pub(crate) fn catch_up(&mut self, number: u16) {
        let phone = &mut self.phones[usize::from(number)];
        if phone.asleep.is_some() {
            return;
        }
        if !phone.weather.mute {
            for parcel in std::mem::take(&mut phone.outbox) {
                self.send(number, &parcel);
            }
        }
        let phone = &mut self.phones[usize::from(number)];
        if !phone.weather.deaf {
            for parcel in std::mem::take(&mut phone.inbox) {
                self.hear(number, &parcel);
            }
        }
    }
}
