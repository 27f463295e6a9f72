// MLX 8-bit weights: four in a word.
@group(0) @binding(1) var<storage, read> weights: array<u32>;

// Weights k to k + 3 of a row, packed; k is a multiple of 4.
fn field(row: u32, k: u32) -> u32 {
    return weights[params.w + row * (params.k / 4u) + k / 4u];
}
