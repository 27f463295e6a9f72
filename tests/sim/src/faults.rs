//! What goes wrong, and when: drawn from the seed.
//!
//! Faults come in episodes. After each everything is healed and stays so for a while, in which the world must be well
//! again; see [`judge`](crate::judge).

use exo_node::member::Input;

use crate::{
    phone::Weather,
    queue::{SECOND, Time},
    world::{Step, World},
};

/// Something that goes wrong for a while.
#[derive(Debug, Clone)]
pub(crate) enum Fault {
    /// The network of some phones is bad.
    Weather { phones: Vec<u16>, weather: Weather },
    /// Nothing passes between these exo nodes.
    Split(Vec<(u16, u16)>),
    /// exo nodes miss a part of what they should hear: their channel drops silently when it is full.
    LossAtExo(f64),
    /// An exo node is killed, and started again with a new id and clocks from 0.
    KillExo(u16),
    /// Apps are killed, and started again.
    KillPhones(Vec<u16>),
    /// Phones sleep: their clocks jump when they wake.
    Sleep(Vec<u16>),
    /// The wall clock of some phones jumps by so many seconds.
    WallClock(Vec<u16>, i64),
    /// `GET /state` fails that often.
    Http(f64),
    /// Phones change their address: the link is dead, and nobody said so but the system.
    Roam(Vec<u16>),
}

/// A time in which things go wrong.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Episode {
    until: Time,
}

impl World {
    /// Plans all episodes. The last minute is quiet.
    pub(crate) fn plan_episodes(&mut self, from: Time) {
        let end = (Time::from(self.config.minutes) * 60 * SECOND).saturating_sub(60 * SECOND);
        let mut at = from;
        loop {
            let until = at + self.between(4 * SECOND, 45 * SECOND);
            if until > end {
                return;
            }
            self.queue.push(at, Step::Plan(Episode { until }));
            self.queue.push(until, Step::Healed);
            at = until + self.between(25 * SECOND, 35 * SECOND);
        }
    }

    pub(crate) fn begin_episode(&mut self, Episode { until }: Episode) {
        self.judge_a_quiet_time();
        self.judge.disturbed();
        for _ in 0..=self.random.below(4) {
            let begins = self.now + self.between(0, (until - self.now) / 2);
            // Half of them last until everything is healed at once.
            let ends = if self.chance(0.5) { until } else { self.between(begins + 1, until) };
            let fault = self.draw_fault();
            self.tally.faults += 1;
            self.queue.push(begins, Step::Fault { fault: fault.clone(), begins: true });
            self.queue.push(ends, Step::Fault { fault, begins: false });
        }
    }

    fn draw_fault(&mut self) -> Fault {
        let exos = self.sites.len() as u64;
        // With very many phones a new session costs so many events that few are enough.
        let kinds = if self.config.phones > 100 && self.random.below(4) > 0 { 10 } else { 13 };
        let phones = self.some_phones();
        match self.random.below(kinds) {
            0 => self.weather(phones, |world| Weather { loss_in: world.part(), ..Weather::default() }),
            1 => self.weather(phones, |world| Weather { loss_out: world.part(), ..Weather::default() }),
            2 => self.weather(phones, |world| Weather {
                delay: world.between(50_000, SECOND),
                twice: world.part(),
                strays: world.part(),
                loss_in: world.part() / 4.0,
                ..Weather::default()
            }),
            3 => self.weather(phones, |_| Weather { deaf: true, mute: true, ..Weather::default() }),
            4 => self.weather(phones, |world| {
                let deaf = world.random.below(2) == 0;
                Weather { deaf, mute: !deaf, ..Weather::default() }
            }),
            5 => Fault::Sleep(phones),
            6 => Fault::KillPhones(phones),
            7 => Fault::Roam(phones),
            8 => match self.random.below(2) {
                0 => Fault::Http(0.3 + self.part()),
                _ => Fault::WallClock(phones, self.random.below(2_000_000) as i64 - 1_000_000),
            },
            9 => self.weather(phones, |world| Weather {
                twice: world.part(),
                strays: world.part(),
                ..Weather::default()
            }),
            10 => Fault::LossAtExo(self.part() / 2.0),
            11 if exos > 1 => {
                let one = self.random.below(exos) as u16;
                let others = (0..exos as u16).filter(|other| *other != one);
                Fault::Split(others.map(|other| (one.min(other), one.max(other))).collect())
            }
            _ => Fault::KillExo(self.random.below(exos) as u16),
        }
    }

