//! Readings that are had together.
//!
//! A look at the battery costs one file, a look at every thermal zone dozens. So whoever samples says which groups are
//! wanted, and a probe leaves the others as they are.

use std::{fmt, ops};

/// Readings that one look brings together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Group {
    /// Memory of the system and of this app.
    Memory,
    /// The GPU.
    Gpu,
    /// The processor.
    Cpu,
    /// What the device draws.
    Power,
    /// Heat.
    Thermal,
    /// The battery.
    Battery,
    /// The network.
    Network,
    /// The disk.
    Disk,
}

impl Group {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Memory,
        Self::Gpu,
        Self::Cpu,
        Self::Power,
        Self::Thermal,
        Self::Battery,
        Self::Network,
        Self::Disk,
    ];
}

/// A set of groups.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Groups(u8);

impl Groups {
    /// None.
    pub const NONE: Self = Self(0);
    /// Every group.
    pub const ALL: Self = Self(u8::MAX);

    /// Whether the group is in the set.
    pub const fn contains(self, group: Group) -> bool {
        self.0 & (1 << group as u8) != 0
    }

    /// Whether nothing is wanted.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The groups, in order.
    pub fn iter(self) -> impl Iterator<Item = Group> {
        Group::ALL.into_iter().filter(move |group| self.contains(*group))
    }
}

impl From<Group> for Groups {
    fn from(group: Group) -> Self {
        Self(1 << group as u8)
    }
}

impl FromIterator<Group> for Groups {
    fn from_iter<I: IntoIterator<Item = Group>>(groups: I) -> Self {
        groups.into_iter().fold(Self::NONE, |all, group| all | group)
    }
}

impl<G: Into<Self>> ops::BitOr<G> for Groups {
    type Output = Self;

    fn bitor(self, more: G) -> Self {
        Self(self.0 | more.into().0)
    }
}

impl ops::BitOr for Group {
    type Output = Groups;

    fn bitor(self, more: Self) -> Groups {
        Groups::from(self) | more
    }
}

impl fmt::Debug for Groups {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_holds_what_was_put_in_and_nothing_else() {
        let some = Group::Memory | Group::Disk;
        assert_eq!(some.iter().collect::<Vec<_>>(), [Group::Memory, Group::Disk]);
        assert!(!some.contains(Group::Gpu) && !some.is_empty() && Groups::NONE.is_empty());
        assert_eq!(Group::ALL.into_iter().collect::<Groups>(), Groups::ALL);
    }
}
