// MLX 4-bit weights for the lanes kernel: 32 in a chunk, eight in a word.
@group(0) @binding(1) var<storage, read> weights: array<vec4<u32>>;
alias Chunk = vec4<u32>;
const QUADS = 8u;

fn fetch(row: u32, chunk: u32) -> Chunk {
    return weights[params.w / 4u + row * (params.k / 32u) + chunk];
}

fn quad(chunk: Chunk, t: u32, scaling: Scaling) -> vec4<f32> {
    let field = chunk[t / 2u] >> ((t & 1u) * 16u);
    return fma(numbers(field), scaling.scale * POWERS, vec4(scaling.bias));
}
