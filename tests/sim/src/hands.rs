//! Faults by hand, for tests that tell a story: the same that the seeds draw.

use exo_wire::NodeId;

use crate::{
    faults::Fault,
    phone::Weather,
    queue::SECOND,
    world::{Failure, World},
};

impl World {
    /// Lets that many seconds pass.
    pub fn pass(&mut self, seconds: f64) -> Result<(), Box<Failure>> {
        let until = self.now + (seconds * SECOND as f64) as u64;
        self.run_until(until)
    }

    /// From now on all is to be well: the judge expects everybody joined within 5 s.
    pub fn expect_well(&mut self) {
        self.healed();
    }

    /// From now on nothing is expected.
    pub fn expect_nothing(&mut self) {
        self.judge.disturbed();
    }

    /// The quiet time that began when all was well is over: all that was to come out of it did. Says how many were
    /// long enough to be judged so far.
    pub fn judge_quiet(&mut self) -> Result<u64, Box<Failure>> {
        self.judge_a_quiet_time();
        self.verdict()?;
        Ok(self.tally.judged)
    }

    /// Lets a part of all that phones hear and say come twice, and out of order.
    pub fn astray(&mut self, part: f64) {
        let weather = Weather { twice: part, strays: part, ..Weather::default() };
        let phones = (0..self.config.phones).collect();
        self.fault(&Fault::Weather { phones, weather }, true);
    }

    /// Kills an exo node, or starts it again.
    pub fn exo(&mut self, place: u16, is_up: bool) {
        self.fault(&Fault::KillExo(place), !is_up);
    }

    /// Kills a phone's app, or starts it again.
    pub fn app(&mut self, phone: u16, is_up: bool) {
        self.fault(&Fault::KillPhones(vec![phone]), !is_up);
    }

    /// Lets a phone sleep, or wakes it.
    pub fn asleep(&mut self, phone: u16, is_asleep: bool) {
        self.fault(&Fault::Sleep(vec![phone]), is_asleep);
    }

    /// Moves a phone to another network address.
    pub fn roams(&mut self, phone: u16) {
        self.fault(&Fault::Roam(vec![phone]), true);
    }

    /// Cuts a phone's network in one direction or both, or heals it.
    pub fn cut(&mut self, phone: u16, deaf: bool, mute: bool) {
        let weather = Weather { deaf, mute, ..Weather::default() };
        self.fault(&Fault::Weather { phones: vec![phone], weather }, true);
    }

    /// Lets a part of all that phones hear and say get lost.
    pub fn lossy(&mut self, part: f64) {
        let weather = Weather { loss_in: part, loss_out: part, ..Weather::default() };
        let phones = (0..self.config.phones).collect();
        self.fault(&Fault::Weather { phones, weather }, true);
    }

    /// Splits two exo nodes, or heals that.
    pub fn apart(&mut self, a: u16, b: u16, is_apart: bool) {
        self.fault(&Fault::Split(vec![(a, b)]), is_apart);
    }

    /// Whether a phone is joined.
    pub fn is_joined(&self, phone: u16) -> bool {
        self.phones[usize::from(phone)].joined
    }

    /// The exo node that a phone is linked to.
    pub fn link_of(&self, phone: u16) -> Option<u16> {
        self.phones[usize::from(phone)].link
    }

    /// The id that a phone keeps.
    pub fn id_of(&self, phone: u16) -> &NodeId {
        &self.phones[usize::from(phone)].node_id
    }

    /// The nodes that the master counts, if exo's nodes agree on one.
    pub fn counted(&self) -> Vec<NodeId> {
        self.reign().map(|master| master.state().present().iter().cloned().collect()).unwrap_or_default()
    }

    /// The place of the master, if exo's nodes agree on one.
    pub fn master_at(&self) -> Option<u16> {
        let id = self.reign()?.session().master_node_id.clone();
        let at = self.sites.iter().position(|site| site.exo.as_ref().is_some_and(|exo| *exo.id() == id))?;
        u16::try_from(at).ok()
    }
}
