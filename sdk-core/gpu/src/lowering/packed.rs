//! Kernels travel packed: SPIR-V was a tenth of what a phone downloads.
//!
//! Kernels that stand side by side in the alphabet are variants of each other, so several share a pack, which deflates to
//! a fifth of them. In a pack the lowest bytes of all words come first, then the second ones and so on: words differ in
//! their lowest byte mostly. A pack is unpacked when one of its pipelines is made, once a device, and not kept.

use miniz_oxide::inflate::decompress_to_vec_with_limit;

/// A SPIR-V module within a pack that the build script made.
#[derive(Debug)]
pub(crate) struct Packed {
    /// The whole pack, deflated.
    pub(crate) pack: &'static [u8],
    /// How many words the pack has.
    pub(crate) pack_words: usize,
    /// The module's first word in it.
    pub(crate) first: usize,
    /// How many words the module has.
    pub(crate) words: usize,
}

impl Packed {
    /// The module's words; `None` if the program's own bytes are damaged.
    pub(crate) fn unpack(&self) -> Option<Vec<u32>> {
        let bytes = decompress_to_vec_with_limit(self.pack, self.pack_words * 4).ok()?;
        if bytes.len() != self.pack_words * 4 {
            return None;
        }
        let byte = |plane: usize, word: usize| bytes.get(plane * self.pack_words + word).copied();
        let word = |at| Some(u32::from_le_bytes([byte(0, at)?, byte(1, at)?, byte(2, at)?, byte(3, at)?]));
        (self.first..self.first + self.words).map(word).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lowering::kernels::KERNELS;

    #[test]
    fn every_kernel_unpacks_to_a_module() {
        for kernel in &KERNELS {
            let words = kernel.spirv.unpack().unwrap();
            assert_eq!((words[0], words.len()), (0x0723_0203, kernel.spirv.words), "{}", kernel.name);
        }
    }

    #[test]
    fn damaged_bytes_are_not_a_module() {
        let Packed { pack, pack_words, first, words } = KERNELS[0].spirv;
        assert!(Packed { pack, pack_words, first, words }.unpack().is_some());
        assert!(Packed { pack: &pack[..pack.len() / 2], pack_words, first, words }.unpack().is_none());
        assert!(Packed { pack, pack_words: pack_words - 1, first, words }.unpack().is_none());
        assert!(Packed { pack, pack_words: pack_words + 1, first, words }.unpack().is_none());
    }
}
