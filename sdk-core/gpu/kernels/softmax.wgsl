// y = softmax(scale * x), by rows. y may be x.
// One workgroup a row; lanes stride over the columns so that reads are coalesced. Three passes over the row, which
// stays in the cache: maximum, sum of exponentials, result.
// The row's extreme is taken away before scaling, so that nothing overflows; beyond -104 the exponential is 0.
// -inf (a mask) gives 0. NaN or +inf in a row, or nothing but -inf, makes the row NaN.
//# variant shared: use reduce_shared
//# variant subgroup: use reduce_subgroup

struct Params {
    rows: u32,
    columns: u32,
    scale: f32,
    x: u32, // offsets in words
    y: u32,
}

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
var<immediate> params: Params;

// exp(d) for d <= 0. Written so that NaN passes through.
fn exp_negative(d: f32) -> f32 {
    return exp(select(d, -104.0, d < -104.0));
}

@compute @workgroup_size(128)
fn softmax(thread: Thread) {
    let row = thread.group.y * thread.groups.x + thread.group.x;
    if row >= params.rows {
        return;
    }
    let x0 = params.x + row * params.columns;
    let y0 = params.y + row * params.columns;
    // With a negative scale the smallest element is the extreme: turn the signs, not the logic.
    let sign = select(1.0, -1.0, params.scale < 0.0);
    let scale = abs(params.scale);

    var most = sign * x[x0];
    for (var c = thread.lane; c < params.columns; c += 128u) {
        most = max(most, sign * x[x0 + c]);
    }
    let extreme = workgroup_max(most, thread);
    var sum = 0.0;
    for (var c = thread.lane; c < params.columns; c += 128u) {
        sum += exp_negative((sign * x[x0 + c] - extreme) * scale);
    }
    let total = workgroup_sum(sum, thread);
    for (var c = thread.lane; c < params.columns; c += 128u) {
        y[y0 + c] = exp_negative((sign * x[x0 + c] - extreme) * scale) / total;
    }
}
