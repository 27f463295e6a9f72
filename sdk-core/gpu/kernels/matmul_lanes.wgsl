// y = x · wᵀ for software drivers that run one subgroup as the lanes of a SIMD register (Mesa's llvmpipe).
// There a load from lane-varying addresses costs a branch for each lane and word, and a load from one address is
// no cheaper: so every word is loaded once by one lane, and shuffles, which are single instructions, spread it.
// A workgroup is one subgroup. It computes ROWS rows by LANES * COLUMNS columns; a lane owns COLUMNS columns, and
// for 32 values of k each lane holds one quad of each row of x. No barriers: they would cut the loop in two.
// Wants x and w aligned to 16 bytes and k divisible by the chunk of the format (see the pieces).
// f32 accumulation in the order of k: |error| <= k * eps * sum |x * w|. NaN and infinities as in IEEE 754.
//# variant f32: const ROWS = 8u; const COLUMNS = 4u; use matrix lanes_f32 unscaled
//# variant f16: const ROWS = 8u; const COLUMNS = 4u; use matrix lanes_f16 unscaled
//# variant bf16: const ROWS = 8u; const COLUMNS = 4u; use matrix lanes_bf16 unscaled
//# variant q4: const ROWS = 8u; const COLUMNS = 4u; use matrix lanes_q4 numbers_q4 scaling half
//# variant q6: const ROWS = 8u; const COLUMNS = 4u; use matrix lanes_q6 numbers_q6 scaling half
//# variant q8: const ROWS = 8u; const COLUMNS = 4u; use matrix lanes_q8 numbers_q8 scaling half
//# variant row_f32: const ROWS = 1u; const COLUMNS = 2u; use matrix lanes_f32 unscaled
//# variant row_f16: const ROWS = 1u; const COLUMNS = 2u; use matrix lanes_f16 unscaled
//# variant row_bf16: const ROWS = 1u; const COLUMNS = 2u; use matrix lanes_bf16 unscaled
//# variant row_q4: const ROWS = 1u; const COLUMNS = 2u; use matrix lanes_q4 numbers_q4 scaling half
//# variant row_q6: const ROWS = 1u; const COLUMNS = 2u; use matrix lanes_q6 numbers_q6 scaling half
//# variant row_q8: const ROWS = 1u; const COLUMNS = 2u; use matrix lanes_q8 numbers_q8 scaling half

@group(0) @binding(0) var<storage, read> x: array<vec4<f32>>;

const LANES = 8u;
// Values of k that one round covers: a quad in each lane.
const SPAN = 4u * LANES;

@compute @workgroup_size(LANES)
fn matmul_lanes(
    @builtin(workgroup_id) tile: vec3<u32>,
    @builtin(subgroup_invocation_id) lane: u32,
) {
    let first_row = tile.y * ROWS;
    let first_column = tile.x * (LANES * COLUMNS) + lane;
    let quads = params.k / 4u;
    // Rows of x and w beyond the last are copies of it, and never stored.
    var x_row: array<u32, ROWS>;
    for (var i = 0u; i < ROWS; i += 1u) {
        x_row[i] = params.x / 4u + min(first_row + i, params.m - 1u) * quads;
    }
    var w_row: array<u32, COLUMNS>;
    for (var j = 0u; j < COLUMNS; j += 1u) {
        w_row[j] = min(first_column + j * LANES, params.n - 1u);
    }
    var sums: array<array<f32, COLUMNS>, ROWS>;
    for (var group = 0u; group * params.group < params.k; group += 1u) {
        var scales: array<Scaling, COLUMNS>;
        for (var j = 0u; j < COLUMNS; j += 1u) {
            scales[j] = scaling(w_row[j], group);
        }
        let end = (group + 1u) * params.group;
        for (var first = group * params.group; first < end; first += SPAN) {
            // Quads beyond the end are copies of the last, and no chunk asks for them.
            let mine_at = min(first / 4u + lane, quads - 1u);
            var mine: array<vec4<f32>, ROWS>;
            for (var i = 0u; i < ROWS; i += 1u) {
                mine[i] = x[x_row[i] + mine_at];
            }
            let chunks = min(LANES / QUADS, (end - first) / (4u * QUADS));
            for (var c = 0u; c < chunks; c += 1u) {
                var chunk: array<Chunk, COLUMNS>;
                for (var j = 0u; j < COLUMNS; j += 1u) {
                    chunk[j] = fetch(w_row[j], first / (4u * QUADS) + c);
                }
                for (var t = 0u; t < QUADS; t += 1u) {
                    var w: array<vec4<f32>, COLUMNS>;
                    for (var j = 0u; j < COLUMNS; j += 1u) {
                        w[j] = quad(chunk[j], t, scales[j]);
                    }
                    let source = c * QUADS + t;
                    for (var i = 0u; i < ROWS; i += 1u) {
                        let a = subgroupShuffle(mine[i].x, source);
                        let b = subgroupShuffle(mine[i].y, source);
                        let c = subgroupShuffle(mine[i].z, source);
                        let d = subgroupShuffle(mine[i].w, source);
                        for (var j = 0u; j < COLUMNS; j += 1u) {
                            sums[i][j] = fma(d, w[j].w, fma(c, w[j].z, fma(b, w[j].y, fma(a, w[j].x, sums[i][j]))));
                        }
                    }
                }
            }
        }
    }
    for (var i = 0u; i < ROWS; i += 1u) {
        for (var j = 0u; j < COLUMNS; j += 1u) {
            let row = first_row + i;
            let column = first_column + j * LANES;
            if row < params.m && column < params.n {
                y[params.y + row * params.stride + column] = sums[i][j];
            }
        }
    }
}
