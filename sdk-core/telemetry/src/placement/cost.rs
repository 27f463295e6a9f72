//! What a plan costs and whether it fits: the one place that knows, for every solver and for the check at the end.
//!
//! * a layer on a device: `max(bytes / memory_bytes_per_s, flops / flops_per_s) / thermal_factor`
//! * the head, on the last stage: `head_bytes / memory_bytes_per_s / thermal_factor`
//! * a hop: `latency_s + activation_bytes / bytes_per_s` of that directed link; the last stage returns to the first
//! * memory of a stage: its layers and their context, the embedding on the first stage, the head on the last

use std::cell::OnceCell;

use super::{
    names::Names,
    pace::wholes,
    plan::{Plan, Stage},
    problem::{Device, Layer, LinkSpeed, Objective, Problem, ratio},
};

/// Numbers of one problem, laid out for search. Devices are counted among those that can work.
#[derive(Debug, Clone)]
pub(super) struct Costs {
    /// For each device that can work, its place in the problem.
    pub(super) usable: Vec<usize>,
    /// How many layers there are.
    pub(super) layers: usize,
    /// The most stages of a plan.
    pub(super) most: usize,
    /// What to minimise.
    pub(super) objective: Objective,
    /// What the first stage holds besides its layers.
    pub(super) embedding: f64,
    /// What the last stage holds besides its layers.
    pub(super) head: f64,
    /// Memory of each device.
    pub(super) memory: Vec<f64>,
    /// Seconds that each device takes for the head.
    pub(super) head_time: Vec<f64>,
    /// Whether all layers are the same.
    pub(super) alike: bool,
    /// Seconds of all layers on each device but for rounding: to compare devices by.
    pub(super) whole: Vec<f64>,
    /// What the times of layers are made of: layers, and for each device what it does with them.
    work: Vec<Layer>,
    rates: Vec<Rates>,
    /// Seconds of the layers before each layer, a row for each device that was asked for: most plans of large problems
    /// pass few of the devices, and all rows of the largest take 32 MiB.
    times: Vec<OnceCell<Vec<f64>>>,
    /// Bytes of the layers before each layer.
    needs: Vec<f64>,
    /// Seconds of a hop, a row for each sender.
    hops: Vec<f64>,
}

/// How fast a device is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rates {
    pub(super) bytes: f64,
    pub(super) flops: f64,
    /// The share of both that heat leaves.
    pub(super) thermal: f64,
}

impl Rates {
    pub(super) fn of(device: &Device) -> Self {
        Self { bytes: device.memory_bytes_per_s, flops: device.flops_per_s, thermal: device.thermal_factor }
    }

    /// Seconds of one layer.
    pub(super) fn time(&self, layer: &Layer) -> f64 {
        ratio(layer.bytes, self.bytes).max(ratio(layer.flops, self.flops)) / self.thermal
    }
}

/// Seconds of one layer on one device.
pub(super) fn layer_time(layer: &Layer, device: &Device) -> f64 {
    Rates::of(device).time(layer)
}

/// Seconds of the head on one device.
pub(super) fn head_time(problem: &Problem, device: &Device) -> f64 {
    ratio(problem.model.head_bytes, device.memory_bytes_per_s) / device.thermal_factor
}

/// Bytes that one layer takes with its context.
pub(super) fn layer_need(problem: &Problem, layer: &Layer) -> f64 {
    layer.bytes + layer.kv_bytes_per_token * problem.workload.context_tokens
}

/// Why a device cannot work at all, whatever the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unusable {
    /// Its owner said no.
    NotAllowed,
    /// Its thermal factor is 0.
    TooHot,
    /// A rate of 0: some layer or the head would never end.
    NoSpeed,
}

/// The most of each number that any layer has: a device that ends this layer ends them all.
pub(super) fn heaviest(problem: &Problem) -> Layer {
    let most = |of: fn(&Layer) -> f64| problem.model.layers.iter().map(of).fold(0.0, f64::max);
    Layer {
        bytes: most(|layer| layer.bytes),
        flops: most(|layer| layer.flops),
        kv_bytes_per_token: most(|layer| layer.kv_bytes_per_token),
    }
}

