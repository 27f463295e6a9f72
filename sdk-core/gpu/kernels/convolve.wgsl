// y = silu(sum of weight * x) over the last inputs of each channel, and those inputs become the state.
// Threads stride over (run, channel) and pass the run's tokens in order, so that reads are coalesced and a state may be
// overwritten in place: it is read by the thread that writes it, and not after.
// One rounding for each tap, and a few ulp of the sigmoid.
//# use sigmoid

struct Params {
    n: u32, // items: runs * channels
    taps: u32,
    channels: u32,
    tokens: u32,
    states: u32,
    x: u32, // offsets in words
    weight: u32,
    runs: u32,
    state: u32,
    y: u32,
}

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> weight: array<f32>;
@group(0) @binding(2) var<storage, read> runs: array<u32>; // state before, state after, first token, tokens
@group(0) @binding(3) var<storage, read_write> state: array<f32>;
@group(0) @binding(4) var<storage, read_write> y: array<f32>;
var<immediate> params: Params;

// Input i of a channel: the state's come first.
fn input(i: u32, before: u32, first: u32, c: u32) -> f32 {
    let kept = params.taps - 1u;
    if i >= kept {
        return x[params.x + (first + i - kept) * params.channels + c];
    }
    if before >= params.states {
        return 0.0;
    }
    return state[params.state + (before * kept + i) * params.channels + c];
}

@compute @workgroup_size(128)
fn convolve(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    for (var item = id.x; item < params.n; item += groups.x * 128u) {
        let run = params.runs + item / params.channels * 4u;
        let c = item % params.channels;
        let before = runs[run];
        let after = runs[run + 1u];
        let first = min(runs[run + 2u], params.tokens);
        let count = min(runs[run + 3u], params.tokens - first);
        if after >= params.states {
            continue;
        }
        for (var t = 0u; t < count; t++) {
            var sum = 0.0;
            for (var j = 0u; j < params.taps; j++) {
                sum += weight[params.weight + j * params.channels + c] * input(t + j, before, first, c);
            }
            y[params.y + (first + t) * params.channels + c] = sum * sigmoid(sum);
        }
        let to = params.state + after * (params.taps - 1u) * params.channels + c;
        for (var j = 0u; j < params.taps - 1u; j++) {
            state[to + j * params.channels] = input(count + j, before, first, c);
        }
    }
}
