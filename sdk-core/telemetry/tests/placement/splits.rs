//! Layers split across devices, where that is allowed and cheaper.

use exo_telemetry::placement::{LinkSpeed, Objective, Parallel, Problem, Solver, Status, Tensor};

use super::cluster::{GB, device, problem, share, solved};

fn twins(latency_s: f64) -> Problem {
    let mut wanted = problem(vec![device("a", 24.0, 100.0), device("b", 24.0, 100.0)]);
    wanted.default_link = Some(LinkSpeed { latency_s, bytes_per_s: 5e9 });
    wanted.tensor = Some(Tensor { kv_heads: 8, hidden_size: 4096 });
    wanted
}

#[test]
fn twins_on_a_fast_cable_halve_the_time_of_a_token() {
    let answer = solved(&twins(5e-6));
    assert_eq!(answer.parallel, Some(Parallel::Tensor));
    assert_eq!(answer.solver, Solver::Tensor);
    assert_eq!(answer.status, Status::Optimal);
    // Half of 17 GB at 100 GB/s, and 64 all-reduces of 2 steps with half of the activations each.
    let expected = 17.0 / 2.0 / 100.0 + 64.0 * 2.0 * (5e-6 + 4096.0 / 5e9);
    assert!((answer.cost_s.expect("a plan") - expected).abs() < 1e-12);
    assert!(answer.stages.iter().all(|stage| stage.start_layer == 0 && stage.end_layer == 32));
    assert!(share(&answer, "a").why.contains("1/2 of every layer"));
    assert!(answer.next_best.expect("the pipeline").worse_by > 0.5);
}

#[test]
fn over_wifi_one_device_alone_is_faster_than_two_that_talk() {
    let answer = solved(&twins(0.003));
    assert_eq!(answer.parallel, Some(Parallel::Pipeline));
    assert_eq!(answer.status, Status::Optimal);
    assert_eq!(answer.stages.len(), 1);
}

#[test]
fn heads_that_do_not_divide_are_not_split() {
    let mut wanted = twins(5e-6);
    wanted.tensor = Some(Tensor { kv_heads: 7, hidden_size: 4096 });
    assert_eq!(solved(&wanted).parallel, Some(Parallel::Pipeline));
    wanted.tensor = Some(Tensor { kv_heads: 8, hidden_size: 4095 });
    assert_eq!(solved(&wanted).parallel, Some(Parallel::Pipeline));
}

#[test]
fn a_device_without_room_for_its_share_is_left_out() {
    let mut wanted = twins(5e-6);
    wanted.devices.push(device("c", 24.0, 90.0));
    wanted.devices.push(device("small", 4.0, 400.0));
    let answer = solved(&wanted);
    assert_eq!(answer.parallel, Some(Parallel::Tensor));
    assert_eq!(answer.stages.len(), 2, "three do not divide 8 heads, four have no room");
    assert_eq!(share(&answer, "small").layers, 0);
    assert!(share(&answer, "small").why.contains("its memory is the limit"));
    wanted.devices[3].memory_bytes = 8.0 * GB;
    assert_eq!(solved(&wanted).stages.len(), 4);
}

#[test]
fn a_model_that_fits_only_when_split_is_split() {
    let mut wanted = twins(0.003);
    wanted.model.layers.truncate(1);
    wanted.model.layers[0].bytes = 10.0 * GB;
    wanted.devices.iter_mut().for_each(|device| device.memory_bytes = 6.5 * GB);
    for objective in [Objective::Latency, Objective::Throughput] {
        wanted.objective = objective;
        let answer = solved(&wanted);
        assert_eq!(answer.parallel, Some(Parallel::Tensor));
        assert_eq!(answer.status, Status::Optimal);
    }
}