/// Whether a device may be in a plan.
pub(super) fn usable(problem: &Problem, heaviest: &Layer, device: &Device) -> Result<(), Unusable> {
    if !device.allowed {
        return Err(Unusable::NotAllowed);
    }
    if device.thermal_factor <= 0.0 {
        return Err(Unusable::TooHot);
    }
    let ends = layer_time(heaviest, device).is_finite() && head_time(problem, device).is_finite();
    if ends { Ok(()) } else { Err(Unusable::NoSpeed) }
}

impl Costs {
    /// Lays out a problem that was checked.
    pub(super) fn new(problem: &Problem) -> Self {
        Self::joined(problem, links(problem, |link| problem.hop(link)))
    }

    /// Lays out a problem that was checked and has these hops between its devices, a row for each sender.
    pub(super) fn joined(problem: &Problem, mut hops: Vec<f64>) -> Self {
        let layers = &problem.model.layers;
        let alike = layers.windows(2).all(|pair| pair[0] == pair[1]);
        let heaviest = heaviest(problem);
        let usable: Vec<usize> = (0..problem.devices.len())
            .filter(|&index| usable(problem, &heaviest, &problem.devices[index]).is_ok())
            .collect();
        if usable.len() < problem.devices.len() {
            let pairs = usable.iter().flat_map(|&from| usable.iter().map(move |&to| (from, to)));
            hops = pairs.map(|(from, to)| hops[from * problem.devices.len() + to]).collect();
        }
        let rates: Vec<Rates> = usable.iter().map(|&index| Rates::of(&problem.devices[index])).collect();
        let needs = sums(layers, alike, |layer| layer_need(problem, layer));
        let most = problem.max_devices.unwrap_or(usize::MAX).min(usable.len()).min(layers.len());
        Self {
            layers: layers.len(),
            most,
            objective: problem.objective,
            embedding: problem.model.embedding_bytes,
            head: problem.model.head_bytes,
            memory: usable.iter().map(|&index| problem.devices[index].memory_bytes).collect(),
            head_time: usable.iter().map(|&index| head_time(problem, &problem.devices[index])).collect(),
            alike,
            whole: wholes(layers, alike, &rates),
            work: layers.clone(),
            times: vec![OnceCell::new(); rates.len()],
            rates,
            needs,
            hops,
            usable,
        }
    }

    /// How many devices can work.
    pub(super) fn devices(&self) -> usize {
        self.usable.len()
    }

    /// Seconds of the layers before each layer on a device; one more entry than layers.
    pub(super) fn times(&self, device: usize) -> &[f64] {
        self.times[device]
            .get_or_init(|| sums(&self.work, self.alike, |layer| self.rates[device].time(layer)))
    }

    /// The layers, and how fast each device is.
    pub(super) fn paces(&self) -> (&[Layer], &[Rates]) {
        (&self.work, &self.rates)
    }

    /// Seconds of the layers `start..end` on a device.
    pub(super) fn time(&self, device: usize, start: usize, end: usize) -> f64 {
        let times = self.times(device);
        times[end] - times[start]
    }

    /// Bytes of the layers `start..end`. Alike layers are multiplied, so that where they start makes no difference.
    pub(super) fn need(&self, start: usize, end: usize) -> f64 {
        if self.alike { self.needs[1] * (end - start) as f64 } else { self.needs[end] - self.needs[start] }
    }

    /// Bytes that a stage must hold.
    pub(super) fn stage_need(&self, stage: &Stage) -> f64 {
        let embedding = if stage.start == 0 { self.embedding } else { 0.0 };
        let head = if stage.end == self.layers { self.head } else { 0.0 };
        self.need(stage.start, stage.end) + embedding + head
    }

    /// Whether a stage fits into its device.
    pub(super) fn fits(&self, stage: &Stage) -> bool {
        self.stage_need(stage) <= self.memory[stage.device]
    }

    /// Seconds of the activations from one device to another.
    pub(super) fn hop(&self, from: usize, to: usize) -> f64 {
        self.hops[from * self.devices() + to]
    }

    /// The hops from one device to each other.
    pub(super) fn hops_from(&self, from: usize) -> &[f64] {
        &self.hops[from * self.devices()..(from + 1) * self.devices()]
    }

