// Two operands and a result, element by element. Element i of y takes element i of a, and element i of b or,
// where b is one row for all (ROW), element (first + i) % columns. That is a variant of its own because a software
// device runs both sides of a branch, and the remainder costs more than all the rest.

struct Params {
    n: u32,       // elements
    columns: u32, // of the row b
    first: u32,   // column of element 0
    a: u32,       // offsets in words
    b: u32,
    y: u32,
}

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
var<immediate> params: Params;

fn b_index(i: u32) -> u32 {
    if ROW {
        return params.b + (params.first + i) % params.columns;
    }
    return params.b + i;
}
