// y = w · x for one row of x: dense weights.
// A workgroup computes OUTPUTS values of y. Threads stride over k by quads, neighbours side by side, so that reads
// of w are coalesced and one read of x serves all outputs; shared memory adds up the threads' sums.
// x and w may start anywhere, n and k are any. More rows of x are more workgroups along y.
// f32 accumulation, 64 partial sums an output: |error| <= (k / 64 + 68) * eps * sum |x * w|.
// NaN and infinities as in IEEE 754, but drivers may flush denormals, and f16 denormals of w.
//# use matrix x_words outputs
//# variant f32: use weights_f32
//# variant f16: use weights_f16
//# variant bf16: use weights_bf16

@compute @workgroup_size(THREADS)
fn matvec(@builtin(workgroup_id) tile: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let rows = output_rows(tile.x);
    var sums = vec4(0.0);
    for (var k = thread * 4u; k < params.k; k += THREADS * 4u) {
        let quad = x_quad(tile.y, k);
        sums += vec4(
            dot(weight_quad(rows.x, k), quad),
            dot(weight_quad(rows.y, k), quad),
            dot(weight_quad(rows.z, k), quad),
            dot(weight_quad(rows.w, k), quad),
        );
    }
    finish(tile, thread, sums);
}
