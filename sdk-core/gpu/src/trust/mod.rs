//! Trust: a kernel is believed on a device only after it gave known answers there.
//!
//! Drivers of phones miscompile shaders. So the first time that a kernel is used on a device it computes small
//! cases of odd shapes ([`cases`]) whose answers are known in f64 ([`answers`]), and the [`Verdict`] is kept in the
//! [registry](crate::registry) by device, driver and kernel version. A kernel that lies is replaced by the CPU's,
//! operation by operation ([`substitute`]), and reported.

mod answers;
mod cases;
mod examine;
pub(crate) mod substitute;
mod value;

#[cfg(test)]
pub(crate) use answers::recurrence;

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    hash::{DefaultHasher, Hash, Hasher},
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use serde::{Deserialize, Serialize};

use examine::Plan;

use crate::{
    Device, Result, Tensor,
    backend::{Action, Work},
    op::Op,
    registry::{DeviceKey, Registry},
};

/// What a self-test said of a kernel on this device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Its answers are right within the bound.
    Trusted,
    /// It gave a wrong answer; the CPU computes in its place.
    Wrong {
        /// The case, the element, what came and what was expected.
        reason: String,
    },
    /// It could not be run; the CPU computes in its place.
    Failed {
        /// What the driver said.
        reason: String,
    },
}

impl Verdict {
    /// Whether the kernel may be used.
    pub fn is_trusted(&self) -> bool {
        *self == Self::Trusted
    }
}

/// The outcome of one kernel's self-test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelReport {
    /// The kernel; on the CPU backend the operation.
    pub kernel: String,
    /// What was found.
    pub verdict: Verdict,
    /// Largest error seen, as a part of the bound: 1.0 is the most that is trusted.
    pub worst_error: f64,
    /// How many cases were computed.
    pub cases: u32,
    /// How long they took.
    pub elapsed: Duration,
}

/// How far a self-test has come.
#[derive(Clone, Debug)]
pub struct SelfTestProgress {
    /// Kernels that are done.
    pub done: usize,
    /// Kernels in all.
    pub total: usize,
    /// The one that comes next, or the last one at the end.
    pub kernel: String,
}

/// Signatures that are remembered at most.
const MOST_KNOWN: usize = 4096;

/// The verdicts of one device.
pub(crate) struct Trust {
    registry: Arc<Registry>,
    key: DeviceKey,
    /// The kernels of this build, with their versions.
    kernels: HashMap<&'static str, u64>,
    verdicts: Mutex<HashMap<String, Verdict>>,
    /// Operations whose kernels are all trusted, by their signatures: looked up on every submission.
    known: Mutex<HashSet<u64>>,
    plan: OnceLock<Plan>,
    /// Every kernel that the device can use is trusted: nothing needs to be looked up any more.
    all_trusted: AtomicBool,
}

impl Trust {
    /// Begins with what the registry remembers of this device. `kernels` is empty on the CPU, which is trusted.
    pub(crate) fn new(registry: Arc<Registry>, key: DeviceKey, kernels: HashMap<&'static str, u64>) -> Self {
        let remembered = |(&name, &version): (&&'static str, &u64)| {
            Some((name.to_owned(), registry.verdict(&key, name, version)?))
        };
        let verdicts: HashMap<_, _> = kernels.iter().filter_map(remembered).collect();
        let all = kernels.is_empty()
            || registry.is_complete(&key, set_version(&kernels))
                && !verdicts.is_empty()
                && verdicts.values().all(Verdict::is_trusted);
        let (verdicts, all_trusted) = (Mutex::new(verdicts), AtomicBool::new(all));
        Self { registry, key, kernels, verdicts, known: Mutex::default(), plan: OnceLock::new(), all_trusted }
    }

