// 1 / (1 + exp(-z)), without overflow: the exponential is always of something negative. Beyond -104 it is zero
// in f32, and drivers need not be asked. The tests are written so that NaN passes through.

fn sigmoid(z: f32) -> f32 {
    let d = -abs(z);
    let e = exp(select(d, -104.0, d < -104.0));
    return select(1.0, e, z < 0.0) / (1.0 + e);
}
