// For each token of a run in order: a head's state S becomes g S + b (v - g S k) kT, and y = S q, with k and q normed.
// One workgroup for 16 rows of one head's state and all tokens of one run; 8 lanes share a row, in quads that alternate
// so that reads are coalesced, and keep it in registers. A token costs one barrier: S k, S q, q k and the norms are
// summed together, and y comes from them instead of from the new state. A state may be overwritten in place.
// f32 sums in 8 parts; errors grow with the tokens only as far as states do not fade.
//# use sigmoid
//# variant narrow: const QUADS = 4u
//# variant wide: const QUADS = 8u

struct Params {
    items: u32, // workgroups: runs * heads * blocks of rows
    tokens: u32,
    states: u32,
    heads: u32,
    key_heads: u32,
    key: u32,   // elements of a key
    value: u32, // elements of a value: rows of a state
    epsilon: f32,
    qkv: u32, // offsets in words
    decay: u32,
    strength: u32,
    constants: u32,
    runs: u32,
    state: u32,
    y: u32,
}

@group(0) @binding(0) var<storage, read> qkv: array<f32>;
@group(0) @binding(1) var<storage, read> decay: array<f32>;
@group(0) @binding(2) var<storage, read> strength: array<f32>;
@group(0) @binding(3) var<storage, read> constants: array<f32>; // rates, then biases
@group(0) @binding(4) var<storage, read> runs: array<u32>; // state before, state after, first token, tokens
@group(0) @binding(5) var<storage, read_write> state: array<f32>;
@group(0) @binding(6) var<storage, read_write> y: array<f32>;
var<immediate> params: Params;

// Each lane's part of S k, S q, q k and k k, and of q q; twice, so that a token need not wait for who reads the last.
var<workgroup> products: array<vec4<f32>, 256>;
var<workgroup> squares: array<f32, 256>;

fn quad_of_qkv(at: u32) -> vec4<f32> {
    return vec4(qkv[at], qkv[at + 1u], qkv[at + 2u], qkv[at + 3u]);
}

// exp of something negative; beyond -104 it is zero in f32, and drivers need not be asked. NaN stays NaN.
fn fading(d: f32) -> f32 {
    return exp(select(d, -104.0, d < -104.0));
}

@compute @workgroup_size(128)
fn gated_delta(
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let item = group.y * groups.x + group.x;
    if item >= params.items {
        return;
    }
    let blocks = (params.value + 15u) / 16u;
    let head = item / blocks % params.heads;
    let run = params.runs + item / blocks / params.heads * 4u;
    let before = runs[run];
    let after = runs[run + 1u];
    let first = min(runs[run + 2u], params.tokens);
    let end = first + min(runs[run + 3u], params.tokens - first);
    if after >= params.states {
        return;
    }
    let row = item % blocks * 16u + lane / 8u;
    let is_row = row < params.value;
    let part = lane % 8u;

    var s: array<vec4<f32>, QUADS>;
    for (var i = 0u; i < QUADS; i++) {
        let c = 4u * (part + 8u * i);
        s[i] = vec4(0.0);
        if is_row && c < params.key && before < params.states {
            let at = params.state + ((before * params.heads + head) * params.value + row) * params.key + c;
            s[i] = vec4(state[at], state[at + 1u], state[at + 2u], state[at + 3u]);
        }
    }

    let channels = 2u * params.key_heads * params.key + params.heads * params.value;
    let key_head = head / (params.heads / params.key_heads);
    let rate = constants[params.constants + head];
    let bias = constants[params.constants + params.heads + head];
    let length = f32(params.key);
    for (var t = first; t < end; t++) {
        let start = params.qkv + t * channels;
        var k: array<vec4<f32>, QUADS>;
        var sums = vec4(0.0);
        var square = 0.0;
        for (var i = 0u; i < QUADS; i++) {
            let c = 4u * (part + 8u * i);
            k[i] = vec4(0.0);
            if c < params.key {
                let q = quad_of_qkv(start + key_head * params.key + c);
                k[i] = quad_of_qkv(start + (params.key_heads + key_head) * params.key + c);
                sums += vec4(dot(s[i], k[i]), dot(s[i], q), dot(q, k[i]), dot(k[i], k[i]));
                square += dot(q, q);
            }
        }
        let half = (t & 1u) * 128u;
        products[half + lane] = sums;
        squares[half + lane] = square;
        workgroupBarrier();
        sums = vec4(0.0);
        square = 0.0;
        for (var i = 0u; i < 8u; i++) {
            sums += products[half + (lane & 120u) + i];
            square += squares[half + (lane & 120u) + i];
        }
        let of_k = inverseSqrt(sums.w / length + params.epsilon) * inverseSqrt(length);
        let of_q = inverseSqrt(square / length + params.epsilon) / length;
        let opened = decay[params.decay + t * params.heads + head] + bias;
        let softened = max(opened, 0.0) + log(1.0 + fading(-abs(opened)));
        let g = fading(-rate * softened);
        let taken = sigmoid(strength[params.strength + t * params.heads + head]);
        var v = 0.0;
        if is_row {
            v = qkv[start + 2u * params.key_heads * params.key + head * params.value + row];
        }
        // What is new of the value, for the key as it is.
        let news = (v - g * of_k * sums.x) * taken * of_k;
        for (var i = 0u; i < QUADS; i++) {
            s[i] = g * s[i] + news * k[i];
        }
        if is_row && part == 0u {
            y[params.y + (t * params.heads + head) * params.value + row] = of_q * (g * sums.y + news * sums.z);
        }
    }

    for (var i = 0u; i < QUADS; i++) {
        let c = 4u * (part + 8u * i);
        if is_row && c < params.key {
            let at = params.state + ((after * params.heads + head) * params.value + row) * params.key + c;
            state[at] = s[i].x;
            state[at + 1u] = s[i].y;
            state[at + 2u] = s[i].z;
            state[at + 3u] = s[i].w;
        }
    }
}
