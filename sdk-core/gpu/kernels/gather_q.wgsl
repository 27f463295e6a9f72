// y[i] = table[ids[i]], where the table is MLX affine: weight c of a row is scale * q + bias, one scale and bias
// for each group of columns; q is bits c * bits .. (c + 1) * bits of the row's words.
// The table here is rows first .. first + rows of one of `total` rows: other rows are left to the dispatches that
// hold them, and ids beyond `total` give zeros where zeroes is 1.
// Threads stride over the elements of y. One rounding or two an element.
//# use half
//# variant f32: const FORMAT = F32
//# variant f16: const FORMAT = F16
//# variant bf16: const FORMAT = BF16

const F32 = 1u;
const F16 = 2u;
const BF16 = 3u;

struct Params {
    n: u32, // elements of y
    columns: u32,
    bits: u32,
    group: u32, // columns that share a scale
    first: u32,
    rows: u32,
    total: u32,
    zeroes: u32,
    words: u32, // offsets in words
    scales: u32,
    biases: u32,
    ids: u32,
    y: u32,
}

@group(0) @binding(0) var<storage, read> words: array<u32>;
@group(0) @binding(1) var<storage, read> scales: array<u32>;
@group(0) @binding(2) var<storage, read> biases: array<u32>;
@group(0) @binding(3) var<storage, read> ids: array<u32>;
@group(0) @binding(4) var<storage, read_write> y: array<f32>;
var<immediate> params: Params;

fn quantised(row: u32, column: u32) -> u32 {
    let bit = column * params.bits;
    let word = params.words + row * (params.columns / 32u * params.bits) + (bit >> 5u);
    let shift = bit & 31u;
    var q = words[word] >> shift;
    if shift + params.bits > 32u {
        q |= words[word + 1u] << (32u - shift);
    }
    return q & ((1u << params.bits) - 1u);
}

// Element i of the scales or biases, given the word that holds it.
fn value(word: u32, i: u32) -> f32 {
    if FORMAT == F32 {
        return bitcast<f32>(word);
    }
    let half = (word >> (16u * (i & 1u))) & 0xffffu;
    if FORMAT == F16 {
        return bitcast<f32>(f32_of_f16(half));
    }
    return bitcast<f32>(half << 16u);
}

@compute @workgroup_size(128)
fn gather_q(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    for (var i = id.x; i < params.n; i += groups.x * 128u) {
        let row = ids[params.ids + i / params.columns];
        // Below `first` this wraps around to something large.
        let here = row - params.first;
        if here < params.rows {
            let column = i % params.columns;
            let g = here * (params.columns / params.group) + column / params.group;
            let at = select(g >> 1u, g, FORMAT == F32);
            let scale = value(scales[params.scales + at], g);
            let bias = value(biases[params.biases + at], g);
            y[params.y + i] = scale * f32(quantised(here, column)) + bias;
        } else if row >= params.total && params.zeroes == 1u {
            y[params.y + i] = 0.0;
        }
    }
}
