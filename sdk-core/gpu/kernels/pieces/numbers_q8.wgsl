// Four 8-bit numbers out of a field. The first three are left where they lie in the word, which saves the shifts:
// POWERS brings them to their size, exactly. The last would touch the sign, and is shifted.
const POWERS = vec4<f32>(1.0, 0x1p-8f, 0x1p-16f, 1.0);

fn numbers(field: u32) -> vec4<f32> {
    return vec4<f32>(vec4<i32>(vec4(field & 0xffu, field & 0xff00u, field & 0xff0000u, field >> 24u)));
}
