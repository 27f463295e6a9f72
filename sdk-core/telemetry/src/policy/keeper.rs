//! The policy over time: drain before stop, and no coming and going.

use super::{Allowance, Policy, Surroundings, rules::Margin};
use crate::now::Moment;

/// The most that work under way may use of a device on which no new work is taken.
const WHILE_DRAINING: f64 = 0.5;

/// What the node does now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Work is taken and done.
    Working,
    /// No new work is taken; what is under way may finish, or be handed to another device, until then.
    Draining {
        /// The end of it.
        until: Moment,
    },
    /// Nothing is done.
    Stopped,
}

/// Keeps the policy: call [`observe`](Self::observe) on each reading, and again at the [`deadline`](Self::deadline).
#[derive(Debug, Clone)]
pub struct PolicyKeeper {
    policy: Policy,
    state: State,
    allowance: Allowance,
    /// Since when all rules say yes with a margin, while we do not work.
    calm_since: Option<Moment>,
    observed: bool,
}

impl PolicyKeeper {
    /// Nothing was read yet, so nothing is allowed yet.
    pub fn new(policy: Policy) -> Self {
        let allowance =
            Allowance { share: 0.0, admit: false, memory: policy.memory_cap, reasons: Vec::new() };
        Self { policy, state: State::Stopped, allowance, calm_since: None, observed: false }
    }

    /// The owner changed the rules. They hold from the next reading on, which should come at once; an owner who
    /// allows more does not have to wait.
    pub fn set_policy(&mut self, policy: Policy) {
        self.policy = policy;
        self.observed = self.state == State::Working && self.observed;
    }

    /// The rules.
    pub const fn policy(&self) -> &Policy {
        &self.policy
    }

    /// What the node does now.
    pub const fn state(&self) -> State {
        self.state
    }

    /// What is allowed now.
    pub const fn allowance(&self) -> &Allowance {
        &self.allowance
    }

    /// When to observe again even if no reading comes before.
    pub fn deadline(&self) -> Option<Moment> {
        let resume = self.calm_since.map(|since| since + self.policy.settle);
        match (self.state, resume) {
            (State::Draining { until }, Some(resume)) => Some(until.min(resume)),
            (State::Draining { until }, None) => Some(until),
            (_, resume) => resume,
        }
    }

    /// The work that was under way has ended or moved away: there is nothing left to drain.
    pub fn work_ended(&mut self) {
        if matches!(self.state, State::Draining { .. }) {
            self.stop();
        }
    }

    /// A reading, or the deadline. Says what is allowed from now on.
    pub fn observe(&mut self, now: Moment, around: &Surroundings<'_>) -> &Allowance {
        let plain = self.policy.evaluate(around);
        if self.state == State::Working {
            self.go_on(now, plain);
        } else {
            self.wait(now, plain, around);
        }
        self.observed = true;
        &self.allowance
    }

    fn go_on(&mut self, now: Moment, plain: Allowance) {
        if plain.admit {
            self.allowance = plain;
            return;
        }
        let share = self.allowance.share.min(WHILE_DRAINING);
        self.state = State::Draining { until: now + self.policy.drain };
        self.calm_since = None;
        self.allowance = Allowance { share, ..plain };
    }

    fn wait(&mut self, now: Moment, plain: Allowance, around: &Surroundings<'_>) {
        let strict = self.policy.with_margin(around, Margin::TO_RESUME);
        let first = !self.observed;
        self.calm_since = strict.admit.then(|| self.calm_since.unwrap_or(now));
        let calm = self.calm_since.is_some_and(|since| now.since(since) >= self.policy.settle);
        if calm || (first && plain.admit) {
            (self.state, self.calm_since, self.allowance) = (State::Working, None, plain);
            return;
        }
        if let State::Draining { until } = self.state
            && until <= now
        {
            self.stop();
        }
        // The reasons of the stricter look: they say what is still waited for.
        let reasons = if plain.admit { strict.reasons } else { plain.reasons };
        self.allowance = Allowance { reasons, admit: false, ..self.allowance.clone() };
        self.allowance.memory = self.policy.memory_cap;
    }

    fn stop(&mut self) {
        self.state = State::Stopped;
        self.allowance.share = 0.0;
    }
}
