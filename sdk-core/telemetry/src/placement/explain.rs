//! Why each device got its share, and what the next best plan was.
//!
//! A constraint is called binding if the plan gets cheaper without it. That is tried: the constraint is taken out of the
//! problem ([`Binding::relax`]) and the plan is changed around the device. Where time is up the most likely constraint
//! is named, and `gain_s` is absent.

use std::time::Duration;

use super::{
    answer::{Alternative, Binding, DeviceShare, placed},
    bound::Bound,
    clock::{Clock, Deadline},
    cost::{Costs, Unusable, heaviest, usable},
    nearby::{neighbours, neighbours_with},
    plan::{Costed, Plan, Stage},
    problem::{Device, Link, Problem},
    tensor::{Split, share},
    words,
};

/// How long all explanations together may take, and the search for the next best plan.
const TRYING: Duration = Duration::from_millis(150);
const NEXT_BEST: Duration = Duration::from_millis(50);
/// A device that is the fastest already is tried at so many times its speed.
const FASTER: f64 = 2.0;
/// A gain below this share of the cost is rounding.
const REAL_GAIN: f64 = 1e-9;

impl Binding {
    /// The problem without this constraint on one device: memory for the whole model, links that take no time, the speed
    /// of the fastest device. `None` where nothing would change.
    pub fn relax(self, problem: &Problem, device: usize) -> Option<Problem> {
        let mut relaxed = problem.clone();
        let fastest = |rate: fn(&Device) -> f64| problem.devices.iter().map(rate).fold(1.0, f64::max);
        let target = relaxed.devices.get_mut(device)?;
        match self {
            Self::NotAllowed => target.allowed = true,
            Self::TooHot => target.thermal_factor = 1.0,
            Self::NoSpeed => {
                target.flops_per_s = fastest(|device| device.flops_per_s);
                target.memory_bytes_per_s = fastest(|device| device.memory_bytes_per_s);
            }
            Self::Memory => target.memory_bytes = whole_model(problem),
            Self::Speed => {
                target.flops_per_s = fastest(|device| device.flops_per_s).max(target.flops_per_s * FASTER);
                target.memory_bytes_per_s =
                    fastest(|device| device.memory_bytes_per_s).max(target.memory_bytes_per_s * FASTER);
                target.thermal_factor = target.thermal_factor.max(1.0);
            }
            Self::Links => {
                let id = target.id.clone();
                relaxed.links.retain(|link| link.from != id && link.to != id);
                let others =
                    relaxed.devices.iter().map(|other| other.id.clone()).filter(|other| *other != id);
                for other in others {
                    let link = |from: &str, to: &str| Link {
                        from: from.into(),
                        to: to.into(),
                        latency_s: 0.0,
                        bytes_per_s: 1e15,
                    };
                    relaxed.links.extend([link(&id, &other), link(&other, &id)]);
                }
            }
            Self::MaxDevices => relaxed.max_devices = relaxed.max_devices.map(|most| most + 1),
            Self::Nothing => return None,
        }
        Some(relaxed)
    }
}

/// Bytes of everything: what one device needs to hold all.
fn whole_model(problem: &Problem) -> f64 {
    let layers = problem.model.layers.iter().map(|layer| super::cost::layer_need(problem, layer));
    layers.sum::<f64>() + problem.model.embedding_bytes + problem.model.head_bytes
}

/// What each device of a problem got in a pipeline. Constraints are tried only with a clock.
pub(super) fn shares(
    problem: &Problem,
    costs: &Costs,
    best: Option<&Costed>,
    clock: Option<Clock<'_>>,
) -> Vec<DeviceShare> {
    let deadline = clock.map(|clock| Deadline::new(clock, Duration::MAX).within(TRYING));
    let place_of = |index: usize| costs.usable.binary_search(&index).ok();
    (0..problem.devices.len())
        .map(|index| {
            let Some(device) = place_of(index) else { return refused(problem, index) };
            let Some(best) = best else { return unplanned(problem, index) };
            let explained = Explained { problem, costs, best, index, device };
            explained.share(deadline.as_ref())
        })
        .collect()
}

