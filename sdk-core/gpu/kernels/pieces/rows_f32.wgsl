// Keys and values of f32: quad i of the cache.
@group(0) @binding(1) var<storage, read> keys: array<f32>;
@group(0) @binding(2) var<storage, read> values: array<f32>;

fn key_quad(i: u32) -> vec4<f32> {
    let at = params.keys + 4u * i;
    return vec4(keys[at], keys[at + 1u], keys[at + 2u], keys[at + 3u]);
}

fn value_quad(i: u32) -> vec4<f32> {
    let at = params.values + 4u * i;
    return vec4(values[at], values[at + 1u], values[at + 2u], values[at + 3u]);
}

fn key_scale(head: u32) -> f32 {
    return 1.0;
}

fn value_scale(head: u32) -> f32 {
    return 1.0;
}
