//! The bus: from a phone to its router, from router to router, and out to every client.

use std::{num::NonZero, rc::Rc};

use exo_node::{
    Now, Random,
    member::{Input, Member},
};
use exo_wire::{
    Topic,
    heard::{self, Event, Global},
};

use crate::{
    exo::{Exo, Said},
    phone::Parcel,
    queue::{MILLI, SECOND, Time},
    trace::{Note, Party, Short},
    world::{Step, World},
};

/// How long an answer to `GET /state` may be given again.
const STATE_IS_FRESH: Time = 100 * MILLI;
/// From so many phones on, telling them takes longer than starting threads for it.
const CROWD: usize = 100;
/// How late a stray or a repeated parcel may be, beside the delay that all have.
pub(crate) const ASTRAY: Time = 400 * MILLI;

impl World {
    /// An exo process starts: a new id, everything forgotten.
    pub(crate) fn boot(&mut self, place: u16) {
        let clock = self.exo_clock();
        let random = Random::seeded(self.random.bits());
        let Some(site) = self.sites.get_mut(usize::from(place)) else { return };
        if site.exo.is_some() {
            return;
        }
        let exo = Exo::start(clock, random);
        let what = format!("starts as {}", exo.id());
        (site.exo, site.run, site.armed, site.state) = (Some(exo), site.run + 1, Time::MAX, None);
        self.did(Party::Exo(place), what);
        for other in 0..self.sites.len() as u16 {
            if other != place {
                let at = self.now + self.between(300 * MILLI, 1000 * MILLI);
                self.queue.push(at, Step::Peer(place, other));
            }
        }
        self.look_at_tokens();
        self.pump(place);
    }

    /// An exo process is killed.
    pub(crate) fn kill(&mut self, place: u16) {
        let Some(site) = self.sites.get_mut(usize::from(place)) else { return };
        if site.exo.take().is_none() {
            return;
        }
        site.peers = 0;
        site.pending.clear();
        let clients = std::mem::take(&mut site.clients);
        self.did(Party::Exo(place), "is killed");
        for other in &mut self.sites {
            other.peers &= !(1 << place);
        }
        for phone in clients {
            let epoch = self.phones[usize::from(phone)].epoch;
            let at = self.now + self.between(MILLI, 50 * MILLI);
            self.queue.push(at, Step::Break { phone, epoch, why: "connection reset" });
        }
        self.look_at_tokens();
    }

    /// Whether something passes from one exo node to the other now.
    fn passes(&self, a: u16, b: u16) -> bool {
        !self.split.iter().any(|pair| *pair == (a, b) || *pair == (b, a))
    }

    pub(crate) fn peer(&mut self, a: u16, b: u16) {
        let both_up = [a, b].iter().all(|place| self.sites[usize::from(*place)].exo.is_some());
        if both_up && self.passes(a, b) {
            self.sites[usize::from(a)].peers |= 1 << b;
            self.sites[usize::from(b)].peers |= 1 << a;
            self.look_at_tokens();
        }
    }

    /// The lease between two exo nodes is up: if nothing passes still, the link is gone.
    pub(crate) fn unpeer(&mut self, a: u16, b: u16) {
        if !self.passes(a, b) {
            self.sites[usize::from(a)].peers &= !(1 << b);
            self.sites[usize::from(b)].peers &= !(1 << a);
            if !self.stuck.is_empty() {
                // Whoever said it: acknowledgements were among it.
                (0..self.config.phones).for_each(|phone| self.lose_for_good(Party::Phone(phone)));
            }
            self.unstick();
            self.look_at_tokens();
        }
    }

    /// The places that a payload from here reaches, in order of distance.
    fn reaches(&self, from: u16, only_what_passes: bool) -> Vec<u16> {
        let mut reached = vec![from];
        let mut at = 0;
        while let Some(&here) = reached.get(at) {
            at += 1;
            for next in 0..self.sites.len() as u16 {
                let is_linked = self.sites[usize::from(here)].peers & (1 << next) != 0;
                if is_linked && !reached.contains(&next) && (!only_what_passes || self.passes(here, next)) {
                    reached.push(next);
                }
            }
        }
        reached
    }

