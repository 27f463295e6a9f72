// y = x · wᵀ, tile by tile through shared memory, weights dequantised on the way in.
// A workgroup computes TILE_M rows by TILE_N columns, a thread 4 rows by 8 columns of it, in registers. Shared
// memory holds DEPTH values of k at a time, k-major, so that a thread reads rows and columns as whole vectors.
// Loads are single words, neighbouring threads along k: x and w may start anywhere, and m, n, k are any.
// f32 accumulation in the order of k: |error| <= k * eps * sum |x * w|. NaN and infinities as in IEEE 754, but
// drivers may flush denormals, and f16 denormals of w.
//# use matrix x_words
//# variant f32: const TILE_M = 64u; const TILE_N = 64u; const DEPTH = 16u; use weights_f32
//# variant f16: const TILE_M = 64u; const TILE_N = 64u; const DEPTH = 16u; use weights_f16
//# variant bf16: const TILE_M = 64u; const TILE_N = 64u; const DEPTH = 16u; use weights_bf16
//# variant q4: const TILE_M = 64u; const TILE_N = 64u; const DEPTH = 16u; use weights_q4 numbers_q4 dequantised scaling half
//# variant q6: const TILE_M = 64u; const TILE_N = 64u; const DEPTH = 16u; use weights_q6 numbers_q6 dequantised scaling half
//# variant q8: const TILE_M = 64u; const TILE_N = 64u; const DEPTH = 16u; use weights_q8 numbers_q8 dequantised scaling half
//# variant few_f32: const TILE_M = 8u; const TILE_N = 256u; const DEPTH = 8u; use weights_f32
//# variant few_f16: const TILE_M = 8u; const TILE_N = 256u; const DEPTH = 8u; use weights_f16
//# variant few_bf16: const TILE_M = 8u; const TILE_N = 256u; const DEPTH = 8u; use weights_bf16
//# variant few_q4: const TILE_M = 8u; const TILE_N = 256u; const DEPTH = 8u; use weights_q4 numbers_q4 dequantised scaling half
//# variant few_q6: const TILE_M = 8u; const TILE_N = 256u; const DEPTH = 8u; use weights_q6 numbers_q6 dequantised scaling half
//# variant few_q8: const TILE_M = 8u; const TILE_N = 256u; const DEPTH = 8u; use weights_q8 numbers_q8 dequantised scaling half

// Quads of k in a row of a tile.
const DEPTH_QUADS = DEPTH / 4u;
const ROW_QUADS = TILE_M / 4u;
const COLUMN_QUADS = TILE_N / 4u;
// Threads across the columns.
const ACROSS = TILE_N / 8u;
const THREADS = ACROSS * ROW_QUADS;

var<workgroup> x_tile: array<vec4<f32>, DEPTH * ROW_QUADS>;
var<workgroup> w_tile: array<vec4<f32>, DEPTH * COLUMN_QUADS>;

@compute @workgroup_size(THREADS)
fn matmul(@builtin(workgroup_id) tile: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let first_row = tile.y * TILE_M;
    let first_column = tile.x * TILE_N;
    let across = thread % ACROSS;
    let down = thread / ACROSS;
    var a0 = vec4(0.0);
    var a1 = vec4(0.0);
    var a2 = vec4(0.0);
    var a3 = vec4(0.0);
    var b0 = vec4(0.0);
    var b1 = vec4(0.0);
    var b2 = vec4(0.0);
    var b3 = vec4(0.0);
    for (var first = 0u; first < params.k; first += DEPTH) {
        // Rows beyond the last are copies of it, and never stored.
        for (var i = thread; i < TILE_M * DEPTH_QUADS; i += THREADS) {
            let row = i / DEPTH_QUADS;
            let k = i % DEPTH_QUADS * 4u;
            let quad = x_quad(min(first_row + row, params.m - 1u), first + k);
            for (var j = 0u; j < 4u; j += 1u) {
                x_tile[(k + j) * ROW_QUADS + row / 4u][row % 4u] = quad[j];
            }
        }
        for (var i = thread; i < TILE_N * DEPTH_QUADS; i += THREADS) {
            let row = i / DEPTH_QUADS;
            let k = i % DEPTH_QUADS * 4u;
            var quad = vec4(0.0);
            if first + k < params.k {
                quad = weight_quad(min(first_column + row, params.n - 1u), first + k);
            }
            for (var j = 0u; j < 4u; j += 1u) {
                w_tile[(k + j) * COLUMN_QUADS + row / 4u][row % 4u] = quad[j];
            }
        }
        workgroupBarrier();
        for (var k = 0u; k < DEPTH; k += 1u) {
            let rows = x_tile[k * ROW_QUADS + down];
            let a = w_tile[k * COLUMN_QUADS + across];
            let b = w_tile[k * COLUMN_QUADS + ACROSS + across];
            a0 = fma(vec4(rows.x), a, a0);
            a1 = fma(vec4(rows.y), a, a1);
            a2 = fma(vec4(rows.z), a, a2);
            a3 = fma(vec4(rows.w), a, a3);
            b0 = fma(vec4(rows.x), b, b0);
            b1 = fma(vec4(rows.y), b, b1);
            b2 = fma(vec4(rows.z), b, b2);
            b3 = fma(vec4(rows.w), b, b3);
        }
        workgroupBarrier();
    }
    let row = first_row + down * 4u;
    let left = first_column + across * 4u;
    let right = left + TILE_N / 2u;
    store(row, left, a0);
    store(row + 1u, left, a1);
    store(row + 2u, left, a2);
    store(row + 3u, left, a3);
    store(row, right, b0);
    store(row + 1u, right, b1);
    store(row + 2u, right, b2);
    store(row + 3u, right, b3);
}

fn store(row: u32, column: u32, values: vec4<f32>) {
    if row < params.m {
        for (var j = 0u; j < 4u && column + j < params.n; j += 1u) {
            y[params.y + row * params.stride + column + j] = values[j];
        }
    }
}
