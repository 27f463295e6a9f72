// Four 6-bit numbers out of the low 24 bits of a field. They are left where they lie in the word, which saves
// the shifts: POWERS brings them to their size, exactly.
const POWERS = vec4<f32>(1.0, 0x1p-6f, 0x1p-12f, 0x1p-18f);

fn numbers(field: u32) -> vec4<f32> {
    return vec4<f32>(vec4<i32>(vec4(field) & vec4(0x3fu, 0xfc0u, 0x3f000u, 0xfc0000u)));
}
