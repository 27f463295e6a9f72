// Keys and values of f16, two in a word: quad i of the cache. Heads are whole quads, so that none begins within a word.
@group(0) @binding(1) var<storage, read> keys: array<u32>;
@group(0) @binding(2) var<storage, read> values: array<u32>;

fn key_quad(i: u32) -> vec4<f32> {
    let at = params.keys + 2u * i;
    return vec4(unpack2x16float(keys[at]), unpack2x16float(keys[at + 1u]));
}

fn value_quad(i: u32) -> vec4<f32> {
    let at = params.values + 2u * i;
    return vec4(unpack2x16float(values[at]), unpack2x16float(values[at + 1u]));
}

fn key_scale(head: u32) -> f32 {
    return 1.0;
}

fn value_scale(head: u32) -> f32 {
    return 1.0;
}
