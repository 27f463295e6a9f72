// Quantised weights as numbers. k is a multiple of 4, and rows are whole groups.
fn weight_quad(row: u32, k: u32) -> vec4<f32> {
    let s = scaling(row, k / params.group);
    return fma(numbers(field(row, k)), s.scale * POWERS, vec4(s.bias));
}