    /// Who sees other tokens than before begins an election.
    fn look_at_tokens(&mut self) {
        let clock = self.exo_clock();
        for place in 0..self.sites.len() as u16 {
            // A node that restarted has a new id: its token is a new one too.
            let sees = self.reaches(place, false).iter().fold(0u8, |mask, other| mask | 1 << other);
            let runs: u32 =
                self.reaches(place, false).iter().map(|other| self.sites[usize::from(*other)].run).sum();
            let seen = sees ^ (runs as u8).wrapping_mul(31);
            let site = &mut self.sites[usize::from(place)];
            if site.sees != seen {
                site.sees = seen;
                if let Some(exo) = &mut site.exo {
                    exo.liveness(clock);
                    self.judge.exo_moved(self.now);
                    self.pump(place);
                }
            }
        }
    }

    /// Every exo node sees a token come or go.
    pub(crate) fn flap_tokens(&mut self) {
        for site in &mut self.sites {
            site.sees = site.sees.wrapping_add(128);
        }
        self.look_at_tokens();
    }

    pub(crate) fn exo_timer(&mut self, place: u16, run: u32) {
        let clock = self.exo_clock();
        let site = &mut self.sites[usize::from(place)];
        if site.run != run {
            return;
        }
        site.armed = Time::MAX;
        if let Some(exo) = &mut site.exo {
            exo.tick(clock);
            self.pump(place);
        }
    }

    /// Publishes what an exo node wants to say, and sets its timer.
    fn pump(&mut self, place: u16) {
        let clock = self.exo_clock();
        loop {
            let site = &mut self.sites[usize::from(place)];
            let Some(exo) = &mut site.exo else { return };
            let Some(said) = exo.poll(clock) else { break };
            self.exo_says(place, said);
        }
        let site = &mut self.sites[usize::from(place)];
        let Some(exo) = &site.exo else { return };
        if exo.is_campaigning() {
            self.judge.exo_moved(self.now);
        }
        if site.session.as_ref() != Some(exo.session()) {
            site.session = Some(exo.session().clone());
            self.judge.exo_moved(self.now);
            if exo.master().is_some() {
                self.tally.sessions += 1;
            }
            let what =
                format!("follows {} of clock {}", exo.session().master_node_id, exo.session().election_clock);
            let who = Party::Exo(place);
            self.trace.note(self.now, Note::Did { who, what });
        }
        let at = (exo.deadline().since_start().as_nanos().div_ceil(1000) as Time).max(self.now);
        if at < site.armed {
            site.armed = at;
            let run = site.run;
            self.queue.push(at, Step::ExoTimer(place, run));
        }
    }

    fn exo_says(&mut self, place: u16, Said { topic, bytes }: Said) {
        let what = if topic == Topic::GlobalEvents {
            match self.ledger.master_said(place, &bytes) {
                Ok(short) => short,
                Err(broken) => return self.fail(broken),
            }
        } else {
            Short::default()
        };
        if topic == Topic::GlobalEvents || self.config.trace {
            self.trace.note(self.now, Note::Said { from: Party::Exo(place), topic, what });
        }
        self.sample(Party::Exo(place), topic, &bytes);
        let parcel = Rc::new(Parcel { from: Party::Exo(place), topic, bytes });
        self.route(place, &parcel);
    }

    /// A payload is at a router: on to the others, and to this one's clients.
    fn route(&mut self, place: u16, parcel: &Rc<Parcel>) {
        let passing = self.reaches(place, true);
        for other in passing.iter().copied().skip(1) {
            self.relay(place, other, parcel);
        }
        if !self.split.is_empty() {
            let linked = self.reaches(place, false).into_iter().filter(|other| !passing.contains(other));
            self.stuck.extend(linked.map(|other| (place, other, Rc::clone(parcel))));
        }
        self.gather(place, parcel);
    }

    fn relay(&mut self, from: u16, to: u16, parcel: &Rc<Parcel>) {
        let at = self.now + self.router_delay(from, to);
        self.queue.push(at, Step::Arrive { site: to, parcel: Rc::clone(parcel), relayed: true });
    }

