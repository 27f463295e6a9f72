//! What a file must be: the two kinds of hash that a list of files gives.
//!
//! Large files lie in LFS and are named by the SHA-256 of their bytes. Small ones lie in git itself, which hashes a
//! header and the bytes with SHA-1: weak against somebody who made both files, and enough against what a network does.

use std::fmt::{self, Write};

use sha1::Sha1;
use sha2::{Digest as _, Sha256};

/// The hash that a list promises.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum Digest {
    /// Of the bytes: LFS.
    Sha256([u8; 32]),
    /// Of git's header and the bytes: a file in git.
    GitSha1([u8; 20]),
}

impl Digest {
    /// LFS's `oid`: 64 hexadecimal digits.
    pub fn from_lfs(oid: &str) -> Option<Self> {
        digits(oid).map(Self::Sha256)
    }

    /// Git's `oid`: 40 hexadecimal digits.
    pub fn from_git(oid: &str) -> Option<Self> {
        digits(oid).map(Self::GitSha1)
    }

    /// Either, by its length.
    pub(crate) fn from_hex(text: &str) -> Option<Self> {
        Self::from_lfs(text).or_else(|| Self::from_git(text))
    }

    fn bytes(&self) -> &[u8] {
        match self {
            Self::Sha256(bytes) => bytes,
            Self::GitSha1(bytes) => bytes,
        }
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.bytes().iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Hashes a file as it comes, in the way that its list will compare.
#[derive(Clone)]
pub(crate) enum Hasher {
    Sha256(Sha256),
    GitSha1(Sha1),
}

impl Hasher {
    /// For a file of that many bytes: git's header tells the size.
    pub(crate) fn like(promised: &Digest, size: u64) -> Self {
        match promised {
            Digest::Sha256(_) => Self::Sha256(Sha256::new()),
            Digest::GitSha1(_) => {
                let mut sha = Sha1::new();
                sha.update(format!("blob {size}\0"));
                Self::GitSha1(sha)
            }
        }
    }

    pub(crate) fn update(&mut self, bytes: &[u8]) {
        match self {
            Self::Sha256(sha) => sha.update(bytes),
            Self::GitSha1(sha) => sha.update(bytes),
        }
    }

    pub(crate) fn digest(&self) -> Digest {
        match self.clone() {
            Self::Sha256(sha) => Digest::Sha256(sha.finalize().into()),
            Self::GitSha1(sha) => Digest::GitSha1(sha.finalize().into()),
        }
    }
}

impl fmt::Debug for Hasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hasher")?;
        f.write_char('…')
    }
}

fn digits<const N: usize>(text: &str) -> Option<[u8; N]> {
    let text = text.as_bytes();
    if text.len() != 2 * N {
        return None;
    }
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(text.chunks_exact(2)) {
        let high = char::from(pair[0]).to_digit(16)?;
        let low = char::from(pair[1]).to_digit(16)?;
        *byte = (high * 16 + low) as u8;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hashed(promised: &str, bytes: &[u8]) -> bool {
        let promised = Digest::from_hex(promised).unwrap();
        let mut hasher = Hasher::like(&promised, bytes.len() as u64);
        bytes.chunks(3).for_each(|chunk| hasher.update(chunk));
        hasher.digest() == promised
    }

    #[test]
    fn a_file_in_lfs_is_hashed_as_it_is() {
        assert!(hashed("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", b"abc"));
    }

    /// `printf 'hello\n' | git hash-object --stdin`, and of nothing.
    #[test]
    fn a_file_in_git_is_hashed_as_git_does() {
        assert!(hashed("ce013625030ba8dba906f756967f9e9ca394464a", b"hello\n"));
        assert!(hashed("e69de29bb2d1d6434b8b29ae775ad8c2e48c5391", b""));
        assert!(!hashed("ce013625030ba8dba906f756967f9e9ca394464a", b"hello"));
    }

    #[test]
    fn what_is_no_hash_is_none() {
        for text in ["", "abc", &"g".repeat(64), &"é".repeat(20), &"a".repeat(41), &"+".repeat(40)] {
            assert_eq!(Digest::from_hex(text), None, "{text}");
        }
    }
}
