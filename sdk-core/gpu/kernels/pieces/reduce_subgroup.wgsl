// Sums of floats and maxima of integers over a workgroup of 128 threads: first within subgroups, whatever their size, then over one
// value of each subgroup, which every thread joins itself, in the same order, so that all get one result.

struct Thread {
    @builtin(local_invocation_index) lane: u32,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(num_subgroups) subgroups: u32,
    @builtin(subgroup_invocation_id) subgroup_lane: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
}

var<workgroup> parts: array<f32, 128>;
var<workgroup> integer_parts: array<u32, 128>;

fn workgroup_sum(value: f32, thread: Thread) -> f32 {
    let part = subgroupAdd(value);
    if thread.subgroup_lane == 0u {
        parts[thread.subgroup] = part;
    }
    workgroupBarrier();
    var sum = 0.0;
    for (var i = 0u; i < thread.subgroups; i++) {
        sum += parts[i];
    }
    workgroupBarrier();
    return sum;
}

fn workgroup_max(value: u32, thread: Thread) -> u32 {
    let part = subgroupMax(value);
    if thread.subgroup_lane == 0u {
        integer_parts[thread.subgroup] = part;
    }
    workgroupBarrier();
    var most = integer_parts[0];
    for (var i = 1u; i < thread.subgroups; i++) {
        most = max(most, integer_parts[i]);
    }
    workgroupBarrier();
    return most;
}
