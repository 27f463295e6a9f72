// sum = x + delta, and y = sum / sqrt(mean(sum^2) + epsilon) * weight, by rows. sum and y may each be x or delta.
// One workgroup a row; lanes stride over the columns so that reads are coalesced, and each reads back what it wrote
// itself: no barrier is needed for that.
// f32 sums: 128 partial sums, then a tree. Elements beyond 1e19 overflow the squares, and the row becomes 0.
// NaN in a row makes the row of y NaN.
//# variant shared: use reduce_shared
//# variant subgroup: use reduce_subgroup

struct Params {
    rows: u32,
    columns: u32,
    epsilon: f32,
    x: u32, // offsets in words
    delta: u32,
    weight: u32,
    sum: u32,
    y: u32,
}

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> delta: array<f32>;
@group(0) @binding(2) var<storage, read> weight: array<f32>;
@group(0) @binding(3) var<storage, read_write> sum: array<f32>;
@group(0) @binding(4) var<storage, read_write> y: array<f32>;
var<immediate> params: Params;

@compute @workgroup_size(128)
fn add_rmsnorm(thread: Thread) {
    let row = thread.group.y * thread.groups.x + thread.group.x;
    if row >= params.rows {
        return;
    }
    let first = row * params.columns;

    var squares = 0.0;
    for (var c = thread.lane; c < params.columns; c += 128u) {
        let v = x[params.x + first + c] + delta[params.delta + first + c];
        sum[params.sum + first + c] = v;
        squares += v * v;
    }
    let mean = workgroup_sum(squares, thread) / f32(params.columns);
    let scale = inverseSqrt(mean + params.epsilon);
    for (var c = thread.lane; c < params.columns; c += 128u) {
        y[params.y + first + c] = sum[params.sum + first + c] * scale * weight[params.weight + c];
    }
}
