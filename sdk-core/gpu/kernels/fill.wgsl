// Every element of y becomes one value, given as the word that holds it (twice, for 16-bit types).
// Threads stride over the words. The half word after an odd number of 16-bit elements is not ours and is kept.

struct Params {
    words: u32, // words, the last of which is half ours where odd is 1
    odd: u32,
    pattern: u32,
    y: u32, // offset in words
}

@group(0) @binding(0) var<storage, read_write> y: array<u32>;
var<immediate> params: Params;

@compute @workgroup_size(128)
fn fill(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    for (var i = id.x; i < params.words; i += groups.x * 128u) {
        var word = params.pattern;
        if params.odd == 1u && i + 1u == params.words {
            word = (word & 0xffffu) | (y[params.y + i] & 0xffff0000u);
        }
        y[params.y + i] = word;
    }
}
