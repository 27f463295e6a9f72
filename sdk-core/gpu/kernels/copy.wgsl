// y = x, from one element type to another. Threads stride over pairs of elements, so that each writes whole words.
// Rounds to nearest even, in integers: what drivers do when they pack halves differs (some truncate), and this
// does not. Denormals, infinities and NaN are kept (NaN quiet). The half word after an odd end is kept too.
//# use half
//# variant words: const FROM = WORDS; const TO = WORDS
//# variant f32_f16: const FROM = F32; const TO = F16
//# variant f32_bf16: const FROM = F32; const TO = BF16
//# variant f16_f32: const FROM = F16; const TO = F32
//# variant f16_bf16: const FROM = F16; const TO = BF16
//# variant bf16_f32: const FROM = BF16; const TO = F32
//# variant bf16_f16: const FROM = BF16; const TO = F16

const WORDS = 0u; // equal types: bits are copied as they are, and a "pair" is one word
const F32 = 1u;
const F16 = 2u;
const BF16 = 3u;

struct Params {
    pairs: u32, // pairs of elements, the last of which is a single one where odd is 1
    odd: u32,
    x: u32, // offsets in words
    y: u32,
}

@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;
var<immediate> params: Params;

// The bits of elements 2 i and 2 i + 1 as f32; where there is no second, it is never used.
fn load(i: u32, single: bool) -> vec2<u32> {
    if FROM == F32 {
        let at = params.x + 2u * i;
        return vec2(x[at], x[select(at + 1u, at, single)]);
    }
    let word = x[params.x + i];
    if FROM == F16 {
        return vec2(f32_of_f16(word & 0xffffu), f32_of_f16(word >> 16u));
    }
    return vec2(word << 16u, word & 0xffff0000u);
}

fn store(i: u32, single: bool, bits: vec2<u32>) {
    if TO == F32 {
        let at = params.y + 2u * i;
        y[at] = bits.x;
        if !single {
            y[at + 1u] = bits.y;
        }
        return;
    }
    if TO == F16 {
        store_word(i, single, f16_of_f32(bits.x) | f16_of_f32(bits.y) << 16u);
    } else {
        store_word(i, single, bf16_of_f32(bits.x) | bf16_of_f32(bits.y) << 16u);
    }
}

fn store_word(i: u32, single: bool, word: u32) {
    if single {
        y[params.y + i] = (word & 0xffffu) | (y[params.y + i] & 0xffff0000u);
    } else {
        y[params.y + i] = word;
    }
}

@compute @workgroup_size(128)
fn copy(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    for (var i = id.x; i < params.pairs; i += groups.x * 128u) {
        let single = params.odd == 1u && i + 1u == params.pairs;
        if FROM == WORDS {
            store_word(i, single, x[params.x + i]);
        } else {
            store(i, single, load(i, single));
        }
    }
}