    /// The steps of `work` that the CPU must compute, after testing kernels that are used for the first time.
    pub(crate) fn judge(&self, device: &Device, work: &Work) -> Result<Vec<usize>> {
        if self.all_trusted.load(Ordering::Acquire) {
            return Ok(Vec::new());
        }
        let backend = device.backend()?;
        let mut wrong = Vec::new();
        for (at, step) in work.steps.iter().enumerate() {
            let Action::Op(op) = &step.action else { continue };
            let signature = signature(op);
            if lock(&self.known).contains(&signature) {
                continue;
            }
            let mut all_trusted = true;
            for kernel in backend.kernels_of(op)? {
                all_trusted &= self.verdict(device, kernel)?.is_trusted();
            }
            if all_trusted {
                let mut known = lock(&self.known);
                // Shapes that grow with every token would otherwise pile up here.
                if known.len() >= MOST_KNOWN {
                    known.clear();
                }
                known.insert(signature);
            } else {
                wrong.push(at);
            }
        }
        Ok(wrong)
    }

    /// Writes the verdicts to disk.
    pub(crate) fn save(&self) {
        self.registry.save();
    }

    fn verdict(&self, device: &Device, kernel: &'static str) -> Result<Verdict> {
        if let Some(verdict) = self.lock().get(kernel) {
            return Ok(verdict.clone());
        }
        let report = self.plan(device)?.examine(device, kernel)?;
        self.remember(device, &report);
        Ok(report.verdict)
    }

    fn plan(&self, device: &Device) -> Result<&Plan> {
        if let Some(plan) = self.plan.get() {
            return Ok(plan);
        }
        let plan = Plan::new(device)?;
        Ok(self.plan.get_or_init(|| plan))
    }

    /// Whether the device is still the one that the verdicts are about, and not the CPU in its place.
    fn is_about(&self, device: &Device) -> bool {
        device.backend().is_ok_and(|backend| DeviceKey::of(backend.description()) == self.key)
    }

    fn remember(&self, device: &Device, report: &KernelReport) {
        if !self.is_about(device) {
            return;
        }
        if !report.verdict.is_trusted() {
            lock(&self.known).clear();
        }
        self.lock().insert(report.kernel.clone(), report.verdict.clone());
        if let Some(version) = self.kernels.get(&*report.kernel) {
            self.registry.remember(&self.key, &report.kernel, *version, &report.verdict);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Verdict>> {
        lock(&self.verdicts)
    }
}

impl Device {
    /// Tests every kernel on this device anew, whatever is remembered, and returns what was found.
    pub fn self_test(&self, mut progress: impl FnMut(SelfTestProgress)) -> Result<Vec<KernelReport>> {
        let trust = &self.inner.trust;
        let plan = trust.plan(self)?;
        let kernels = plan.kernels();
        let total = kernels.len();
        let mut reports = Vec::with_capacity(total);
        for (done, kernel) in kernels.into_iter().enumerate() {
            progress(SelfTestProgress { done, total, kernel: kernel.clone() });
            let report = plan.examine(self, &kernel)?;
            trust.remember(self, &report);
            reports.push(report);
        }
        if let Some(last) = reports.last() {
            progress(SelfTestProgress { done: total, total, kernel: last.kernel.clone() });
        }
        if !trust.kernels.is_empty() && trust.is_about(self) {
            let all = reports.iter().all(|r| r.verdict.is_trusted());
            trust.all_trusted.store(all, Ordering::Release);
            trust.registry.complete(&trust.key, set_version(&trust.kernels));
            trust.save();
        }
        Ok(reports)
    }

    /// The verdicts so far, by kernel.
    pub fn verdicts(&self) -> BTreeMap<String, Verdict> {
        self.inner.trust.lock().clone().into_iter().collect()
    }
}

/// All that lowering looks at when it chooses kernels for an operation, as one number: operations that have it in
/// common use the same kernels. (Where a tensor begins matters only within the widest alignment of any device.)
fn signature(op: &Op<Tensor>) -> u64 {
    let mut hasher = DefaultHasher::new();
    op.name().hash(&mut hasher);
    if let Op::Rope { pairs, .. } = op {
        pairs.hash(&mut hasher);
    }
    op.visit(&mut |tensor, _| {
        (tensor.dtype(), tensor.shape(), tensor.offset() % 256).hash(&mut hasher);
    });
    hasher.finish()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Changes when any kernel of the set does.
fn set_version(kernels: &HashMap<&'static str, u64>) -> u64 {
    kernels.values().fold(kernels.len() as u64, |sum, version| sum.wrapping_add(*version))
}
