//! Kernels travel packed: SPIR-V deflates to a fifth, and it was a tenth of what a phone downloads.
//!
//! A module is unpacked when its pipeline is made, once a device, and not kept.

use miniz_oxide::inflate::decompress_to_vec_with_limit;

/// A SPIR-V module, deflated by the build script.
#[derive(Debug)]
pub(crate) struct Packed {
    pub(crate) deflated: &'static [u8],
    /// How many words come out.
    pub(crate) words: usize,
}

impl Packed {
    /// The module's words; `None` if the program's own bytes are damaged.
    pub(crate) fn unpack(&self) -> Option<Vec<u32>> {
        let bytes = decompress_to_vec_with_limit(self.deflated, self.words * 4).ok()?;
        let (words, rest) = bytes.as_chunks::<4>();
        (words.len() == self.words && rest.is_empty())
            .then(|| words.iter().map(|word| u32::from_le_bytes(*word)).collect())
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
        let whole = KERNELS[0].spirv.deflated;
        assert!(
            Packed { deflated: &whole[..whole.len() / 2], words: KERNELS[0].spirv.words }.unpack().is_none()
        );
        assert!(Packed { deflated: whole, words: KERNELS[0].spirv.words - 1 }.unpack().is_none());
    }
}
