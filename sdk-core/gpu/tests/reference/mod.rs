//! What every kernel must compute, written to be read: f64, plain slices, no SIMD, nothing shared with the kernels.
//!
//! Each result comes with its *magnitude*, the sum of the absolute values that it was summed from: rounding errors
//! are proportional to it, even where the result itself cancels to nothing. [`bound`] says how many roundings of
//! f32 each kernel is allowed. Used by the tests of the CPU backend and of the GPU backends alike.

// Every test crate that includes this file uses a part of it.
#![allow(dead_code, unreachable_pub, missing_docs)]

pub mod attention;

/// Half the distance from 1 to the next f32: the relative error of one rounding.
pub const ROUNDING: f64 = 1.0 / (1 << 24) as f64;

/// The smallest normal number of f32.
const SMALLEST: f64 = f32::MIN_POSITIVE as f64;

/// One element of a result.
#[derive(Clone, Copy, Debug)]
pub struct Expected {
    pub value: f64,
    pub magnitude: f64,
}

impl Expected {
    fn exact(value: f64) -> Self {
        Self { value, magnitude: value.abs() }
    }
}

/// The errors that the CPU backend keeps to, in roundings of f32 times the magnitude.
///
/// `k` is the length of the sums. f16 and bf16 weights have the bounds of f32: they are widened exactly, and all
/// sums are in f32. Quantised weights have [`quantisation_error`] on top where there are few rows of activations.
pub fn bound(kernel: &str, k: usize) -> f64 {
    match kernel {
        // Nothing is rounded.
        "fill" | "gather" | "argmax" => 0.0,
        // Rounded once: to the type of the result in `copy`, to f32 in the others.
        "copy" | "add" | "mul" | "scale" | "sum" => 1.0,
        // One product and one sum; exact products of quantised weights with 16-bit scales.
        "gather_q" => 2.0,
        "rope" => 3.0,
        "rmsnorm" | "layernorm" | "add_rmsnorm" => 4.0,
        // The exponential is within 2 units in the last place, of two roundings each. In softmax it enlarges the
        // rounding of `scale * x`, which is in the magnitude there.
        "silu_mul" | "gelu" | "gelu_mul" | "sigmoid_mul" | "softcap" | "softmax" => 10.0,
        // Values are summed one after the other, and scores in eight partial sums or four; exponentials as above. `k`
        // is the sum of both lengths.
        "attention" => 32.0 + k as f64,
        // Each of four or more partial sums takes its share of `k`.
        "matmul" | "matvec" | "matmul_q" | "matvec_q" => 4.0 + k as f64 / 4.0,
        _ => panic!("{kernel} has no bound"),
    }
}

/// How far rounding activations to 16-bit integers may move a product with quantised weights, beyond [`bound`]:
/// by group, half a unit of `max|x| / 32639` times the sum of |w|.
pub fn quantisation_error(x: &[f32], weights: &[f64], group: usize) -> f64 {
    let groups = x.chunks(group).zip(weights.chunks(group));
    groups.map(|(x, w)| largest(x) / 65278.0 * w.iter().map(|w| w.abs()).sum::<f64>()).sum()
}

fn largest(x: &[f32]) -> f64 {
    x.iter().map(|x| f64::from(x.abs())).fold(0.0, f64::max)
}

pub fn add(a: &[f32], b: &[f32]) -> Vec<Expected> {
    a.iter().zip(b.iter().cycle()).map(|(&a, &b)| Expected::exact(f64::from(a) + f64::from(b))).collect()
}

pub fn mul(a: &[f32], b: &[f32]) -> Vec<Expected> {
    a.iter().zip(b.iter().cycle()).map(|(&a, &b)| Expected::exact(f64::from(a) * f64::from(b))).collect()
}

/// Below -88 the exponential is beyond f32, and `silu(gate)` may be 0 before `up` enlarges it: 6e-37 is lost.
pub fn silu_mul(gate: &[f32], up: &[f32]) -> Vec<Expected> {
    let one = |(&gate, &up): (&f32, &f32)| {
        let (gate, up) = (f64::from(gate), f64::from(up));
        let value = gate / (1.0 + (-gate).exp()) * up;
        Expected { value, magnitude: value.abs() + up.abs() * 1e-30 }
    };
    gate.iter().zip(up).map(one).collect()
}

/// The error of the inner polynomial grows with x where the result vanishes, so the magnitude is that of x.
pub fn gelu(x: &[f32]) -> Vec<Expected> {
    let gelu = |x: f64| {
        let u = (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044_715 * x * x * x);
        x / (1.0 + (-2.0 * u).exp())
    };
    x.iter().map(|&x| Expected { value: gelu(f64::from(x)), magnitude: f64::from(x.abs()) }).collect()
}

/// As [`gelu`], and the rounding of the product. A gelu below the normal numbers has few digits, whatever it is
/// multiplied by.
pub fn gelu_mul(gate: &[f32], up: &[f32]) -> Vec<Expected> {
    let one = |(gelu, &up): (Expected, &f32)| {
        let up = f64::from(up);
        Expected { value: gelu.value * up, magnitude: (gelu.magnitude + SMALLEST) * up.abs() }
    };
    gelu(gate).into_iter().zip(up).map(one).collect()
}

