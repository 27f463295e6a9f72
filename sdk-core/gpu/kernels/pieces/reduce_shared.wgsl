// Sums of floats and maxima of integers over a workgroup of 128 threads, through shared memory: for every device.
// 128 values become 8, then 1; every thread joins the last 8 itself, in the same order, so that all get one result.
// Only one barrier separates a call from the next: the first step's array is not read after the second barrier,
// and the second step's is not written before the next call's first.

struct Thread {
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
}

var<workgroup> lanes: array<f32, 128>;
var<workgroup> eighths: array<f32, 8>;
var<workgroup> integers: array<u32, 128>;
var<workgroup> integer_eighths: array<u32, 8>;

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

fn workgroup_max(value: u32, thread: Thread) -> u32 {
    integers[thread.lane] = value;
    workgroupBarrier();
    if thread.lane < 8u {
        var most = integers[thread.lane];
        for (var i = 1u; i < 16u; i++) {
            most = max(most, integers[thread.lane + 8u * i]);
        }
        integer_eighths[thread.lane] = most;
    }
    workgroupBarrier();
    return max(
        max(max(integer_eighths[0], integer_eighths[1]), max(integer_eighths[2], integer_eighths[3])),
        max(max(integer_eighths[4], integer_eighths[5]), max(integer_eighths[6], integer_eighths[7])),
    );
}
