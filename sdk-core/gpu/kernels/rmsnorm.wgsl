// y = x / sqrt(mean(x^2) + epsilon) * weight, by rows. y may be x.
// One workgroup a row; lanes stride over the columns so that reads are coalesced.
// f32 sums: 128 partial sums, then a tree. Elements beyond 1e19 overflow the squares, and the row becomes 0.
// NaN in a row makes the row NaN.
//# variant shared: use reduce_shared
//# variant subgroup: use reduce_subgroup

struct Params {
    rows: u32,
    columns: u32,
    epsilon: f32,
    x: u32, // offsets in words
    weight: u32,
    y: u32,
}

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> weight: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
var<immediate> params: Params;

@compute @workgroup_size(128)
fn rmsnorm(thread: Thread) {
    let row = thread.group.y * thread.groups.x + thread.group.x;
    if row >= params.rows {
        return;
    }
    let x0 = params.x + row * params.columns;
    let y0 = params.y + row * params.columns;

    var squares = 0.0;
    for (var c = thread.lane; c < params.columns; c += 128u) {
        let v = x[x0 + c];
        squares += v * v;
    }
    let mean = workgroup_sum(squares, thread) / f32(params.columns);
    let scale = inverseSqrt(mean + params.epsilon);
    for (var c = thread.lane; c < params.columns; c += 128u) {
        y[y0 + c] = x[x0 + c] * scale * weight[params.weight + c];
    }
}