    /// Constant for a pair of places, so that nothing overtakes on one path.
    fn router_delay(&self, a: u16, b: u16) -> Time {
        let mut random = Random::seeded(self.config.seed ^ u64::from(a) << 8 ^ u64::from(b));
        500 + random.below(4 * MILLI)
    }

    fn gather(&mut self, place: u16, parcel: &Rc<Parcel>) {
        let at = self.now + self.gather;
        let site = &mut self.sites[usize::from(place)];
        let is_for_phones = matches!(parcel.topic, Topic::GlobalEvents | Topic::ElectionMessages);
        if is_for_phones && !site.clients.is_empty() {
            if site.pending.is_empty() {
                self.queue.push(at, Step::HandOut(place));
            }
            site.pending.push(Rc::clone(parcel));
        }
    }

    /// A payload reaches an exo node from a phone or from another one.
    pub(crate) fn arrive(&mut self, place: u16, parcel: &Rc<Parcel>, relayed: bool) {
        let clock = self.exo_clock();
        if self.sites[usize::from(place)].exo.is_none() {
            return;
        }
        if self.chance(self.loss_at_exo) {
            self.lose_for_good(parcel.from);
            let (to, topic) = (Party::Exo(place), parcel.topic);
            self.trace.note(self.now, Note::Lost { to, topic });
        } else if let Some(exo) = &mut self.sites[usize::from(place)].exo {
            exo.hear(clock, parcel.topic, &parcel.bytes);
            self.pump(place);
        }
        if relayed {
            self.gather(place, parcel);
        } else {
            self.route(place, parcel);
        }
    }

    /// A router hands out what gathered. The common case is the fast one: a phone with nothing wrong.
    pub(crate) fn hand_out(&mut self, place: u16) {
        let site = &mut self.sites[usize::from(place)];
        let parcels = std::mem::take(&mut site.pending);
        let clients = site.clients.clone();
        // Read once for all of them.
        let read: Vec<(&Parcel, Option<(Global<'_>, Event<'_>)>)> = parcels
            .iter()
            .map(|parcel| {
                let is_event = parcel.topic == Topic::GlobalEvents;
                let global = heard::global(&parcel.bytes).ok().filter(|_| is_event);
                (&**parcel, global.map(|global| (global.clone(), global.event())))
            })
            .collect();
        let has_bug = self.config.bug.is_some();
        let is_plain = |number: &u16| !has_bug && self.phones[usize::from(*number)].is_plain(self.now);
        let plain: Vec<u16> = clients.iter().copied().filter(is_plain).collect();
        self.feed(&plain, &read);
        let mut plain = plain.into_iter().peekable();
        for number in clients {
            if plain.next_if_eq(&number).is_some() {
                self.follow_up(number);
            } else {
                for parcel in &parcels {
                    self.deliver(number, parcel);
                }
            }
        }
    }

    /// Tells the members of these phones, which are in order, what was read. Members know nothing of each other, so a
    /// crowd of them is told on all cores; what they want is asked afterwards, in order, so that a seed stays a seed.
    fn feed(&mut self, numbers: &[u16], read: &[(&Parcel, Option<(Global<'_>, Event<'_>)>)]) {
        let mut next = numbers.iter().peekable();
        let now = self.now;
        let mut members: Vec<(Now, &mut Member)> = self
            .phones
            .iter_mut()
            .filter(|phone| next.next_if(|number| **number == phone.number).is_some())
            .filter_map(|phone| Some((phone.clock(now), phone.member.as_mut()?)))
            .collect();
        self.tally.heard += (members.len() * read.len()) as u64;
        let tell = |members: &mut [(Now, &mut Member)]| {
            for (clock, member) in members {
                for (parcel, event) in read {
                    let (topic, payload) = (parcel.topic, &*parcel.bytes);
                    member.handle(
                        *clock,
                        match event {
                            Some((global, event)) => Input::Read { global, event, payload },
                            None => Input::Heard { topic, payload },
                        },
                    );
                }
            }
        };
        if members.len() < CROWD {
            return tell(&mut members);
        }
        // Asking costs a few system calls, which a crowd does not notice.
        let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
        let share = members.len().div_ceil(threads);
        std::thread::scope(|scope| {
            for members in members.chunks_mut(share) {
                scope.spawn(move || tell(members));
            }
        });
    }

