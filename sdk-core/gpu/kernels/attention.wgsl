// y = softmax(scale * q · k) · v for each query (a head of a token), over the positions that its token may see:
// window of them, its own the last. Position j is row pages[first + j / page] * page + j % page of the cache; one
// whose page lies beyond the table or the cache is skipped, and a query that has none left gives zeros.
//
// A workgroup takes TILE queries that read the same head of the cache: heads of a token, or of several, which it
// does one run of equal tables after the other. It goes through the positions in blocks of BLOCK:
//   1. eight lanes share a key, a quad each in turn, and leave their sums for the TILE queries;
//   2. each thread adds up the score of one query and position, and the block's maximum moves the weights;
//   3. each thread adds a quad of the values, times their weights, to the sums of all queries.
// A long context is cut into stretches, a workgroup each; their sums are left for attention_merge.wgsl.
//
// f32 sums in the order of positions, moved to the largest score so far: nothing overflows, and what is masked adds
// nothing, not even NaN. NaN in a query, or in a key or value that it sees, makes it NaN.
// |error| <= (head / 8 + positions + 32) * eps * sum (weight * |v|) * (1 + largest sum |scale * q * k|), roughly.
//# variant f32: const TILE = 4u; const MOST_QUADS = 128u; use rows_f32
//# variant f16: const TILE = 4u; const MOST_QUADS = 128u; use rows_f16
//# variant bytes: const TILE = 4u; const MOST_QUADS = 128u; use rows_bytes
//# variant many_f32: const TILE = 8u; const MOST_QUADS = 64u; use rows_f32
//# variant many_f16: const TILE = 8u; const MOST_QUADS = 64u; use rows_f16
//# variant many_bytes: const TILE = 8u; const MOST_QUADS = 64u; use rows_bytes

struct Params {
    queries: u32,  // of a head of the cache: tokens * group
    group: u32,    // heads of q that share a head of the cache
    kv_heads: u32,
    quads: u32,    // of a head
    tiles: u32,    // of the queries
    stretches: u32,
    entries: u32,  // of pages
    cache_rows: u32,
    page: u32,
    window: u32,   // NONE for none
    scale: f32,
    q: u32, // offsets in words
    keys: u32,
    values: u32,
    pages: u32,
    rows: u32,
    y: u32,
    key_scales: u32,
    value_scales: u32,
}

@group(0) @binding(0) var<storage, read> q: array<f32>;
@group(0) @binding(3) var<storage, read> pages: array<u32>;
@group(0) @binding(4) var<storage, read> rows: array<u32>; // by token: where its table begins, its position
@group(0) @binding(5) var<storage, read_write> y: array<f32>;
var<immediate> params: Params;

const THREADS = 128u;
const BLOCK = THREADS / TILE;
// Lanes that share a key.
const SHARERS = 8u;
const NONE = 0xffffffffu;
const LOWEST = -3.4028234e38;

var<workgroup> queries: array<vec4<f32>, TILE * MOST_QUADS>;
var<workgroup> shares: array<f32, THREADS * SHARERS>;
var<workgroup> scores: array<f32, THREADS>;
var<workgroup> weights: array<f32, THREADS>;
var<workgroup> corrections: array<f32, TILE>;
// Rows of this block and of the last, which slower threads may still read.
var<workgroup> block_rows: array<u32, 2u * BLOCK>;

// Positions that a query sees: `start` and on, below `to`.
struct Span {
    first: u32, // entry of its table
    start: u32,
    to: u32,
}

fn span(query: u32) -> Span {
    let at = params.rows + 2u * (query / params.group);
    let first = rows[at];
    let position = rows[at + 1u];
    // Nothing lies beyond the last table.
    let known = select(0u, (params.entries - first) * params.page, first < params.entries);
    let to = select(known, position + 1u, position < known);
    let has_window = params.window != NONE;
    let start = select(0u, position - (params.window - 1u), has_window && position >= params.window);
    return Span(first, start, to);
}

// The row of a position that is within its table; NONE if it is beyond the cache.
fn row_of(first: u32, position: u32) -> u32 {
    let entry = pages[params.pages + first + position / params.page];
    // So much that the product does not overflow.
    if entry > (params.cache_rows - 1u) / params.page {
        return NONE;
    }
    let row = entry * params.page + position % params.page;
    return select(NONE, row, row < params.cache_rows);
}

// Below -104 the exponential is zero in f32, and drivers need not be asked.
fn exponential(d: f32) -> f32 {
    return exp(select(d, -104.0, d < -104.0));
}

