// MLX 8-bit weights for the lanes kernel: 16 in a chunk, four in a word.
@group(0) @binding(1) var<storage, read> weights: array<vec4<u32>>;
alias Chunk = vec4<u32>;
const QUADS = 4u;

fn fetch(row: u32, chunk: u32) -> Chunk {
    return weights[params.w / 4u + row * (params.k / 16u) + chunk];
}

fn quad(chunk: Chunk, t: u32, scaling: Scaling) -> vec4<f32> {
    return fma(numbers(chunk[t]), scaling.scale * POWERS, vec4(scaling.bias));
}
