//! Plans that a person would make, and plans at their limits.

use exo_telemetry::placement::{Answer, Objective, Solver, Status};

use super::cluster::{GB, desk, device, link, order, problem, share, solved, stage};

#[test]
fn a_device_that_holds_all_and_is_fast_works_alone() {
    let mut devices = desk();
    devices[0].memory_bytes = 32.0 * GB;
    let answer = solved(&problem(devices));
    assert_eq!(answer.status, Status::Optimal);
    assert_eq!(answer.stages, [stage("mac", 0, 32)]);
    // 32 layers and the head at 200 GB/s, and no hop.
    assert!((answer.cost_s.expect("a plan") - 17.0 / 200.0).abs() < 1e-12);
    assert_eq!(answer.lower_bound_s, answer.cost_s);
}

#[test]
fn the_fastest_devices_are_filled_first() {
    let answer = solved(&problem(desk()));
    assert_eq!(answer.solver, Solver::Alike);
    assert_eq!(answer.status, Status::Optimal);
    assert_eq!(share(&answer, "host").layers, 0, "the phones have room, and the host is slower");
    assert_eq!(share(&answer, "mac").layers, 24, "in the middle it holds neither embedding nor head");
    assert_eq!(answer.stages.iter().map(|stage| stage.end_layer - stage.start_layer).sum::<usize>(), 32);
}

#[test]
fn a_hot_device_or_one_that_is_not_allowed_gets_no_work() {
    let mut devices = desk();
    devices[1].thermal_factor = 0.0;
    devices[2].allowed = false;
    let answer = solved(&problem(devices));
    assert_eq!(share(&answer, "pixel").layers, 0);
    assert_eq!(share(&answer, "iphone").layers, 0);
    let mut used = order(&answer.stages);
    used.sort_unstable();
    assert_eq!(used, ["host", "mac"]);
}

#[test]
fn a_full_pipeline_uses_hands_that_a_single_token_does_not_want() {
    let mut devices = desk();
    devices[0].memory_bytes = 32.0 * GB;
    let mut wanted = problem(devices);
    wanted.objective = Objective::Throughput;
    let answer = solved(&wanted);
    assert!(answer.stages.len() > 1, "{:?}", answer.stages);
    assert!(answer.cost_s.expect("a plan") < 17.0 / 200.0);
}

#[test]
fn a_token_takes_the_way_round_that_is_fast_in_its_direction() {
    let mut wanted = problem(vec![device("a", 8.0, 100.0), device("b", 8.0, 100.0), device("c", 8.0, 100.0)]);
    let slow = 0.050;
    wanted.links = vec![
        link("a", "c", 0.001),
        link("c", "b", 0.001),
        link("b", "a", 0.001),
        link("a", "b", slow),
        link("b", "c", slow),
        link("c", "a", slow),
    ];
    let answer = solved(&wanted);
    assert_eq!(answer.status, Status::Optimal);
    let order = order(&answer.stages).join("");
    assert!(["acb", "cba", "bac"].contains(&order.as_str()), "{order}");
}

#[test]
fn no_more_devices_than_allowed_are_used() {
    let mut wanted = problem(desk());
    assert_eq!(solved(&wanted).stages.len(), 3);
    wanted.max_devices = Some(2);
    let answer = solved(&wanted);
    assert_eq!(answer.status, Status::Optimal);
    assert_eq!(answer.stages.len(), 2);
}

#[test]
fn six_devices_and_twelve_layers_are_exact_even_without_time() {
    let mut wanted = problem(
        (0..6)
            .map(|at| device(&format!("d{at}"), 2.0 + f64::from(at) / 3.0, 10.0 + f64::from(at * 7 % 5)))
            .collect(),
    );
    wanted.model.layers.truncate(12);
    for (at, layer) in wanted.model.layers.iter_mut().enumerate() {
        layer.bytes *= 1.0 + (at % 3) as f64 / 4.0;
    }
    wanted.links = (0..6)
        .flat_map(|from| (0..6).filter(move |to| *to != from).map(move |to| (from, to)))
        .map(|(from, to)| {
            link(&format!("d{from}"), &format!("d{to}"), 0.001 * f64::from(1 + (from * 5 + to * 3) % 7))
        })
        .collect();
    wanted.time_limit_ms = 0.0;
    for objective in [Objective::Latency, Objective::Throughput] {
        wanted.objective = objective;
        assert_eq!(solved(&wanted).status, Status::Optimal);
    }
}

#[test]
fn a_thousand_devices_get_a_plan_though_there_is_no_time() {
    let mut wanted = problem(
        (0..1024)
            .map(|at| device(&format!("d{at}"), 1.6 + f64::from(at % 7) / 9.0, 20.0 + f64::from(at % 31)))
            .collect(),
    );
    wanted.model.layers = (0..200)
        .map(|at| {
            let mut layer = wanted.model.layers[0];
            layer.bytes *= 1.0 + f64::from(at % 4) / 8.0;
            layer
        })
        .collect();
    wanted.links = (0..1000).map(|at| link(&format!("d{at}"), &format!("d{}", at + 1), 0.001)).collect();
    wanted.time_limit_ms = 0.0;
    let answer = solved(&wanted);
    assert_eq!(answer.status, Status::Feasible);
    let bound = answer.lower_bound_s.expect("a bound");
    assert!(bound > 0.0 && bound < answer.cost_s.expect("a plan"));
}

#[test]
fn links_that_do_not_exist_are_not_used() {
    let mut wanted = problem(desk());
    wanted.default_link = None;
    wanted.links = vec![link("mac", "host", 0.01), link("host", "mac", 0.01)];
    let mut used: Vec<String> = solved(&wanted).stages.into_iter().map(|stage| stage.device).collect();
    used.sort();
    assert_eq!(used, ["host", "mac"]);
}

#[test]
fn the_answer_has_the_documented_names() {
    let answer = solved(&problem(desk()));
    let json = serde_json::to_value(&answer).expect("an answer is JSON");
    for name in
        ["status", "stages", "cost_s", "lower_bound_s", "solver", "elapsed_ms", "devices", "missing_bytes"]
    {
        assert!(json.get(name).is_some(), "{name}");
    }
    assert_eq!(json["status"], "optimal");
    assert!(json.get("parallel").is_none(), "tensor plans were not asked for");
    assert_eq!(serde_json::from_value::<Answer>(json).expect("and JSON is an answer"), answer);
}
