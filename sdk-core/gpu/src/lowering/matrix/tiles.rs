//! Which kernel computes which part of y, by device, weights and rows: the table of the matrix family.

use super::super::{Kernel, Profile, kernels as k};
use crate::{Bits, DType, DeviceKind, Error, Result, Tensor, Weight};

/// What the choice depends on.
pub(super) struct Shape {
    /// Rows of x.
    pub(super) m: u64,
    /// Columns of x and of the weights.
    pub(super) k: u64,
    pub(super) format: Format,
    /// Whether x and the weights start at multiples of 16 bytes.
    pub(super) aligned: bool,
}

/// How the weights are stored; the order of every [`Family`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    F32,
    F16,
    Bf16,
    Q4,
    Q6,
    Q8,
}

impl Format {
    pub(super) fn of(weight: &Weight<Tensor>) -> Result<Self> {
        Ok(match weight {
            Weight::Dense(w) => match w.dtype() {
                DType::F32 => Self::F32,
                DType::F16 => Self::F16,
                DType::Bf16 => Self::Bf16,
                DType::U32 => {
                    return Err(Error::Unsupported {
                        what: "matmul with weights of u32".into(),
                        why: "dense weights are f32, f16 or bf16".into(),
                    });
                }
            },
            Weight::Quantised(q) => match q.bits {
                Bits::B4 => Self::Q4,
                Bits::B6 => Self::Q6,
                Bits::B8 => Self::Q8,
            },
        })
    }

    /// Columns of k that the lanes kernels fetch together.
    fn chunk(self) -> u64 {
        match self {
            Self::F32 => 4,
            Self::F16 | Self::Bf16 => 8,
            Self::Q8 => 16,
            Self::Q4 | Self::Q6 => 32,
        }
    }
}

/// A kernel and the rows and columns of y that one of its workgroups computes.
#[derive(Clone, Copy)]
pub(super) struct Tile {
    pub(super) kernel: &'static Kernel,
    pub(super) rows: u64,
    pub(super) columns: u64,
}

/// One kernel file with one tile, for each format.
type Family = [Tile; 6];

const fn family(rows: u64, columns: u64, kernels: [&'static Kernel; 6]) -> Family {
    let [f32, f16, bf16, q4, q6, q8] = kernels;
    [
        Tile { kernel: f32, rows, columns },
        Tile { kernel: f16, rows, columns },
        Tile { kernel: bf16, rows, columns },
        Tile { kernel: q4, rows, columns },
        Tile { kernel: q6, rows, columns },
        Tile { kernel: q8, rows, columns },
    ]
}

/// For GPUs, and for whatever is not aligned: one row of x.
static ROW: Family = family(
    1,
    4,
    [k::MATVEC_F32, k::MATVEC_F16, k::MATVEC_BF16, k::MATVEC_Q_Q4, k::MATVEC_Q_Q6, k::MATVEC_Q_Q8],
);

/// Few rows: the weights are read once for eight of them.
static FEW: Family = family(
    8,
    256,
    [
        k::MATMUL_FEW_F32,
        k::MATMUL_FEW_F16,
        k::MATMUL_FEW_BF16,
        k::MATMUL_FEW_Q4,
        k::MATMUL_FEW_Q6,
        k::MATMUL_FEW_Q8,
    ],
);

/// Many rows.
static MANY: Family =
    family(64, 64, [k::MATMUL_F32, k::MATMUL_F16, k::MATMUL_BF16, k::MATMUL_Q4, k::MATMUL_Q6, k::MATMUL_Q8]);

/// For llvmpipe: one row.
static LANES_ROW: Family = family(
    1,
    16,
    [
        k::MATMUL_LANES_ROW_F32,
        k::MATMUL_LANES_ROW_F16,
        k::MATMUL_LANES_ROW_BF16,
        k::MATMUL_LANES_ROW_Q4,
        k::MATMUL_LANES_ROW_Q6,
        k::MATMUL_LANES_ROW_Q8,
    ],
);

/// For llvmpipe: several rows.
static LANES: Family = family(
    8,
    32,
    [
        k::MATMUL_LANES_F32,
        k::MATMUL_LANES_F16,
        k::MATMUL_LANES_BF16,
        k::MATMUL_LANES_Q4,
        k::MATMUL_LANES_Q6,
        k::MATMUL_LANES_Q8,
    ],
);

/// The tile for a product on a device.
pub(super) fn tile(shape: &Shape, profile: &Profile) -> &'static Tile {
    let lanes = profile.kind == DeviceKind::Software
        && profile.subgroup_size == Some(8)
        && profile.features.subgroup_shuffle
        && shape.aligned
        && shape.k.is_multiple_of(shape.format.chunk());
    let family = match (lanes, shape.m) {
        (true, m) if m <= rows_one_by_one(shape.format) => &LANES_ROW,
        (true, _) => &LANES,
        (false, 1) => &ROW,
        (false, 2..=16) => &FEW,
        (false, _) => &MANY,
    };
    &family[shape.format as usize]
}

/// Up to how many rows llvmpipe is faster with one row at a time, reading the weights again for each.
fn rows_one_by_one(format: Format) -> u64 {
    match format {
        Format::F32 => 1,
        Format::F16 | Format::Bf16 => 2,
        Format::Q4 | Format::Q6 | Format::Q8 => 3,
    }
}
