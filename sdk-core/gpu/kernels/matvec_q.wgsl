// y = w · x for one row of x: MLX affine weights, w = scale * q + bias.
// A workgroup computes OUTPUTS values of y. Threads stride over k by sixteens, which share a scale and a bias:
// scale * sum(q * x) + bias * sum(x), with sum(x) computed once for all outputs.
// x and w may start anywhere, n is any and k any number of groups. More rows of x are more workgroups along y.
// f32 accumulation: |error| <= (k / 64 + 84) * eps * sum (|scale * q * x| + |bias * x|).
// NaN and infinities as in IEEE 754, but drivers may flush denormals.
//# use matrix x_words outputs scaling half
//# variant q4: use weights_q4 numbers_q4
//# variant q6: use weights_q6 numbers_q6
//# variant q8: use weights_q8 numbers_q8

@compute @workgroup_size(THREADS)
fn matvec_q(@builtin(workgroup_id) tile: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let rows = output_rows(tile.x);
    var sums = vec4(0.0);
    for (var k = thread * 16u; k < params.k; k += THREADS * 16u) {
        let a = x_quad(tile.y, k);
        let b = x_quad(tile.y, k + 4u);
        let c = x_quad(tile.y, k + 8u);
        let d = x_quad(tile.y, k + 12u);
        let total = dot((a + b) + (c + d), vec4(1.0));
        let xs = mat4x4(a * POWERS, b * POWERS, c * POWERS, d * POWERS);
        sums += vec4(
            sixteen(rows.x, k, xs, total),
            sixteen(rows.y, k, xs, total),
            sixteen(rows.z, k, xs, total),
            sixteen(rows.w, k, xs, total),
        );
    }
    finish(tile, thread, sums);
}

fn sixteen(row: u32, k: u32, xs: mat4x4<f32>, total: f32) -> f32 {
    let products = dot(numbers(field(row, k)), xs[0])
        + dot(numbers(field(row, k + 4u)), xs[1])
        + dot(numbers(field(row, k + 8u)), xs[2])
        + dot(numbers(field(row, k + 12u)), xs[3]);
    let s = scaling(row, k / params.group);
    return fma(s.scale, products, s.bias * total);
}
