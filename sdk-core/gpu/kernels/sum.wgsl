// y[row] = sum of the row.
// One workgroup a row; lanes stride over the columns so that reads are coalesced.
// f32: 128 partial sums, then a tree; the error is at most (columns / 128 + 24) half ulp of the sum of magnitudes.
//# variant shared: use reduce_shared
//# variant subgroup: use reduce_subgroup

struct Params {
    rows: u32,
    columns: u32,
    x: u32, // offsets in words
    y: u32,
}

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
var<immediate> params: Params;

@compute @workgroup_size(128)
fn sum(thread: Thread) {
    let row = thread.group.y * thread.groups.x + thread.group.x;
    if row >= params.rows {
        return;
    }
    let x0 = params.x + row * params.columns;
    var part = 0.0;
    for (var c = thread.lane; c < params.columns; c += 128u) {
        part += x[x0 + c];
    }
    let total = workgroup_sum(part, thread);
    if thread.lane == 0u {
        y[params.y + row] = total;
    }
}
