// Floats as integers that order as they do: drivers may take `x != x` for false, and integers leave no choice.

// Above every number's order: for NaN that shall win.
const NAN_LAST = 0xffffffffu;

fn is_nan(bits: u32) -> bool {
    return (bits & 0x7fffffffu) > 0x7f800000u;
}

// From -inf to inf: more for the larger, equal for 0 and -0, never 0.
fn order(bits: u32) -> u32 {
    let magnitude = bits & 0x7fffffffu;
    return select(0x80000000u + magnitude, 0x80000000u - magnitude, bits > 0x7fffffffu);
}

fn bits_of_order(order: u32) -> u32 {
    return select(order - 0x80000000u, 0x80000000u | (0x80000000u - order), order < 0x80000000u);
}