    fn weather(&mut self, phones: Vec<u16>, weather: impl FnOnce(&mut Self) -> Weather) -> Fault {
        let weather = weather(self);
        Fault::Weather { phones, weather }
    }

    /// Something between 0.05 and 0.55.
    fn part(&mut self) -> f64 {
        0.05 + self.random.fraction() / 2.0
    }

    fn some_phones(&mut self) -> Vec<u16> {
        let all = u64::from(self.config.phones);
        let most = if all > 100 { all / 50 } else { all };
        let count = 1 + self.random.below(most.max(1));
        let mut phones: Vec<u16> = (0..count).map(|_| self.random.below(all.max(1)) as u16).collect();
        phones.sort_unstable();
        phones.dedup();
        phones.retain(|phone| *phone < self.config.phones);
        phones
    }

    pub(crate) fn fault(&mut self, fault: &Fault, begins: bool) {
        self.told(format!("{} {fault:?}", if begins { "begins:" } else { "ends:" }));
        match fault {
            Fault::Weather { phones, weather } => {
                for phone in phones {
                    let weather = if begins { *weather } else { Weather::default() };
                    self.set_weather(*phone, weather);
                }
            }
            Fault::Split(pairs) => self.split(pairs, begins),
            Fault::LossAtExo(part) => self.loss_at_exo = if begins { *part } else { 0.0 },
            Fault::KillExo(site) if begins => self.kill(*site),
            Fault::KillExo(site) => self.boot(*site),
            Fault::KillPhones(phones) if begins => phones.iter().for_each(|phone| self.stop(*phone)),
            Fault::KillPhones(phones) => phones.iter().for_each(|phone| self.start(*phone)),
            Fault::Sleep(phones) if begins => phones.iter().for_each(|phone| self.sleep(*phone)),
            Fault::Sleep(phones) => phones.iter().for_each(|phone| self.wake(*phone)),
            Fault::WallClock(phones, by) if begins => {
                for phone in phones {
                    self.phones[usize::from(*phone)].wall += by;
                }
            }
            Fault::Http(part) => self.http_fails = if begins { part.min(1.0) } else { 0.0 },
            Fault::Roam(phones) if begins => phones.iter().for_each(|phone| self.roam(*phone)),
            Fault::WallClock(..) | Fault::Roam(_) => {}
        }
    }

    fn set_weather(&mut self, number: u16, weather: Weather) {
        self.phones[usize::from(number)].weather = weather;
        if weather.deaf || weather.mute {
            self.doubt_link(number);
        }
        self.catch_up(number);
    }

    /// The old link's packets go nowhere; the system says that the network changed.
    fn roam(&mut self, number: u16) {
        let phone = &self.phones[usize::from(number)];
        if phone.asleep.is_none() && phone.member.is_some() {
            // The router keeps its end for a lease, but whatever it sends is lost: as if unlinked, untold.
            self.unlink(number);
            self.move_search(number);
            self.tell(number, Input::NetworkChanged);
        }
    }

    /// Everything is well again.
    pub(crate) fn healed(&mut self) {
        self.told("everything is healed");
        (self.loss_at_exo, self.http_fails) = (0.0, 0.0);
        let split = self.split.clone();
        self.split(&split, false);
        for place in 0..self.sites.len() as u16 {
            self.boot(place);
        }
        for phone in 0..self.config.phones {
            self.set_weather(phone, Weather::default());
            self.wake(phone);
            self.start(phone);
        }
        self.judge.healed(self.now);
    }
}
