// Sums and maxima over a workgroup of 128 threads, through shared memory: for every device.
// 128 values become 8, then 1; every thread adds the last 8 itself, in the same order, so that all get one result.
// Only one barrier separates a call from the next: the first step's array is not read after the second barrier,
// and the second step's is not written before the next call's first.

struct Thread {
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
}

var<workgroup> lanes: array<f32, 128>;
var<workgroup> eighths: array<f32, 8>;
var<workgroup> keys: array<u32, 128>;
var<workgroup> key_eighths: array<u32, 8>;

fn workgroup_sum(value: f32, thread: Thread) -> f32 {
    lanes[thread.lane] = value;
    workgroupBarrier();
    if thread.lane < 8u {
        var sum = 0.0;
        for (var i = 0u; i < 16u; i++) {
            sum += lanes[thread.lane + 8u * i];
        }
        eighths[thread.lane] = sum;
    }
    workgroupBarrier();
    return ((eighths[0] + eighths[1]) + (eighths[2] + eighths[3]))
        + ((eighths[4] + eighths[5]) + (eighths[6] + eighths[7]));
}

fn workgroup_max(value: f32, thread: Thread) -> f32 {
    lanes[thread.lane] = value;
    workgroupBarrier();
    if thread.lane < 8u {
        var most = lanes[thread.lane];
        for (var i = 1u; i < 16u; i++) {
            most = max(most, lanes[thread.lane + 8u * i]);
        }
        eighths[thread.lane] = most;
    }
    workgroupBarrier();
    return max(
        max(max(eighths[0], eighths[1]), max(eighths[2], eighths[3])),
        max(max(eighths[4], eighths[5]), max(eighths[6], eighths[7])),
    );
}

fn workgroup_max_key(value: u32, thread: Thread) -> u32 {
    keys[thread.lane] = value;
    workgroupBarrier();
    if thread.lane < 8u {
        var most = keys[thread.lane];
        for (var i = 1u; i < 16u; i++) {
            most = max(most, keys[thread.lane + 8u * i]);
        }
        key_eighths[thread.lane] = most;
    }
    workgroupBarrier();
    return max(
        max(max(key_eighths[0], key_eighths[1]), max(key_eighths[2], key_eighths[3])),
        max(max(key_eighths[4], key_eighths[5]), max(key_eighths[6], key_eighths[7])),
    );
}
