//! From files into device memory: each byte is read once, into its place.

use std::{
    collections::HashMap,
    fs::File,
    io::{Read, Seek, SeekFrom},
    ops::ControlFlow,
    path::PathBuf,
};

use exo_gpu::{Bits, Buffer, DType, Device, Group, Quantised, Tensor, Weight};
use half::{bf16, f16};

use super::{
    Blueprint, Matrix, Parts, ReminderParts, Stack, Weights,
    blueprint::{Content, MatrixPlan, StackPlan, Storage, VectorPlan},
    cut::Cut,
};
use crate::{
    Error, Result,
    config::Affine,
    files::{Directory, FileType, Stored, io_error},
};

/// Bytes that are read at once: where the device has memory of its own, they pass through a buffer of this size.
const PIECE: u64 = 8 << 20;

/// How far loading is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Layers that are complete.
    pub layers: usize,
    /// Layers in all.
    pub layers_total: usize,
    /// Bytes that were read.
    pub bytes: u64,
    /// Bytes in all.
    pub bytes_total: u64,
}

impl Blueprint {
    /// Reads everything, layer by layer. `progress` is called after each layer and may stop it.
    pub(crate) fn load(
        &self,
        device: &Device,
        directory: &Directory,
        progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Weights> {
        let Parts { embedding, reminders, layers, norm, head } = &self.0;
        let mut loader = Loader { device, directory, files: HashMap::new(), read: 0 };
        let (layers_total, bytes_total) = (layers.len(), self.bytes());
        let mut tell = |layers, bytes| match progress(Progress { layers, layers_total, bytes, bytes_total }) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Error::Cancelled),
        };
        let embedding = embedding.as_ref().map(|m| loader.stack(m)).transpose()?;
        let reminders = match reminders {
            Some(ReminderParts { table, projection, norm }) => Some(ReminderParts {
                table: loader.stack(table)?,
                projection: loader.stack(projection)?,
                norm: loader.vector(norm)?,
            }),
            None => None,
        };
        let mut loaded = Vec::with_capacity(layers_total);
        tell(0, loader.read)?;
        for layer in layers {
            // Two closures over one loader: it is borrowed for each call, not for both.
            let cell = std::cell::RefCell::new(&mut loader);
            let parts =
                layer.try_map(&mut |m| cell.borrow_mut().stack(m), &mut |v| cell.borrow_mut().vector(v))?;
            loaded.push(parts);
            tell(loaded.len(), loader.read)?;
        }
        let norm = norm.as_ref().map(|v| loader.vector(v)).transpose()?;
        let head = head.as_ref().map(|m| loader.stack(m)).transpose()?;
        tell(loaded.len(), loader.read)?;
        Ok(Parts { embedding, reminders, layers: loaded, norm, head })
    }
}

struct Loader<'a> {
    device: &'a Device,
    directory: &'a Directory,
    files: HashMap<PathBuf, File>,
    read: u64,
}

