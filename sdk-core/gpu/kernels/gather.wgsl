// y[i] = table[ids[i]], as f32. The table here is rows first .. first + rows of one of `total` rows: other rows
// are left to the dispatches that hold them, and ids beyond `total` give zeros where zeroes is 1.
// Threads stride over the elements of y. Exact.
//# use half
//# variant f32: const FORMAT = F32
//# variant f16: const FORMAT = F16
//# variant bf16: const FORMAT = BF16

const F32 = 1u;
const F16 = 2u;
const BF16 = 3u;

struct Params {
    n: u32, // elements of y
    columns: u32,
    first: u32,
    rows: u32,
    total: u32,
    zeroes: u32,
    table: u32, // offsets in words
    ids: u32,
    y: u32,
}

@group(0) @binding(0) var<storage, read> table: array<u32>;
@group(0) @binding(1) var<storage, read> ids: array<u32>;
@group(0) @binding(2) var<storage, read_write> y: array<u32>;
var<immediate> params: Params;

// The bits of an element of the table as f32.
fn element(i: u32) -> u32 {
    if FORMAT == F32 {
        return table[params.table + i];
    }
    let half = (table[params.table + (i >> 1u)] >> (16u * (i & 1u))) & 0xffffu;
    if FORMAT == F16 {
        return f32_of_f16(half);
    }
    return half << 16u;
}

@compute @workgroup_size(128)
fn gather(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    for (var i = id.x; i < params.n; i += groups.x * 128u) {
        let row = ids[params.ids + i / params.columns];
        // Below `first` this wraps around to something large.
        let here = row - params.first;
        if here < params.rows {
            y[params.y + i] = element(here * params.columns + i % params.columns);
        } else if row >= params.total && params.zeroes == 1u {
            y[params.y + i] = 0u;
        }
    }
}
