//! Where there is no plan, the answer says what would make one.

use exo_telemetry::placement::Status;

use super::cluster::{GB, device, problem, solved};

#[test]
fn what_is_missing_is_told_in_bytes_and_in_words() {
    let mut wanted = problem(vec![device("mac", 10.0, 200.0), device("pixel", 4.9, 50.0)]);
    let answer = solved(&wanted);
    assert_eq!(answer.status, Status::Infeasible);
    assert!(answer.stages.is_empty() && answer.cost_s.is_none());
    assert_eq!(answer.missing_bytes, 18.0 * GB - 14.9 * GB);
    assert!(
        answer.summary.starts_with("3.1 GB short; nearest: add one device of 3.5 GB"),
        "{}",
        answer.summary
    );

    // What was said to help does help, and less does not.
    wanted.devices.push(device("new", 3.51, 50.0));
    assert_eq!(solved(&wanted).status, Status::Optimal);
    wanted.devices[2].memory_bytes = 3.4 * GB;
    assert_eq!(solved(&wanted).status, Status::Infeasible);
}

#[test]
fn memory_that_is_enough_in_sum_may_still_hold_too_few_whole_layers() {
    let devices = (0..60).map(|at| device(&format!("d{at}"), 0.45, 50.0)).collect();
    let answer = solved(&problem(devices));
    assert_eq!(answer.status, Status::Infeasible);
    assert!(answer.missing_bytes > 0.0, "{}", answer.summary);
}

#[test]
fn a_limit_on_devices_is_named() {
    let mut wanted = problem((0..8).map(|at| device(&format!("d{at}"), 4.0, 50.0)).collect());
    wanted.max_devices = Some(3);
    let answer = solved(&wanted);
    assert_eq!(answer.missing_bytes, 6.0 * GB);
    assert!(answer.summary.contains("or allow more than 3 of the 8 devices"), "{}", answer.summary);
}

#[test]
fn missing_links_are_not_called_missing_memory() {
    let mut wanted = problem(vec![device("mac", 10.0, 200.0), device("pixel", 10.0, 50.0)]);
    wanted.default_link = None;
    let answer = solved(&wanted);
    assert_eq!(answer.status, Status::Infeasible);
    assert_eq!(answer.missing_bytes, 0.0);
    assert!(answer.summary.contains("no links join the devices"), "{}", answer.summary);
}

#[test]
fn an_empty_cluster_lacks_everything() {
    let answer = solved(&problem(Vec::new()));
    assert_eq!(answer.missing_bytes, 18.0 * GB);
    let mut hot = problem(vec![device("mac", 64.0, 200.0)]);
    hot.devices[0].thermal_factor = 0.0;
    let answer = solved(&hot);
    assert!(answer.summary.ends_with("(1 of 1 devices may not or cannot work)"), "{}", answer.summary);
}
