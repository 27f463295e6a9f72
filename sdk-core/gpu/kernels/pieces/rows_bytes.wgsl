// Keys and values of 8 bits with a sign, four in a word, and a scale for each head of a row.
@group(0) @binding(1) var<storage, read> keys: array<u32>;
@group(0) @binding(2) var<storage, read> values: array<u32>;
@group(0) @binding(6) var<storage, read> key_scales: array<f32>;
@group(0) @binding(7) var<storage, read> value_scales: array<f32>;

fn bytes(word: u32) -> vec4<f32> {
    return vec4<f32>(bitcast<vec4<i32>>(vec4(word << 24u, word << 16u, word << 8u, word)) >> vec4(24u));
}

fn key_quad(i: u32) -> vec4<f32> {
    return bytes(keys[params.keys + i]);
}

fn value_quad(i: u32) -> vec4<f32> {
    return bytes(values[params.values + i]);
}

fn key_scale(head: u32) -> f32 {
    return key_scales[params.key_scales + head];
}

fn value_scale(head: u32) -> f32 {
    return value_scales[params.value_scales + head];
}
