// MLX 6-bit weights: sixteen in three words.
@group(0) @binding(1) var<storage, read> weights: array<u32>;

// Weights k to k + 3 of a row, packed; k is a multiple of 4, so that they take 24 bits from a multiple of 8.
fn field(row: u32, k: u32) -> u32 {
    let bit = (k & 31u) * 6u;
    let i = params.w + (row * (params.k / 32u) + k / 32u) * 6u + bit / 32u;
    let shift = bit & 31u;
    if shift <= 8u {
        return weights[i] >> shift;
    }
    return (weights[i] >> shift) | (weights[i + 1u] << (32u - shift));
}
