//! Which devices a link joins: a million links name two devices each, so finding a name must cost next to nothing.

use std::{
    collections::HashMap,
    hash::{BuildHasher, Hasher, RandomState},
};

use super::problem::{Device, Link};

/// The places of devices by their names.
pub(super) struct Names<'a> {
    devices: &'a [Device],
    places: HashMap<&'a str, usize, Seed>,
    /// The link before this one: links are mostly listed sender by sender, and then receiver by receiver.
    from: usize,
    to: usize,
}

impl<'a> Names<'a> {
    pub(super) fn new(devices: &'a [Device]) -> Self {
        let mut places = HashMap::with_capacity_and_hasher(devices.len(), Seed::new());
        places.extend(devices.iter().enumerate().map(|(place, device)| (device.id.as_str(), place)));
        Self { devices, places, from: 0, to: 0 }
    }

    /// The places of who sends and who receives, or the name that no device has.
    pub(super) fn ends<'b>(&mut self, link: &'b Link) -> Result<(usize, usize), &'b str> {
        self.from = self.find(&link.from, self.from)?;
        // Nobody has a link to itself, so a listing skips the sender.
        let next = if self.to + 1 == self.from { self.to + 2 } else { self.to + 1 };
        self.to = self.find(&link.to, next)?;
        Ok((self.from, self.to))
    }

    fn find<'b>(&self, id: &'b str, likely: usize) -> Result<usize, &'b str> {
        if self.devices.get(likely).is_some_and(|device| device.id == id) {
            return Ok(likely);
        }
        self.places.get(id).copied().ok_or(id)
    }
}

/// Where the hashes of one table begin. It is drawn at random: nobody can choose names that all collide.
struct Seed([u64; 2]);

impl Seed {
    fn new() -> Self {
        let random = RandomState::new();
        Self([random.hash_one(0), random.hash_one(1)])
    }
}

impl BuildHasher for Seed {
    type Hasher = Folded;

    fn build_hasher(&self) -> Folded {
        Folded { hash: self.0[0], key: self.0[1] }
    }
}

/// A product for every eight bytes, folded into one half.
struct Folded {
    hash: u64,
    key: u64,
}

impl Folded {
    fn mix(&mut self, bits: u64) {
        let product = u128::from(self.hash ^ bits) * u128::from(self.key | 1);
        self.hash = product as u64 ^ (product >> 64) as u64;
    }
}

impl Hasher for Folded {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.mix(u64::from_le_bytes(*word));
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        // The length tells names apart that differ by zeros at their ends.
        self.mix(u64::from_le_bytes(last) ^ (bytes.len() as u64) << 56);
    }

    fn write_u8(&mut self, _: u8) {
        // The mark at the end of a string: one name is all that is hashed.
    }

    fn finish(&self) -> u64 {
        self.hash
    }
}