/// Below -88 the exponential is beyond f32, as in [`silu_mul`].
pub fn sigmoid_mul(gate: &[f32], x: &[f32]) -> Vec<Expected> {
    let one = |(&gate, &x): (&f32, &f32)| {
        let (gate, x) = (f64::from(gate), f64::from(x));
        let value = x / (1.0 + (-gate).exp());
        Expected { value, magnitude: value.abs() + x.abs() * 1e-30 }
    };
    gate.iter().zip(x).map(one).collect()
}

/// A quotient below the normal numbers has few digits, and is multiplied by the cap again.
pub fn softcap(x: &[f32], cap: f32) -> Vec<Expected> {
    let cap = f64::from(cap);
    let one = |&x: &f32| {
        let value = cap * (f64::from(x) / cap).tanh();
        Expected { value, magnitude: value.abs() + cap * SMALLEST }
    };
    x.iter().map(one).collect()
}

pub fn scale(x: &[f32], factor: f32) -> Vec<Expected> {
    x.iter().map(|&x| Expected::exact(f64::from(x) * f64::from(factor))).collect()
}

pub fn rmsnorm(x: &[f32], weight: &[f32], epsilon: f32) -> Vec<Expected> {
    let by_rows = x.chunks(weight.len()).flat_map(|row| {
        let mean = row.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>() / row.len() as f64;
        let factor = 1.0 / (mean + f64::from(epsilon)).sqrt();
        row.iter().zip(weight).map(move |(&x, &w)| Expected::exact(f64::from(x) * factor * f64::from(w)))
    });
    by_rows.collect()
}

pub fn layernorm(x: &[f32], weight: &[f32], bias: &[f32], epsilon: f32) -> Vec<Expected> {
    let by_rows = x.chunks(weight.len()).flat_map(|row| {
        let n = row.len() as f64;
        let mean = row.iter().map(|&x| f64::from(x)).sum::<f64>() / n;
        let variance = row.iter().map(|&x| (f64::from(x) - mean).powi(2)).sum::<f64>() / n;
        let factor = 1.0 / (variance + f64::from(epsilon)).sqrt();
        row.iter().zip(weight.iter().zip(bias)).map(move |(&x, (&w, &b))| {
            let (turned, bias) = ((f64::from(x) - mean) * factor * f64::from(w), f64::from(b));
            Expected { value: turned + bias, magnitude: turned.abs() + bias.abs() }
        })
    });
    by_rows.collect()
}

/// The product with the scale is rounded to f32 before the exponential enlarges its error, so the magnitude grows
/// with the largest exponent.
pub fn softmax(x: &[f32], columns: usize, scale: f32) -> Vec<Expected> {
    let by_rows = x.chunks(columns).flat_map(|row| {
        let scaled: Vec<f64> = row.iter().map(|&x| f64::from(x) * f64::from(scale)).collect();
        let top = scaled.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let reach = scaled.iter().filter(|x| x.is_finite()).fold(0.0, |a: f64, x| a.max(x.abs()));
        let powers: Vec<f64> = scaled.iter().map(|x| (x - top).exp()).collect();
        let sum: f64 = powers.iter().sum();
        powers.into_iter().map(move |e| Expected { value: e / sum, magnitude: e / sum * (1.0 + reach) })
    });
    by_rows.collect()
}

/// `x` is `[tokens, heads, head]`, `angles` `(cos, sin)` as `[tokens, turned, 2]`; `halves` pairs `i` with
/// `i + turned`, else `2 i` with `2 i + 1`.
pub fn rope(x: &[f32], angles: &[f32], tokens: usize, heads: usize, halves: bool) -> Vec<Expected> {
    let head = x.len() / tokens / heads;
    let turned = angles.len() / tokens / 2;
    let mut y: Vec<Expected> = x.iter().map(|&x| Expected::exact(f64::from(x))).collect();
    for token in 0..tokens {
        for start in (0..heads).map(|h| (token * heads + h) * head) {
            for i in 0..turned {
                let (a, b) =
                    if halves { (start + i, start + i + turned) } else { (start + 2 * i, start + 2 * i + 1) };
                let cos = f64::from(angles[(token * turned + i) * 2]);
                let sin = f64::from(angles[(token * turned + i) * 2 + 1]);
                let (p, q) = (f64::from(x[a]), f64::from(x[b]));
                y[a] = Expected { value: p * cos - q * sin, magnitude: (p * cos).abs() + (q * sin).abs() };
                y[b] = Expected { value: q * cos + p * sin, magnitude: (q * cos).abs() + (p * sin).abs() };
            }
        }
    }
    y
}

