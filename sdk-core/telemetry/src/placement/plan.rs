//! A plan: who runs which layers, in the order in which a token passes them.

/// Consecutive layers on one device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Stage {
    /// The device, counted among those that can work.
    pub(super) device: usize,
    /// The first layer.
    pub(super) start: usize,
    /// The layer after the last.
    pub(super) end: usize,
}

/// Stages from the first layer to the last.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub(super) struct Plan(Vec<Stage>);

impl Plan {
    /// One device for all layers.
    pub(super) fn alone(device: usize, layers: usize) -> Self {
        Self(vec![Stage { device, start: 0, end: layers }])
    }

    /// Devices and how many layers each runs, in order.
    pub(super) fn of_counts(counts: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let mut start = 0;
        let stage = |(device, count): (usize, usize)| {
            let stage = Stage { device, start, end: start + count };
            start = stage.end;
            stage
        };
        Self(counts.into_iter().map(stage).collect())
    }

    /// Devices and the layer after their last, in order.
    pub(super) fn of_ends(ends: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let mut start = 0;
        let stage = |(device, end): (usize, usize)| {
            let stage = Stage { device, start, end };
            start = end;
            stage
        };
        Self(ends.into_iter().map(stage).collect())
    }

    pub(super) fn stages(&self) -> &[Stage] {
        &self.0
    }

    /// The devices, in order.
    pub(super) fn devices(&self) -> Vec<usize> {
        self.0.iter().map(|stage| stage.device).collect()
    }

    /// Whether it has the same devices as another plan, in any order.
    pub(super) fn has_devices_of(&self, other: &Self) -> bool {
        let sorted = |plan: &Self| {
            let mut devices = plan.devices();
            devices.sort_unstable();
            devices
        };
        sorted(self) == sorted(other)
    }

    /// How many layers a device runs.
    pub(super) fn layers_on(&self, device: usize) -> usize {
        self.0.iter().find(|stage| stage.device == device).map_or(0, |stage| stage.end - stage.start)
    }
}

/// A plan and what it costs.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Costed {
    pub(super) plan: Plan,
    pub(super) cost: f64,
}

impl Costed {
    /// The better of two, the first if they are equal.
    pub(super) fn better(one: Option<Self>, other: Option<Self>) -> Option<Self> {
        match (one, other) {
            (Some(one), Some(other)) => Some(if other.cost < one.cost { other } else { one }),
            (one, other) => one.or(other),
        }
    }
}
