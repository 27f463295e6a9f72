// A word of f16 is two elements of x.
fn converted(i: u32) -> u32 {
    return f16_of_f32(x[params.x + 2u * i]) | f16_of_f32(x[params.x + 2u * i + 1u]) << 16u;
}
