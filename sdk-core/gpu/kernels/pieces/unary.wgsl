// One operand and a result, element by element, and a number that some take.

struct Params {
    n: u32,      // elements
    number: f32, // what the kernel says
    x: u32,      // offsets in words
    y: u32,
}

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
var<immediate> params: Params;
