// Four 4-bit numbers out of the low 16 bits of a field. They are left where they lie in the word, which saves
// the shifts: POWERS brings them to their size, exactly.
const POWERS = vec4<f32>(1.0, 0x1p-4f, 0x1p-8f, 0x1p-12f);

fn numbers(field: u32) -> vec4<f32> {
    return vec4<f32>(vec4<i32>(vec4(field) & vec4(0xfu, 0xf0u, 0xf00u, 0xf000u)));
}