/// A device that cannot be in any plan.
fn refused(problem: &Problem, index: usize) -> DeviceShare {
    let device = &problem.devices[index];
    let (binding, why) = match usable(problem, &heaviest(problem), device) {
        Err(Unusable::TooHot) => (Binding::TooHot, "not used: it is too hot to work (thermal_factor 0)"),
        Err(Unusable::NoSpeed) => (Binding::NoSpeed, "not used: its speed is 0, so a layer would never end"),
        _ => (Binding::NotAllowed, "not used: its owner does not allow it"),
    };
    DeviceShare { id: device.id.clone(), layers: 0, why: why.to_owned(), binding, gain_s: None }
}

/// A device that could work, in a problem that has no plan.
fn unplanned(problem: &Problem, index: usize) -> DeviceShare {
    let device = &problem.devices[index];
    let why =
        format!("not used: there is no plan, though it has {} to give", words::bytes(device.memory_bytes));
    DeviceShare { id: device.id.clone(), layers: 0, why, binding: Binding::Nothing, gain_s: None }
}

/// One device of a plan, or beside it.
struct Explained<'a> {
    problem: &'a Problem,
    costs: &'a Costs,
    best: &'a Costed,
    /// Its place in the problem, and among those that can work.
    index: usize,
    device: usize,
}

impl Explained<'_> {
    fn share(&self, deadline: Option<&Deadline<'_>>) -> DeviceShare {
        let layers = self.best.plan.layers_on(self.device);
        let (binding, gain_s) = self.binding(layers, deadline);
        let why = if deadline.is_some() { self.sentence(layers, binding, gain_s) } else { String::new() };
        DeviceShare { id: self.problem.devices[self.index].id.clone(), layers, why, binding, gain_s }
    }

    /// The first constraint without which the plan gets cheaper.
    fn binding(&self, layers: usize, deadline: Option<&Deadline<'_>>) -> (Binding, Option<f64>) {
        if layers == self.costs.layers {
            return (Binding::Nothing, None);
        }
        let tried: &[Binding] = if layers > 0 {
            &[Binding::Memory, Binding::Speed]
        } else {
            &[Binding::MaxDevices, Binding::Links, Binding::Speed, Binding::Memory]
        };
        for &binding in tried {
            let Some(deadline) = deadline.filter(|deadline| !deadline.has_passed()) else {
                return (self.guess(layers), None);
            };
            if let Some(gain) = self.gain_without(binding, deadline) {
                return (binding, Some(gain));
            }
        }
        let is_late = deadline.is_none_or(Deadline::has_passed);
        (if is_late { self.guess(layers) } else { Binding::Nothing }, None)
    }

    /// How much cheaper the plan gets without a constraint, if it does.
    fn gain_without(&self, binding: Binding, deadline: &Deadline<'_>) -> Option<f64> {
        let is_full = self.problem.max_devices == Some(self.best.plan.stages().len());
        if binding == Binding::MaxDevices && !is_full {
            return None;
        }
        let relaxed = binding.relax(self.problem, self.index)?;
        let costs = Costs::new(&relaxed);
        let plans = neighbours_with(&costs, &self.best.plan, self.device);
        let in_time = plans.take_while(|_| !deadline.has_passed());
        let cost = in_time.map(|plan| plan.cost).fold(f64::INFINITY, f64::min);
        let gain = self.best.cost - cost;
        (gain > self.best.cost * REAL_GAIN).then_some(gain)
    }

    /// The most likely constraint, where nothing can be tried.
    fn guess(&self, layers: usize) -> Binding {
        let one_more = (0..self.costs.layers)
            .map(|start| Stage {
                device: self.device,
                start,
                end: (start + layers + 1).min(self.costs.layers),
            })
            .any(|stage| self.costs.fits(&stage));
        if one_more { Binding::Speed } else { Binding::Memory }
    }

    fn sentence(&self, layers: usize, binding: Binding, gain: Option<f64>) -> String {
        let memory = words::bytes(self.costs.memory[self.device]);
        let saves = match gain {
            Some(gain) => {
                let otherwise = if binding == Binding::Speed {
                    "as fast as the fastest it"
                } else {
                    "without that the plan"
                };
                format!("; {otherwise} saves {}", words::percent(gain / self.best.cost))
            }
            None if binding != Binding::Nothing => " (most likely: there was no time to try)".to_owned(),
            None => String::new(),
        };
        if layers == self.costs.layers {
            return format!(
                "all {}: the model fits into its {memory}, and no other plan is faster",
                words::layers(layers)
            );
        }
        let got = if layers > 0 { words::layers(layers) } else { "not used".to_owned() };
        let reason = match binding {
            Binding::Memory if layers > 0 => format!("its memory is the limit: no more fit into {memory}"),
            Binding::Memory => {
                format!("its memory is the limit: too little fits into {memory} to be worth a hop")
            }
            Binding::Links => "its links are the limit: the hops take longer than it saves".to_owned(),
            Binding::Speed if layers > 0 => "its speed is the limit: others do the rest faster".to_owned(),
            Binding::Speed => "its speed is the limit: others do its work faster".to_owned(),
            Binding::MaxDevices => {
                format!("max_devices is the limit: {} are in the plan", self.best.plan.stages().len())
            }
            _ if layers > 0 => "no single limit of it holds the plan back".to_owned(),
            _ => "the others do all, and no single limit of it keeps it out".to_owned(),
        };
        format!("{got}: {reason}{saves}")
    }
}

