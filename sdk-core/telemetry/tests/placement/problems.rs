//! What is refused, and with which words.

use exo_telemetry::placement::{Problem, ProblemError, place};

use super::cluster::{desk, device, link, problem, ticking};

fn refused(problem: &Problem) -> String {
    place(problem, &ticking()).expect_err("a problem that makes no sense").to_string()
}

#[test]
fn numbers_that_cannot_be_are_refused_by_name() {
    let mut bad = problem(desk());
    bad.devices[1].memory_bytes = f64::NAN;
    assert_eq!(refused(&bad), r#"devices[1] "pixel": memory_bytes is NaN; expected a number from 0 to 9e15"#);

    let mut bad = problem(desk());
    bad.model.layers[7].flops = -1.0;
    assert!(refused(&bad).starts_with("model: layers[7].flops is -1;"));

    let mut bad = problem(desk());
    bad.devices[0].thermal_factor = 40.0;
    assert!(refused(&bad).contains("thermal_factor is 40"));

    let mut bad = problem(desk());
    bad.links.push(link("mac", "pixel", f64::INFINITY));
    assert!(refused(&bad).starts_with("links[0]: latency_s is inf;"));
}

#[test]
fn names_must_be_known_and_differ() {
    let twice = problem(vec![device("mac", 1.0, 1.0), device("mac", 2.0, 2.0)]);
    assert_eq!(refused(&twice), r#"two devices are named "mac"; give each a name of its own"#);

    let mut stranger = problem(desk());
    stranger.links.push(link("mac", "toaster", 0.001));
    assert!(refused(&stranger).contains(r#"links[0] names "toaster", which is no device"#));

    let mut twice = problem(desk());
    twice.links = vec![link("mac", "host", 0.001), link("mac", "host", 0.002)];
    assert!(refused(&twice).contains("a second time"));

    assert!(matches!(problem(vec![device("", 1.0, 1.0)]).check(), Err(ProblemError::Name { index: 0, .. })));
}

#[test]
fn there_is_a_layer_and_not_too_much_of_anything() {
    let mut none = problem(desk());
    none.model.layers.clear();
    assert_eq!(refused(&none), "there are 0 layers; expected 1 to 4096");

    let many = problem((0..1025).map(|index| device(&format!("d{index}"), 1.0, 1.0)).collect());
    assert_eq!(refused(&many), "there are 1025 devices; expected 0 to 1024");

    let mut zero = problem(desk());
    zero.max_devices = Some(0);
    assert!(refused(&zero).contains("max_devices"));

    let mut large = problem(desk());
    large.workload.context_tokens = 1e9;
    large.model.layers[0].kv_bytes_per_token = 1e9;
    assert!(refused(&large).contains("at most 9e15 can be placed"));
}

#[test]
fn json_of_another_shape_says_what_is_missing_and_where_to_look() {
    for (text, expected) in [
        ("", "EOF"),
        ("[]", "not a placement problem"),
        (r#"{"devices": []}"#, "missing field `model`"),
        (r#"{"model": {"layers": [{"bytes": 1e999}]}, "devices": []}"#, "number out of range"),
        (
            r#"{"model": {"layers": [{"bytes": 1}]}, "devices": [], "objective": "speed"}"#,
            "`latency` or `throughput`",
        ),
        (r#"{"model": {"layers": [{"bytes": -1}]}, "devices": []}"#, "layers[0].bytes is -1"),
    ] {
        let why = Problem::from_json(text).expect_err(text).to_string();
        assert!(why.contains(expected), "{text}: {why}");
    }
}

#[test]
fn fields_that_are_not_known_are_passed_over() {
    let text = r#"{"model": {"layers": [{"bytes": 1, "name": "first"}], "author": "me"}, "version": 3,
        "devices": [{"id": "a", "memory_bytes": 1, "flops_per_s": 1, "memory_bytes_per_s": 1, "colour": "red"}]}"#;
    let problem = Problem::from_json(text).expect("unknown fields are no error");
    assert_eq!(problem.time_limit_ms, 5000.0);
    assert!(problem.devices[0].allowed);
}

#[test]
fn any_text_ends_in_a_problem_or_an_error() {
    let text = serde_json::to_string(&problem(desk())).expect("a problem is JSON");
    let mut random = exo_telemetry::Random::seeded(5);
    for _ in 0..1000 {
        let mut bytes = text.clone().into_bytes();
        for _ in 0..=random.below(4) {
            let at = random.below(bytes.len() as u64) as usize;
            bytes[at] = b"0123456789-eE.{}[],:\"n"[random.below(22) as usize];
        }
        if let Ok(mut problem) = Problem::from_json(&String::from_utf8_lossy(&bytes)) {
            problem.time_limit_ms = 1.0;
            let answer = place(&problem, &ticking()).expect("it was checked");
            assert!(answer.cost_s.is_none_or(f64::is_finite));
        }
    }
}
