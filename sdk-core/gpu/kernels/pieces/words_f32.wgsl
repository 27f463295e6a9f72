// A word of f32 is an element of x.
fn converted(i: u32) -> u32 {
    return x[params.x + i];
}