/// What each device of a problem got in a tensor plan.
pub(super) fn split_shares(problem: &Problem, costs: &Costs, split: &Split) -> Vec<DeviceShare> {
    let parts = split.devices.len();
    let needed = share(costs, parts);
    (0..problem.devices.len())
        .map(|index| {
            let Ok(device) = costs.usable.binary_search(&index) else { return refused(problem, index) };
            let id = problem.devices[index].id.clone();
            let memory = costs.memory[device];
            if split.devices.contains(&device) {
                let why =
                    format!("a share of 1/{parts} of every layer, {} of its memory", words::bytes(needed));
                return DeviceShare {
                    id,
                    layers: costs.layers,
                    why,
                    binding: Binding::Nothing,
                    gain_s: None,
                };
            }
            let (binding, why) = if memory < needed {
                let (needed, memory) = (words::bytes(needed), words::bytes(memory));
                (
                    Binding::Memory,
                    format!("not used: its memory is the limit: a share takes {needed}, it has {memory}"),
                )
            } else {
                (Binding::Speed, format!("not used: {parts} others are faster together with their links"))
            };
            DeviceShare { id, layers: 0, why, binding, gain_s: None }
        })
        .collect()
}

/// The best plan with other devices or another order of them that small changes lead to.
pub(super) fn next_best(
    problem: &Problem,
    costs: &Costs,
    best: &Costed,
    clock: Clock<'_>,
) -> Option<Alternative> {
    let deadline = Deadline::new(clock, Duration::MAX).within(NEXT_BEST);
    let bound = Bound::new(costs);
    let order = best.plan.devices();
    let mut next: Option<Costed> = None;
    let alone = (0..costs.devices()).map(|device| Plan::alone(device, costs.layers));
    let alone = alone.filter_map(|plan| costs.of(&plan).map(|cost| Costed { plan, cost }));
    for plan in alone.chain(neighbours(costs, &bound, &best.plan)) {
        // The same devices at the same cost are the same plan in another guise.
        let is_other = plan.plan.devices() != order
            && (plan.cost > best.cost * (1.0 + REAL_GAIN) || !plan.plan.has_devices_of(&best.plan));
        if is_other {
            next = Costed::better(next, Some(plan));
        }
        if deadline.has_passed() {
            break;
        }
    }
    Some(alternative(problem, costs, &next?, best.cost))
}

/// A plan that was not chosen, against one that was.
pub(super) fn alternative(problem: &Problem, costs: &Costs, plan: &Costed, chosen: f64) -> Alternative {
    let worse_by = if chosen > 0.0 { (plan.cost / chosen - 1.0).max(0.0) } else { 0.0 };
    Alternative { stages: placed(problem, costs, &plan.plan), cost_s: plan.cost, worse_by }
}