impl Loader<'_> {
    fn stack(&mut self, plans: &StackPlan) -> Result<Stack> {
        let is_uniform = plans.windows(2).all(|pair| pair[0].storage.is_like(&pair[1].storage));
        if plans.len() > 1 && is_uniform {
            return self.uniform(plans);
        }
        let parts: Vec<_> = plans
            .iter()
            .map(|plan| self.uniform(std::slice::from_ref(plan)).map(|stack| stack.only().clone()))
            .collect::<Result<_>>()?;
        Ok(Stack::new(parts, None))
    }

    /// Matrices that are packed alike, row after row in the same memory.
    fn uniform(&mut self, plans: &[MatrixPlan]) -> Result<Stack> {
        let biases = plans.iter().map(|plan| plan.bias.as_ref()).collect::<Option<Vec<_>>>();
        let biases = biases.map(|biases| self.vectors(&biases)).transpose()?;
        let weights = match &plans[0].storage {
            Storage::Dense { dtype, .. } => {
                let dims: Vec<_> = plans.iter().map(|p| [p.rows, p.columns]).collect();
                let stored = plans.iter().filter_map(|p| match &p.storage {
                    Storage::Dense { weight, .. } => Some((weight, &p.cut)),
                    Storage::Affine { .. } => None,
                });
                self.adjacent(*dtype, &dims, stored)?.map(Weight::Dense)
            }
            Storage::Affine { affine, dtype, .. } => {
                let (bits, group) = packing(*affine)?;
                let of = |pick: fn(&Storage) -> Option<&Stored>| {
                    plans.iter().filter_map(move |p| Some((pick(&p.storage)?, &p.cut)))
                };
                let dims = |columns: fn(u32, u32, u32) -> u32| {
                    let (bits, group) = (affine.bits, affine.group);
                    plans.iter().map(|p| [p.rows, columns(p.columns, bits, group)]).collect::<Vec<_>>()
                };
                let words =
                    self.adjacent(DType::U32, &dims(|n, bits, _| n * bits / 32), of(Storage::words))?;
                let scales = self.adjacent(*dtype, &dims(|n, _, group| n / group), of(Storage::scales))?;
                let biases = self.adjacent(*dtype, &dims(|n, _, group| n / group), of(Storage::biases))?;
                let quantised = |words, scales, biases| {
                    Weight::Quantised(Quantised { words, scales, biases, bits, group })
                };
                Adjacent {
                    whole: quantised(words.whole, scales.whole, biases.whole),
                    parts: words
                        .parts
                        .into_iter()
                        .zip(scales.parts.into_iter().zip(biases.parts))
                        .map(|(words, (scales, biases))| quantised(words, scales, biases))
                        .collect(),
                }
            }
        };
        let mut bias_parts = biases.as_ref().map(|b| b.parts.clone().into_iter());
        let parts = weights
            .parts
            .into_iter()
            .map(|weight| Matrix { weight, bias: bias_parts.as_mut().and_then(Iterator::next) })
            .collect();
        let has_all_biases = biases.is_some() || plans.iter().all(|plan| plan.bias.is_none());
        let whole = has_all_biases.then(|| Matrix { weight: weights.whole, bias: biases.map(|b| b.whole) });
        Ok(Stack::new(parts, whole))
    }

    /// Tensors of one type, read one after the other into one buffer.
    fn adjacent<'s>(
        &mut self,
        dtype: DType,
        dims: &[[u32; 2]],
        stored: impl Iterator<Item = (&'s Stored, &'s Cut)>,
    ) -> Result<Adjacent<Tensor>> {
        let sizes: Vec<_> = dims
            .iter()
            .map(|[rows, columns]| u64::from(*rows) * u64::from(*columns) * dtype.bytes())
            .collect();
        let buffer = self.device.allocate(sizes.iter().sum())?;
        let mut offset = 0;
        let mut parts = Vec::with_capacity(dims.len());
        for ((dims, size), (stored, cut)) in dims.iter().zip(sizes).zip(stored) {
            self.fill(&buffer, offset, stored, cut)?;
            parts.push(Tensor::new(&buffer, offset, dtype, dims)?);
            offset += size;
        }
        let rows = dims.iter().map(|d| d[0]).sum();
        Ok(Adjacent { whole: Tensor::new(&buffer, 0, dtype, &[rows, dims[0][1]])?, parts })
    }

    /// Vectors as f32, one after the other.
    fn vectors(&mut self, plans: &[&VectorPlan]) -> Result<Adjacent<Tensor>> {
        let total: u32 = plans.iter().map(|p| p.length).sum();
        let whole = self.device.tensor(DType::F32, &[total])?;
        let mut parts = Vec::with_capacity(plans.len());
        let mut offset = 0;
        for plan in plans {
            let floats = self.floats(plan)?;
            whole.buffer().write(offset, bytemuck::cast_slice(&floats))?;
            parts.push(Tensor::new(whole.buffer(), offset, DType::F32, &[plan.length])?);
            offset += u64::from(plan.length) * 4;
        }
        Ok(Adjacent { whole, parts })
    }

    fn vector(&mut self, plan: &VectorPlan) -> Result<Tensor> {
        Ok(self.vectors(&[plan])?.whole)
    }

    fn floats(&mut self, plan: &VectorPlan) -> Result<Vec<f32>> {
        let length = plan.length as usize;
        match &plan.content {
            Content::Stored(stored) => self.stored_floats(stored),
            Content::Repeated(stored) => {
                Ok(self.stored_floats(stored)?.into_iter().cycle().take(length).collect())
            }
            Content::Part(stored, cut) => {
                let all = self.stored_floats(stored)?;
                Ok(cut
                    .pieces(1, 1)
                    .filter_map(|piece| all.get(piece.bytes.start as usize).copied())
                    .collect())
            }
            Content::Turned(stored, columns) => {
                let (all, columns) = (self.stored_floats(stored)?, *columns as usize);
                Ok((0..columns)
                    .flat_map(|column| all.iter().skip(column).step_by(columns))
                    .copied()
                    .collect())
            }
            Content::Rates(logarithms, others) => {
                let mut all: Vec<_> = self.stored_floats(logarithms)?.iter().map(|x| x.exp()).collect();
                all.extend(self.stored_floats(others)?);
                Ok(all)
            }
            Content::Ones => Ok(vec![1.0; length]),
        }
    }

    fn stored_floats(&mut self, stored: &Stored) -> Result<Vec<f32>> {
        let range = &stored.entry.bytes;
        let mut bytes = vec![0; (range.end - range.start) as usize];
        self.read_at(stored, range.start, &mut bytes)?;
        let pairs = bytes.chunks_exact(2).map(|b| [b[0], b[1]]);
        Ok(match stored.entry.dtype {
            FileType::F16 => pairs.map(|b| f16::from_le_bytes(b).to_f32()).collect(),
            FileType::Bf16 => pairs.map(|b| bf16::from_le_bytes(b).to_f32()).collect(),
            _ => bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect(),
        })
    }

    /// Reads the wanted part of a stored tensor into a buffer.
    fn fill(&mut self, buffer: &Buffer, mut offset: u64, stored: &Stored, cut: &Cut) -> Result<()> {
        let range = stored.entry.bytes.clone();
        let row = (range.end - range.start) / stored.entry.shape.first().copied().unwrap_or(1).max(1);
        let mut rows = Vec::new();
        for piece in cut.pieces(row, PIECE) {
            let (at, size) = (range.start + piece.bytes.start, piece.bytes.end - piece.bytes.start);
            let of_each = piece.of_each.start as usize..piece.of_each.end as usize;
            if of_each.len() as u64 == piece.row {
                buffer.map(offset..offset + size, |bytes| self.read_at(stored, at, bytes))??;
                offset += size;
                continue;
            }
            // Columns: whole rows pass through the host, which is a read instead of one for each row.
            rows.resize(size as usize, 0);
            self.read_at(stored, at, &mut rows)?;
            let wanted: Vec<u8> = rows
                .chunks_exact(piece.row as usize)
                .flat_map(|row| &row[of_each.clone()])
                .copied()
                .collect();
            buffer.write(offset, &wanted)?;
            self.read -= size - wanted.len() as u64;
            offset += wanted.len() as u64;
        }
        Ok(())
    }

    fn read_at(&mut self, stored: &Stored, at: u64, bytes: &mut [u8]) -> Result<()> {
        let path = self.directory.path_of(stored);
        let file = match self.files.entry(path.into()) {
            std::collections::hash_map::Entry::Occupied(open) => open.into_mut(),
            std::collections::hash_map::Entry::Vacant(place) => {
                place.insert(File::open(path).map_err(|e| io_error(path, &e))?)
            }
        };
        // A file that became shorter since its header was read ends here, as an error.
        file.seek(SeekFrom::Start(at))
            .and_then(|_| file.read_exact(bytes))
            .map_err(|e| io_error(path, &e))?;
        self.read += bytes.len() as u64;
        Ok(())
    }
}

