// What all kernels of y = x · wᵀ take. Rows of x and w have k columns and follow each other.
struct Params {
    m: u32, // rows of x and y
    n: u32, // rows of w, columns of y
    k: u32,
    stride: u32, // from a row of y to the next
    x: u32,      // offsets in words
    w: u32,
    y: u32,
    scales: u32,
    biases: u32,
    group: u32, // weights that share a scale; k where there are no scales
    scale_format: u32,
}

@group(0) @binding(2) var<storage, read_write> y: array<f32>;
var<immediate> params: Params;