/// `[m, k] · [n, k]ᵀ`.
pub fn matmul(x: &[f32], weights: &[f64], k: usize) -> Vec<Expected> {
    let dot = |x: &[f32], w: &[f64]| {
        let terms = x.iter().zip(w).map(|(&x, &w)| f64::from(x) * w);
        terms.fold(Expected { value: 0.0, magnitude: 0.0 }, |sum, term| Expected {
            value: sum.value + term,
            magnitude: sum.magnitude + term.abs(),
        })
    };
    x.chunks(k).flat_map(|x| weights.chunks(k).map(move |w| dot(x, w))).collect()
}

/// Rows of the table by id, zeros beyond its end.
pub fn gather(table: &[f64], columns: usize, ids: &[u32]) -> Vec<Expected> {
    let row = |&id: &u32| {
        let row = table.chunks(columns).nth(id as usize).map(<[f64]>::to_vec);
        row.unwrap_or_else(|| vec![0.0; columns])
    };
    ids.iter().flat_map(row).map(Expected::exact).collect()
}

pub fn argmax(x: &[f32], columns: usize) -> Vec<u32> {
    let best = |row: &[f32]| {
        let mut best: Option<usize> = None;
        for (i, value) in row.iter().enumerate().filter(|(_, value)| !value.is_nan()) {
            if best.is_none_or(|b| *value > row[b]) {
                best = Some(i);
            }
        }
        best.unwrap_or(0) as u32
    };
    x.chunks(columns).map(best).collect()
}

pub fn sum(x: &[f32], columns: usize) -> Vec<Expected> {
    let of_row = |row: &[f32]| Expected {
        value: row.iter().map(|&x| f64::from(x)).sum(),
        magnitude: row.iter().map(|&x| f64::from(x.abs())).sum(),
    };
    x.chunks(columns).map(of_row).collect()
}

/// MLX affine weights, `scale * q + bias`, unpacked from their stream of bits.
pub fn dequantise(words: &[u32], scales: &[f32], biases: &[f32], bits: usize, group: usize) -> Vec<f64> {
    let q = |i: usize| -> u32 {
        (0..bits).map(|b| (words[(i * bits + b) / 32] >> ((i * bits + b) % 32) & 1) << b).sum()
    };
    let count = words.len() * 32 / bits;
    let weight = |i| f64::from(q(i)) * f64::from(scales[i / group]) + f64::from(biases[i / group]);
    (0..count).map(weight).collect()
}

/// Compares with what a kernel computed. `extra` is an absolute error allowed for element `i`.
pub fn compare(kernel: &str, k: usize, expected: &[Expected], got: &[f32], extra: impl Fn(usize) -> f64) {
    assert_eq!(expected.len(), got.len(), "{kernel}: number of results");
    for (i, (expected, &got)) in expected.iter().zip(got).enumerate() {
        let Expected { value, magnitude } = *expected;
        let got = f64::from(got);
        if value.is_nan() || got.is_nan() {
            assert!(value.is_nan() && got.is_nan(), "{kernel}[{i}]: {got} instead of {value}");
            continue;
        }
        // Beyond f32 a result is infinite; below its normal numbers, steps are of a fixed size.
        if value.abs() > f64::from(f32::MAX) * (1.0 - 1e-6)
            && got.is_infinite()
            && got.signum() == value.signum()
        {
            continue;
        }
        let allowed = bound(kernel, k) * ROUNDING * magnitude + extra(i) + 4.0 * f64::from(f32::from_bits(1));
        let error = (got - value).abs();
        assert!(
            error <= allowed,
            "{kernel}[{i}]: {got} instead of {value}: off by {error:e}, {allowed:e} is allowed"
        );
    }
}

/// Random numbers from a seed that failing tests print.
pub struct Random(u64);

impl Random {
    /// A new seed for each run, or the one in `EXO_SEED`; printed, so that a failure shows it.
    pub fn new() -> Self {
        let clock = std::time::UNIX_EPOCH.elapsed().map_or(1, |time| time.as_nanos() as u64);
        let seed = std::env::var("EXO_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(clock);
        println!("random shapes and data: run again with EXO_SEED={seed}");
        Self(seed)
    }

    /// The next 64 bits, by Steele's `SplitMix` (OOPSLA 2014).
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    /// One of `from..=to`.
    pub fn within(&mut self, from: usize, to: usize) -> usize {
        from + (self.bits() % (to - from + 1) as u64) as usize
    }

    pub fn choose<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.within(0, from.len() - 1)]
    }

    /// Evenly spread over -1..1.
    pub fn float(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / (1 << 23) as f32 - 1.0
    }

    pub fn floats(&mut self, n: usize) -> Vec<f32> {
        (0..n).map(|_| self.float()).collect()
    }

    /// Zeros of both signs, subnormal, tiny, ordinary and large numbers, with `largest` the largest.
    pub fn adversarial(&mut self, n: usize, largest: f32) -> Vec<f32> {
        let one = |random: &mut Self| match random.within(0, 7) {
            0 => 0.0,
            1 => -0.0,
            2 => random.float() * 1e-40,
            3 => random.float() * f32::MIN_POSITIVE,
            4 => random.float() * largest,
            _ => random.float() * 4.0,
        };
        (0..n).map(|_| one(self)).collect()
    }
}

impl Default for Random {
    fn default() -> Self {
        Self::new()
    }
}