/// How the device knows it. The config admits nothing else.
fn packing(affine: Affine) -> Result<(Bits, Group)> {
    let bits = match affine.bits {
        4 => Some(Bits::B4),
        6 => Some(Bits::B6),
        8 => Some(Bits::B8),
        _ => None,
    };
    let group = match affine.group {
        32 => Some(Group::G32),
        64 => Some(Group::G64),
        128 => Some(Group::G128),
        _ => None,
    };
    bits.zip(group).ok_or_else(|| Error::Unsupported {
        what: format!("{} bits in groups of {}", affine.bits, affine.group),
        supported: "4, 6 and 8 bits in groups of 32, 64 and 128".into(),
    })
}

/// Things that lie one after the other, and all of them as one.
struct Adjacent<T> {
    whole: T,
    parts: Vec<T>,
}

impl<T> Adjacent<T> {
    fn map<U>(self, f: impl Fn(T) -> U) -> Adjacent<U> {
        Adjacent { whole: f(self.whole), parts: self.parts.into_iter().map(f).collect() }
    }
}

impl Storage {
    fn words(&self) -> Option<&Stored> {
        if let Self::Affine { words, .. } = self { Some(words) } else { None }
    }

    fn scales(&self) -> Option<&Stored> {
        if let Self::Affine { scales, .. } = self { Some(scales) } else { None }
    }

    fn biases(&self) -> Option<&Stored> {
        if let Self::Affine { biases, .. } = self { Some(biases) } else { None }
    }
}
