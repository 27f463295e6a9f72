// Two operands and a result, element by element. Element i of y takes element i of a, and element i of b or,
// where b is one row for all, element (first + i) % columns.

struct Params {
    n: u32,       // elements
    columns: u32, // of the row b; 0 where b is as long as a
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
    if params.columns == 0u {
        return params.b + i;
    }
    return params.b + (params.first + i) % params.columns;
}
