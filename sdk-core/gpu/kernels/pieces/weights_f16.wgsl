// f16 weights, two in a word; a row of odd length begins in the middle of one.
@group(0) @binding(1) var<storage, read> weights: array<u32>;

fn pair(i: u32) -> vec2<f32> {
    let word = weights[params.w + i];
    return unpack2x16float(word);
}

// Weights k to k + 3 of a row; zeros beyond the row.
fn weight_quad(row: u32, k: u32) -> vec4<f32> {
    let i = row * params.k + k;
    if k + 4u <= params.k {
        if (i & 1u) == 0u {
            return vec4(pair(i / 2u), pair(i / 2u + 1u));
        }
        return vec4(pair(i / 2u).y, pair(i / 2u + 1u), pair(i / 2u + 2u).x);
    }
    var quad = vec4(0.0);
    for (var j = 0u; k + j < params.k; j += 1u) {
        let two = pair((i + j) / 2u);
        quad[j] = select(two.x, two.y, ((i + j) & 1u) == 1u);
    }
    return quad;
}
