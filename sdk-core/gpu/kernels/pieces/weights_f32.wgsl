// f32 weights by single words.
@group(0) @binding(1) var<storage, read> weights: array<f32>;

// Weights k to k + 3 of a row; zeros beyond the row.
fn weight_quad(row: u32, k: u32) -> vec4<f32> {
    let i = params.w + row * params.k + k;
    if k + 4u <= params.k {
        return vec4(weights[i], weights[i + 1u], weights[i + 2u], weights[i + 3u]);
    }
    var quad = vec4(0.0);
    for (var j = 0u; k + j < params.k; j += 1u) {
        quad[j] = weights[i + j];
    }
    return quad;
}
