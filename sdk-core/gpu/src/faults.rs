//! Faults on purpose: a device that is lost, memory that runs out, a kernel that lies.
//!
//! Tests prove with these that work is answered all the same. `Faults` is what a test asks for and exists only
//! with the feature `faults`; [`Injector`] is what a backend asks at each of its turning points. Without the
//! feature it is empty and every answer is a constant, so that an app carries none of this.

#[cfg(feature = "faults")]
pub use injector::Faults;
pub(crate) use injector::Injector;

#[cfg(feature = "faults")]
mod injector {
    use std::sync::atomic::{AtomicU64, Ordering};

    use crate::{
        OpenOptions,
        lowering::{Kernel, kernels},
    };

    /// What shall go wrong. Turns are counted from 1 and from the opening of the device.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct Faults {
        /// The device is lost when this submission is handed over.
        pub lose_device_at_submission: Option<u64>,
        /// The device is lost in this wait. The real work has ended by then: nothing is left running.
        pub lose_device_at_wait: Option<u64>,
        /// This allocation finds no memory, though the budget would allow it.
        pub out_of_memory_at_allocation: Option<u64>,
        /// Whoever asks for the first kernel gets the code of the second. Both take the same bindings.
        pub swap_kernel: Option<(&'static str, &'static str)>,
    }

    /// Counts the turns of one device and says when one of them is to fail.
    #[derive(Debug, Default)]
    pub(crate) struct Injector {
        faults: Faults,
        submissions: AtomicU64,
        waits: AtomicU64,
        allocations: AtomicU64,
    }

    impl Injector {
        pub(crate) fn new(options: &OpenOptions) -> Self {
            Self { faults: options.faults.clone(), ..Self::default() }
        }

        /// Whether the device is lost in this submission.
        pub(crate) fn loses_submission(&self) -> bool {
            is_turn(&self.submissions, self.faults.lose_device_at_submission)
        }

        /// Whether the device is lost in this wait.
        pub(crate) fn loses_wait(&self) -> bool {
            is_turn(&self.waits, self.faults.lose_device_at_wait)
        }

        /// Whether this allocation finds no memory.
        pub(crate) fn exhausts_allocation(&self) -> bool {
            is_turn(&self.allocations, self.faults.out_of_memory_at_allocation)
        }

        /// The kernel whose code is to run where `kernel` was asked for.
        pub(crate) fn kernel(&self, kernel: &'static Kernel) -> &'static Kernel {
            let given = self.faults.swap_kernel.filter(|(asked, _)| *asked == kernel.name);
            given
                .and_then(|(_, given)| kernels::KERNELS.iter().find(|other| other.name == given))
                .filter(|other| other.bindings.len() == kernel.bindings.len())
                .unwrap_or(kernel)
        }
    }

    fn is_turn(count: &AtomicU64, turn: Option<u64>) -> bool {
        turn.is_some_and(|turn| count.fetch_add(1, Ordering::Relaxed) + 1 == turn)
    }
}

#[cfg(not(feature = "faults"))]
mod injector {
    use crate::{OpenOptions, lowering::Kernel};

    /// Without the feature nothing is injected.
    #[derive(Debug, Default)]
    pub(crate) struct Injector;

    #[allow(clippy::unused_self)] // The same questions as with the feature.
    impl Injector {
        pub(crate) fn new(_options: &OpenOptions) -> Self {
            Self
        }

        pub(crate) fn loses_submission(&self) -> bool {
            false
        }

        pub(crate) fn loses_wait(&self) -> bool {
            false
        }

        pub(crate) fn exhausts_allocation(&self) -> bool {
            false
        }

        pub(crate) fn kernel(&self, kernel: &'static Kernel) -> &'static Kernel {
            kernel
        }
    }
}
