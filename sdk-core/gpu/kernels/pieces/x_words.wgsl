// x read by single words: it may start anywhere.
@group(0) @binding(0) var<storage, read> x: array<f32>;

// Columns k to k + 3 of a row; zeros beyond the row.
fn x_quad(row: u32, k: u32) -> vec4<f32> {
    let i = params.x + row * params.k + k;
    if k + 4u <= params.k {
        return vec4(x[i], x[i + 1u], x[i + 2u], x[i + 3u]);
    }
    var quad = vec4(0.0);
    for (var j = 0u; k + j < params.k; j += 1u) {
        quad[j] = x[i + j];
    }
    return quad;
}
