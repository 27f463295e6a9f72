// Row i of x becomes row slots[i] of the cache, as f32 or f16; a slot beyond the cache is skipped.
// Threads stride over the words of the rows. Rounds to nearest even, as in copy.wgsl. Slots are distinct: of equal ones
// any may win, word by word.
//# variant f32: use words_f32
//# variant f16: use words_f16 half

struct Params {
    n: u32,       // words to write
    columns: u32, // words of a row
    rows: u32,    // of the cache
    x: u32,       // offsets in words
    slots: u32,
    cache: u32,
}

@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read> slots: array<u32>;
@group(0) @binding(2) var<storage, read_write> cache: array<u32>;
var<immediate> params: Params;

@compute @workgroup_size(128)
fn store(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    for (var i = id.x; i < params.n; i += groups.x * 128u) {
        let slot = slots[params.slots + i / params.columns];
        if slot < params.rows {
            cache[params.cache + slot * params.columns + i % params.columns] = converted(i);
        }
    }
}
