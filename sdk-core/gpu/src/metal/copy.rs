//! How bytes are copied on the device.
//!
//! Blits are what Metal has for it, but on macOS they take offsets and lengths in multiples of four only (Apple's
//! documentation of `copyFromBuffer:sourceOffset:toBuffer:destinationOffset:size:`; iOS takes any). What does not
//! fit goes through a kernel of bytes, in the order of the other steps. WGSL has no bytes, so this one kernel is
//! written in Metal's own language.

use crate::{lowering::Kernel, op::Access};

/// Bytes that one dispatch of [`COPY_BYTES`] may copy: its thread index has 32 bits.
const MAX_DISPATCH_BYTES: u64 = 1 << 30;

/// The kernel of bytes.
pub(super) static COPY_BYTES: Kernel = Kernel {
    name: "copy_bytes",
    entry: "copy_bytes",
    #[cfg(any(not(target_vendor = "apple"), test))]
    spirv: crate::lowering::Packed { pack: &[], pack_words: 0, first: 0, words: 0 },
    msl: include_str!("copy_bytes.metal"),
    bindings: &[Access::Read, Access::Write],
    params_bytes: 4,
    workgroup: [256, 1, 1],
    version: 1,
};

/// What carries out a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Blit,
    Kernel,
}

/// The way for a copy between these offsets. The stricter rule is used everywhere, so that one path is tested.
pub(super) fn way(from_offset: u64, to_offset: u64, bytes: u64) -> Way {
    if (from_offset | to_offset | bytes).is_multiple_of(4) { Way::Blit } else { Way::Kernel }
}

/// One dispatch of [`COPY_BYTES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// Where it begins, from the beginning of the copy.
    pub(super) start: u64,
    pub(super) bytes: u32,
    pub(super) workgroups: u32,
}

/// The dispatches that copy `bytes`.
pub(super) fn pieces(bytes: u64) -> impl Iterator<Item = Piece> {
    (0..bytes.div_ceil(MAX_DISPATCH_BYTES)).map(move |i| {
        let start = i * MAX_DISPATCH_BYTES;
        let bytes = (bytes - start).min(MAX_DISPATCH_BYTES) as u32;
        Piece { start, bytes, workgroups: bytes.div_ceil(COPY_BYTES.workgroup[0]) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_words_are_blitted() {
        assert_eq!(way(0, 8, 12), Way::Blit);
        for (from, to, bytes) in [(1, 0, 4), (0, 2, 4), (0, 0, 7)] {
            assert_eq!(way(from, to, bytes), Way::Kernel, "{from} {to} {bytes}");
        }
    }

    #[test]
    fn pieces_cover_the_copy_without_gap_or_overlap() {
        for bytes in
            [1, 255, 256, 257, MAX_DISPATCH_BYTES, MAX_DISPATCH_BYTES + 1, 5 * MAX_DISPATCH_BYTES - 3]
        {
            let mut next = 0;
            for piece in pieces(bytes) {
                assert_eq!(piece.start, next);
                assert!(piece.workgroups * 256 >= piece.bytes && (piece.workgroups - 1) * 256 < piece.bytes);
                next += u64::from(piece.bytes);
            }
            assert_eq!(next, bytes);
        }
    }

    #[test]
    fn the_kernel_takes_its_arguments_where_the_recorder_puts_them() {
        let parameters = COPY_BYTES.bindings.len();
        for declared in ["kernel void copy_bytes(", "from [[buffer(0)]]", "to [[buffer(1)]]"] {
            assert!(COPY_BYTES.msl.contains(declared), "{declared}");
        }
        assert!(COPY_BYTES.msl.contains(&format!("count [[buffer({parameters})]]")));
    }
}
