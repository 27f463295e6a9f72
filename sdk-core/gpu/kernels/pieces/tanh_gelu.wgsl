// The tanh form of gelu: 0.5 x (1 + tanh(u)) with u = sqrt(2 / pi) (x + 0.044715 x^3).
// Written as x * sigmoid(2 u), which is the same and does not cancel where x is negative.

fn tanh_gelu(x: f32) -> f32 {
    let u2 = x * (1.5957691216057308 + 0.07135481627260025 * x * x);
    return x * sigmoid(u2);
}
