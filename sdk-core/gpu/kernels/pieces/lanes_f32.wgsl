// f32 weights for the lanes kernel: four in a chunk.
@group(0) @binding(1) var<storage, read> weights: array<vec4<f32>>;
alias Chunk = vec4<f32>;
const QUADS = 1u;

fn fetch(row: u32, chunk: u32) -> Chunk {
    return weights[params.w / 4u + row * (params.k / 4u) + chunk];
}

fn quad(chunk: Chunk, t: u32, scaling: Scaling) -> vec4<f32> {
    return chunk;
}