    /// The hop that all pairs share, if they share one.
    pub(super) fn uniform_hop(&self) -> Option<f64> {
        let n = self.devices();
        let first = if n < 2 { 0.0 } else { self.hop(0, 1) };
        let same =
            (0..n).all(|i| self.hops_from(i).iter().enumerate().all(|(j, &hop)| i == j || hop == first));
        same.then_some(first)
    }

    /// For each device, the least that any hop from it can take.
    pub(super) fn least_hops(&self) -> Vec<f64> {
        (0..self.devices())
            .map(|i| {
                let others = self.hops_from(i).iter().enumerate().filter(|&(j, _)| i != j);
                others.fold(f64::INFINITY, |least, (_, &hop)| least.min(hop))
            })
            .collect()
    }

    /// For each device, the least that any hop to it can take.
    pub(super) fn least_hops_to(&self) -> Vec<f64> {
        let n = self.devices();
        let others = |j: usize| (0..n).filter(move |&i| i != j);
        (0..n).map(|j| others(j).fold(f64::INFINITY, |least, i| least.min(self.hop(i, j)))).collect()
    }

    /// What a plan costs, or `None` if it is no plan of this problem: a gap, a device twice, too little memory, a link
    /// that does not exist, too many devices.
    pub(super) fn of(&self, plan: &Plan) -> Option<f64> {
        self.summed(plan, |stage| self.time(stage.device, stage.start, stage.end))
    }

    /// The same but for rounding, of a plan whose devices may not be looked at again: each layer is timed on its device,
    /// and no rows are made.
    pub(super) fn of_once(&self, plan: &Plan) -> Option<f64> {
        self.summed(plan, |stage| {
            let rates = self.rates[stage.device];
            self.work[stage.start..stage.end].iter().map(|layer| rates.time(layer)).sum()
        })
    }

    fn summed(&self, plan: &Plan, time: impl Fn(&Stage) -> f64) -> Option<f64> {
        let stages = plan.stages();
        if stages.is_empty() || stages.len() > self.most {
            return None;
        }
        let mut used = vec![false; self.devices()];
        let (mut at, mut sum, mut largest) = (0, 0.0, 0.0_f64);
        for (index, stage) in stages.iter().enumerate() {
            let valid = stage.start == at && stage.end > at && stage.end <= self.layers && self.fits(stage);
            if !valid || std::mem::replace(&mut used[stage.device], true) {
                return None;
            }
            at = stage.end;
            let head = if at == self.layers { self.head_time[stage.device] } else { 0.0 };
            let next = stages[(index + 1) % stages.len()].device;
            let hop = if stages.len() > 1 { self.hop(stage.device, next) } else { 0.0 };
            let spent = time(stage) + head + hop;
            sum += spent;
            largest = largest.max(spent);
        }
        let cost = match self.objective {
            Objective::Latency => sum,
            Objective::Throughput => largest,
        };
        (at == self.layers && cost.is_finite()).then_some(cost)
    }
}

/// The running sums of one number of each layer, beginning with 0.
fn sums(layers: &[Layer], alike: bool, of: impl Fn(&Layer) -> f64) -> Vec<f64> {
    let mut sums = Vec::with_capacity(layers.len() + 1);
    sums.push(0.0);
    if let (true, Some(layer)) = (alike, layers.first()) {
        let one = of(layer);
        sums.extend((1..=layers.len()).map(|count| count as f64 * one));
        return sums;
    }
    // Numbers first, sums then: numbers do not wait for each other.
    sums.extend(layers.iter().map(of));
    let mut sum = 0.0;
    for number in &mut sums {
        sum += *number;
        *number = sum;
    }
    sums
}

/// Something of the directed links between all devices, a row for each sender. `None` is where there is none. What the
/// default link gives is asked once: a thousand devices have a million pairs.
pub(super) fn links<T: Clone>(problem: &Problem, of: impl Fn(Option<LinkSpeed>) -> T) -> Vec<T> {
    let n = problem.devices.len();
    let mut links = vec![of(problem.default_link); n * n];
    let mut names = Names::new(&problem.devices);
    for link in &problem.links {
        if let Ok((from, to)) = names.ends(link) {
            links[from * n + to] = of(Some(link.speed()));
        }
    }
    links
}