    /// One payload for one phone, through its weather.
    pub(crate) fn deliver(&mut self, number: u16, parcel: &Rc<Parcel>) {
        let phone = &mut self.phones[usize::from(number)];
        let (weather, epoch) = (phone.weather, phone.epoch);
        if phone.asleep.is_some() || weather.deaf {
            return phone.keep(parcel);
        }
        if self.chance(weather.loss_in) {
            let (to, topic) = (Party::Phone(number), parcel.topic);
            return self.trace.note(self.now, Note::Lost { to, topic });
        }
        let at = if self.chance(weather.strays) {
            self.strays_until(weather.delay)
        } else {
            let phone = &mut self.phones[usize::from(number)];
            phone.last_in = phone.last_in.max(self.now + weather.delay);
            phone.last_in
        };
        if self.chance(weather.twice) {
            let again = Step::Hear { phone: number, epoch, parcel: Rc::clone(parcel) };
            let later = at + self.between(MILLI, ASTRAY);
            self.queue.push(later, again);
        }
        if at == self.now {
            self.hear(number, parcel);
        } else {
            self.queue.push(at, Step::Hear { phone: number, epoch, parcel: Rc::clone(parcel) });
        }
    }

    /// When a parcel arrives that neither waits for those before it nor is waited for.
    pub(crate) fn strays_until(&mut self, delay: Time) -> Time {
        self.now + self.between(0, 2 * delay + ASTRAY)
    }

    /// Something that somebody said will not arrive, unless it is said again.
    pub(crate) fn lose_for_good(&mut self, from: Party) {
        self.judge.lost(self.now);
        if let Party::Phone(number) = from {
            self.phones[usize::from(number)].lost = self.now;
        }
    }

    pub(crate) fn hear_late(&mut self, number: u16, epoch: u32, parcel: &Rc<Parcel>) {
        let phone = &mut self.phones[usize::from(number)];
        if phone.epoch != epoch || phone.link.is_none() {
            return;
        }
        if phone.asleep.is_some() || phone.weather.deaf {
            return phone.keep(parcel);
        }
        self.hear(number, parcel);
    }

    pub(crate) fn hear(&mut self, number: u16, parcel: &Rc<Parcel>) {
        if self.is_kept_back_by_a_bug(number, parcel) {
            return;
        }
        let phone = &mut self.phones[usize::from(number)];
        let clock = phone.clock(self.now);
        if let Some(member) = &mut phone.member {
            self.tally.heard += 1;
            member.handle(clock, Input::Heard { topic: parcel.topic, payload: &parcel.bytes });
            self.follow_up(number);
        }
    }

    /// The state as that exo node knows it.
    pub(crate) fn state_of(&mut self, place: u16) -> Option<Rc<str>> {
        let now = self.now;
        let site = &mut self.sites[usize::from(place)];
        let exo = site.exo.as_ref()?;
        if let Some((at, state)) = &site.state
            && now < at + STATE_IS_FRESH
        {
            return Some(Rc::clone(state));
        }
        let state: Rc<str> = exo.state_json().into();
        site.state = Some((now, Rc::clone(&state)));
        Some(state)
    }

    /// What was held passes now, if the link outlived it; otherwise it is lost.
    fn unstick(&mut self) {
        for (from, to, parcel) in std::mem::take(&mut self.stuck) {
            if self.reaches(from, true).contains(&to) {
                self.relay(from, to, &parcel);
            } else if self.reaches(from, false).contains(&to) {
                self.stuck.push((from, to, parcel));
            }
        }
    }

    /// The links between exo nodes that are split break after their lease; those that heal come back.
    pub(crate) fn split(&mut self, pairs: &[(u16, u16)], begins: bool) {
        for &(a, b) in pairs {
            if begins {
                self.split.push((a, b));
                self.queue.push(self.now + 10 * SECOND, Step::Unpeer(a, b));
            } else {
                self.split.retain(|pair| *pair != (a, b));
                self.unstick();
                let at = self.now + self.between(100 * MILLI, 1200 * MILLI);
                self.queue.push(at, Step::Peer(a, b));
            }
        }
    }
}
