// bf16 weights for the lanes kernel: eight in a chunk, two in a word.
@group(0) @binding(1) var<storage, read> weights: array<vec4<u32>>;
alias Chunk = vec4<u32>;
const QUADS = 2u;

fn fetch(row: u32, chunk: u32) -> Chunk {
    return weights[params.w / 4u + row * (params.k / 8u) + chunk];
}

fn quad(chunk: Chunk, t: u32, scaling: Scaling) -> vec4<f32> {
    let words = select(chunk.zw, chunk.xy, t == 0u);
    return bitcast<vec4<f32>>(vec4(words.x << 16u, words.x & 0xffff0000u, words.y << 16u, words.y & 0xffff0000u));
}
