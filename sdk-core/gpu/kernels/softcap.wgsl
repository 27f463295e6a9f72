// y = cap * tanh(x / cap), with the cap as number. y may be x.
// Threads stride over the elements. tanh from one exponential of something negative, which no driver overflows, and
// near zero, where that cancels, from its series. Relative error of a few ulp. NaN gives NaN.
//# use unary

// Within 1/4 what the series leaves out is below 1e-8 of the result.
fn hyperbolic_tangent(t: f32) -> f32 {
    let s = t * t;
    let near = t + t * s * (-0.33333333 + s * (0.13333333 + s * (-0.053968254 + s * 0.021869488)));
    let d = -2.0 * abs(t);
    let e = exp(select(d, -104.0, d < -104.0));
    let far = (1.0 - e) / (1.0 + e);
    return select(select(far, -far, t < 0.0), near, abs(t) < 0.25);
}

@compute @workgroup_size(128)
fn softcap(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    for (var i = id.x; i < params.n; i += groups.x * 128u) {
        y[params.y + i] = params.number * hyperbolic_tangent(x[params.x + i] / params.number);
    }
}
