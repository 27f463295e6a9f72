// y = softmax(scale * x), by rows. y may be x.
// One workgroup a row; lanes stride over the columns so that reads are coalesced. Three passes over the row, which
// stays in the cache: maximum, sum of exponentials, result.
// The row's extreme is taken away before scaling, so that nothing overflows; beyond -104 the exponential is 0.
// -inf (a mask) gives 0. NaN or +inf in a row, or nothing but -inf, makes the row NaN: the extreme is found with
// integers, because a driver's max() may drop a NaN.
//# use order
//# variant shared: use reduce_shared
//# variant subgroup: use reduce_subgroup

struct Params {
    rows: u32,
    columns: u32,
    scale: f32,
    x: u32, // offsets in words
    y: u32,
}

@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
var<immediate> params: Params;

// With a negative scale the smallest element is the extreme: turn the signs, not the logic.
fn turned(i: u32) -> u32 {
    return x[i] ^ select(0u, 0x80000000u, params.scale < 0.0);
}

fn exponential(i: u32, extreme: f32) -> f32 {
    let d = (bitcast<f32>(turned(i)) - extreme) * abs(params.scale);
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

    var most = 0u;
    for (var c = thread.lane; c < params.columns; c += 128u) {
        let bits = turned(x0 + c);
        most = max(most, select(order(bits), NAN_LAST, is_nan(bits)));
    }
    let winner = workgroup_max(most, thread);
    let extreme = bitcast<f32>(bits_of_order(winner));
    var sum = 0.0;
    for (var c = thread.lane; c < params.columns; c += 128u) {
        sum += exponential(x0 + c, extreme);
    }
    let poison = select(0u, 0x7fc00000u, winner == NAN_LAST);
    let total = bitcast<f32>(bitcast<u32>(workgroup_sum(sum, thread)) | poison);
    for (var c = thread.lane; c < params.columns; c += 128u) {
        y[y0 + c] = exponential(x0 + c, extreme) / total;
    }
}
