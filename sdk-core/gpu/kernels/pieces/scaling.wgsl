// Scales and biases of MLX's affine quantisation: w = scale * q + bias; all are f16, bf16 or f32.
@group(0) @binding(3) var<storage, read> scales: array<u32>;
@group(0) @binding(4) var<storage, read> biases: array<u32>;

struct Scaling {
    scale: f32,
    bias: f32,
}

// As in lowering/matrix.rs.
const SCALES_F32 = 0u;
const SCALES_F16 = 1u;

// The value number i, out of the word that holds it.
fn scale_value(word: u32, i: u32) -> f32 {
    let half = (word >> (16u * (i & 1u))) & 0xffffu;
    let narrow = select(half << 16u, f32_of_f16(half), params.scale_format == SCALES_F16);
    return bitcast<f32>(select(narrow, word, params.scale_format == SCALES_F32));
}

fn scaling(row: u32, group: u32) -> Scaling {
    let i = row * (params.k / params.group) + group;
    let word = select(i / 2u, i, params.scale_format == SCALES_F32);
    return Scaling(scale_value(scales[params.scales + word], i), scale_value(biases[params.biases + word], i));
}
