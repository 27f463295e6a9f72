// MLX 6-bit weights for the lanes kernel: 32 in a chunk, sixteen in three words.
@group(0) @binding(1) var<storage, read> weights: array<vec2<u32>>;
struct Chunk {
    a: vec2<u32>,
    b: vec2<u32>,
    c: vec2<u32>,
}
const QUADS = 8u;

fn fetch(row: u32, chunk: u32) -> Chunk {
    let i = params.w / 2u + (row * (params.k / 32u) + chunk) * 3u;
    return Chunk(weights[i], weights[i + 1u], weights[i + 2u]);
}

fn quad(chunk: Chunk, t: u32, scaling: Scaling) -> vec4<f32> {
    let second = t >= 4u;
    let u = select(chunk.a.x, chunk.b.y, second);
    let v = select(chunk.a.y, chunk.c.x, second);
    let w = select(chunk.b.x, chunk.c.y, second);
    let fields = vec4(u, (u >> 24u) | (v << 8u), (v >> 16u) | (w << 16u), w >> 8u);
    return fma(numbers(fields[t & 3u]), scaling.scale * POWERS, vec4(scaling.bias));
}
