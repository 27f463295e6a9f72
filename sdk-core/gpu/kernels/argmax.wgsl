// y[row] = index of the row's largest element: the first of equals (0 and -0 are equal). NaN never wins, and a
// row of nothing but NaN gives 0.
// One workgroup a row; lanes stride over the columns so that reads are coalesced.
// Elements are compared as integers that order as the floats do. Exact.
//# use order
//# variant shared: use reduce_shared
//# variant subgroup: use reduce_subgroup

struct Params {
    rows: u32,
    columns: u32,
    x: u32, // offsets in words
    y: u32,
}

@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;
var<immediate> params: Params;

@compute @workgroup_size(128)
fn argmax(thread: Thread) {
    let row = thread.group.y * thread.groups.x + thread.group.x;
    if row >= params.rows {
        return;
    }
    let x0 = params.x + row * params.columns;
    var best = 0u;
    var at = thread.lane;
    for (var c = thread.lane; c < params.columns; c += 128u) {
        let bits = x[x0 + c];
        let place = select(order(bits), 0u, is_nan(bits));
        if place > best {
            best = place;
            at = c;
        }
    }
    let winner = workgroup_max(best, thread);
    // The first index is the largest of their complements. Lane 0 always has an element, so a row of NaN gives 0.
    let first = workgroup_max(select(0u, ~at, best == winner), thread);
    if thread.lane == 0u {
        y[params.y + row] = ~first;
    }
}
