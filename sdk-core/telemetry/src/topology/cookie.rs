//! Cookies: who has one for an address receives there.

use std::{
    net::{IpAddr, SocketAddr},
    time::Duration,
};

use super::wire::{Cookie, Nonce};
use crate::now::Moment;

/// A cookie is good for one to two of these.
const EPOCH: Duration = Duration::from_mins(1);

/// Makes and checks cookies without remembering any.
#[derive(Clone)]
pub(super) struct CookieJar {
    key: [u8; 16],
}

impl std::fmt::Debug for CookieJar {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("CookieJar { key: secret }")
    }
}

impl CookieJar {
    /// The key must come from the system's random source: whoever can guess it can forge cookies.
    pub(super) const fn new(key: [u8; 16]) -> Self {
        Self { key }
    }

    pub(super) fn bake(&self, now: Moment, from: &SocketAddr, nonce: Nonce) -> Cookie {
        self.of_epoch(epoch(now), from, nonce)
    }

    pub(super) fn is_good(&self, now: Moment, from: &SocketAddr, nonce: Nonce, cookie: Cookie) -> bool {
        let epoch = epoch(now);
        [epoch, epoch.saturating_sub(1)].into_iter().any(|epoch| self.of_epoch(epoch, from, nonce) == cookie)
    }

    fn of_epoch(&self, epoch: u64, from: &SocketAddr, nonce: Nonce) -> Cookie {
        let ip = match from.ip() {
            IpAddr::V4(v4) => v4.to_ipv6_mapped(),
            IpAddr::V6(v6) => v6,
        };
        let mut text = [0; 34];
        let fields: [&[u8]; 4] =
            [&epoch.to_be_bytes(), &nonce.to_be_bytes(), &ip.octets(), &from.port().to_be_bytes()];
        for (place, byte) in text.iter_mut().zip(fields.into_iter().flatten()) {
            *place = *byte;
        }
        siphash(self.key, &text)
    }
}

fn epoch(now: Moment) -> u64 {
    now.since_start().as_secs() / EPOCH.as_secs()
}

/// `SipHash-2-4`: a short keyed hash, made for inputs that an attacker chooses.
fn siphash(key: [u8; 16], text: &[u8]) -> u64 {
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0u64, |word, byte| (word << 8) | u64::from(*byte));
    let (low, high) = key.split_at(8);
    let (k0, k1) = (word(low), word(high));
    let mut v = [
        k0 ^ 0x736f_6d65_7073_6575,
        k1 ^ 0x646f_7261_6e64_6f6d,
        k0 ^ 0x6c79_6765_6e65_7261,
        k1 ^ 0x7465_6462_7974_6573,
    ];
    let (words, rest) = text.split_at(text.len() / 8 * 8);
    let last = word(rest) | ((text.len() as u64) << 56);
    for block in words.chunks_exact(8).map(word).chain([last]) {
        v[3] ^= block;
        rounds(&mut v, 2);
        v[0] ^= block;
    }
    v[2] ^= 0xff;
    rounds(&mut v, 4);
    v[0] ^ v[1] ^ v[2] ^ v[3]
}

fn rounds(v: &mut [u64; 4], count: usize) {
    let [a, b, c, d] = v;
    for _ in 0..count {
        *a = a.wrapping_add(*b);
        *b = b.rotate_left(13) ^ *a;
        *a = a.rotate_left(32);
        *c = c.wrapping_add(*d);
        *d = d.rotate_left(16) ^ *c;
        *a = a.wrapping_add(*d);
        *d = d.rotate_left(21) ^ *a;
        *c = c.wrapping_add(*b);
        *b = b.rotate_left(17) ^ *c;
        *c = c.rotate_left(32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_gives_its_published_answers() {
        let key = std::array::from_fn(|index| index as u8);
        let text: Vec<u8> = (0..15).collect();
        assert_eq!(siphash(key, &text), 0xa129_ca61_49be_45e5);
        assert_eq!(siphash(key, &[]), 0x726f_db47_dd0e_0e31);
    }

    #[test]
    fn a_cookie_is_good_for_its_address_its_exchange_and_a_while() {
        let jar = CookieJar::new([7; 16]);
        let [here, there] = ["10.0.0.1:9", "10.0.0.2:9"].map(|text| text.parse().unwrap());
        let at = |seconds| Moment::after_start(Duration::from_secs(seconds));
        let cookie = jar.bake(at(30), &here, 1);
        assert!(jar.is_good(at(30), &here, 1, cookie) && jar.is_good(at(119), &here, 1, cookie));
        assert!(!jar.is_good(at(120), &here, 1, cookie), "too old");
        assert!(!jar.is_good(at(30), &there, 1, cookie), "of another address");
        assert!(!jar.is_good(at(30), &here, 2, cookie), "of another exchange");
        assert!(!CookieJar::new([8; 16]).is_good(at(30), &here, 1, cookie), "of another member");
    }
}
