// y[row] = index of the row's largest element: the first of equals (0 and -0 are equal). NaN never wins, and a
// row of nothing but NaN gives 0.
// One workgroup a row; lanes stride over the columns so that reads are coalesced.
// Elements are compared as integers that order as the floats do: drivers may take `x != x` for false. Exact.
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

// 0 for NaN, and more for every number.
fn key(bits: u32) -> u32 {
    let magnitude = bits & 0x7fffffffu;
    if magnitude > 0x7f800000u {
        return 0u;
    }
    return select(0x80000000u + magnitude, 0x80000000u - magnitude, bits > 0x7fffffffu);
}

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
        let k = key(x[x0 + c]);
        if k > best {
            best = k;
            at = c;
        }
    }
    let winner = workgroup_max_key(best, thread);
    // The first index is the largest of their complements. Lane 0 always has an element, so a row of NaN gives 0.
    let first = workgroup_max_key(select(0u, ~at, best == winner), thread);
    if thread.lane == 0u {
        y[params.y + row] = ~first;
    }
}