@compute @workgroup_size(THREADS)
fn attention(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let item = workgroup.y * workgroups.x + workgroup.x;
    let stretch = item / params.tiles / params.kv_heads;
    if stretch >= params.stretches {
        return;
    }
    let kv = item / params.tiles % params.kv_heads;
    let first_query = item % params.tiles * TILE;
    let count = min(TILE, params.queries - first_query);
    for (var i = thread; i < TILE * params.quads; i += THREADS) {
        let t = i / params.quads;
        var quad = vec4(0.0);
        if t < count {
            let at = params.q + (head_of(first_query + t, kv) * params.quads + i % params.quads) * 4u;
            quad = params.scale * vec4(q[at], q[at + 1u], q[at + 2u], q[at + 3u]);
        }
        queries[t * MOST_QUADS + i % params.quads] = quad;
    }
    workgroupBarrier();

    // The key lanes' part, the query and place of a score, the quad of the values.
    let sharer = thread % SHARERS;
    let query = thread / BLOCK;
    let place = thread % BLOCK;
    let seen = span(first_query + min(query, count - 1u));
    let value_shares = THREADS / params.quads;
    let value_share = thread / params.quads;
    let value_at = thread % params.quads;

    var highest = LOWEST;
    var sums: array<vec4<f32>, TILE>;
    var totals: array<f32, TILE>;
    for (var t = 0u; t < TILE; t += 1u) {
        sums[t] = vec4(0.0);
        totals[t] = 0.0;
    }
    var half = 0u;
    var begin = 0u;
    while begin < count {
        // A run of queries with one table, and all that any of them sees.
        let first = span(first_query + begin).first;
        var end = begin;
        var start = NONE;
        var to = 0u;
        while end < count {
            let next = span(first_query + end);
            if next.first != first {
                break;
            }
            if next.start < next.to {
                start = min(start, next.start);
                to = max(to, next.to);
            }
            end += 1u;
        }
        if start < to {
            let most = (to - start + params.stretches - 1u) / params.stretches;
            start += stretch * most;
            to = min(to, start + most);
        }
        for (var block = start; block < to; block += BLOCK) {
            for (var k = thread / SHARERS; k < BLOCK; k += THREADS / SHARERS) {
                var row = NONE;
                if block + k < to {
                    row = row_of(first, block + k);
                }
                var dots: array<f32, TILE>;
                for (var t = 0u; t < TILE; t += 1u) {
                    dots[t] = 0.0;
                }
                if row != NONE {
                    let head = row * params.kv_heads + kv;
                    for (var i = sharer; i < params.quads; i += SHARERS) {
                        let key = key_quad(head * params.quads + i);
                        for (var t = 0u; t < TILE; t += 1u) {
                            dots[t] += dot(queries[t * MOST_QUADS + i], key);
                        }
                    }
                    let scale = key_scale(head);
                    for (var t = 0u; t < TILE; t += 1u) {
                        dots[t] *= scale;
                    }
                }
                if sharer == 0u {
                    block_rows[half * BLOCK + k] = row;
                }
                for (var t = 0u; t < TILE; t += 1u) {
                    shares[(k * SHARERS + sharer) * TILE + t] = dots[t];
                }
            }
            workgroupBarrier();
            var score = 0.0;
            for (var i = 0u; i < SHARERS; i += 1u) {
                score += shares[(place * SHARERS + i) * TILE + query];
            }
            let position = block + place;
            let sees = query >= begin && query < end && position >= seen.start && position < min(seen.to, to)
                && block_rows[half * BLOCK + place] != NONE;
            scores[thread] = select(LOWEST, score, sees);
            workgroupBarrier();
            var now = highest;
            for (var i = 0u; i < BLOCK; i += 1u) {
                now = max(now, scores[query * BLOCK + i]);
            }
            weights[thread] = select(0.0, exponential(score - now), sees);
            if place == 0u {
                corrections[query] = exponential(highest - now);
            }
            highest = now;
            workgroupBarrier();
            if value_share < value_shares {
                for (var t = 0u; t < TILE; t += 1u) {
                    sums[t] *= corrections[t];
                    totals[t] *= corrections[t];
                }
                for (var k = value_share; k < BLOCK; k += value_shares) {
                    let row = block_rows[half * BLOCK + k];
                    if row == NONE {
                        continue;
                    }
                    let head = row * params.kv_heads + kv;
                    let value = value_quad(head * params.quads + value_at) * value_scale(head);
                    for (var t = 0u; t < TILE; t += 1u) {
                        let weight = weights[t * BLOCK + k];
                        // What is not seen may be anything, and zero times that is not always zero.
                        if bitcast<u32>(weight) != 0u {
                            sums[t] += weight * value;
                            totals[t] += weight;
                        }
                    }
                }
            }
            half = 1u - half;
        }
        begin = end;
    }

    workgroupBarrier();
    if place == 0u {
        corrections[query] = highest;
    }
    for (var t = 0u; t < TILE; t += 1u) {
        // The queries are not needed any more.
        queries[thread] = sums[t];
        scores[thread] = totals[t];
        workgroupBarrier();
        if t < count && value_share == 0u {
            var sum = vec4(0.0);
            var total = 0.0;
            for (var i = 0u; i < value_shares; i += 1u) {
                sum += queries[thread + i * params.quads];
                total += scores[thread + i * params.quads];
            }
            leave(head_of(first_query + t, kv), stretch, thread, sum, total, corrections[t]);
        }
        workgroupBarrier();
    }
}

// The head of q and y that is query number `query` of head `kv` of the cache.
fn head_of(query: u32, kv: u32) -> u32 {
    return (query / params.group * params.kv_heads + kv) * params.group + query % params.group;
}

// Writes a quad of the result, or of the stretch's part of it, with the highest score and the sum of weights after.
fn leave(head: u32, stretch: u32, quad: u32, sum: vec4<f32>, total: f32, highest: f32) {
    if params.stretches == 1u {
        let result = select(sum / total, vec4(0.0), bitcast<u32>(total) == 0u);
        let at = params.y + (head * params.quads + quad) * 4u;
        for (var i = 0u; i < 4u; i += 1u) {
            y[at + i] = result[i];
        }
        return;
    }
    let at = params.y + (head * params.stretches + stretch) * (4u * params.quads + 2u);
    for (var i = 0u; i < 4u; i += 1u) {
        y[at + quad * 4u + i] = sum[i];
    }
    if quad == 0u {
        y[at + 4u * params.quads] = highest;
        y[at + 4u * params.quads + 1u] = total;
    }
}
