//! What may be handed to exo, and how it looks.

use std::sync::Arc;

use exo_wire::card::ModelCard;
use serde_json::{Value, json};

use super::desk::{Desk, GB, id, model};
use crate::{
    Random,
    planning::{HandOverError, Plan, Whereabouts, hand_over},
};

/// The state that an exo with this desk would serve: everybody reaches everybody.
fn state(desk: &Desk) -> Value {
    let real = include_bytes!("../../../../../tests/vectors/exo/state_before_join.json");
    let mut state: Value = serde_json::from_slice(real).unwrap();
    let mut connections = json!({});
    let (mut memory, mut network, mut backends, mut nodes) = (json!({}), json!({}), json!({}), vec![]);
    for (number, (node, known)) in desk.view.nodes.iter().enumerate() {
        let node = node.as_str();
        let ip = |net: usize| format!("10.{net}.0.{}", number + 1);
        nodes.push(node.to_owned());
        let bytes = |bytes: u64| json!({ "inBytes": bytes });
        let free = known.memory.unwrap_or_default().available;
        memory[node] = json!({ "ramTotal": bytes(free), "ramAvailable": bytes(free), "swapTotal": bytes(0), "swapAvailable": bytes(0) });
        let interface =
            |ip: String, kind: &str| json!({ "name": "x", "ipAddress": ip, "interfaceType": kind });
        network[node] = json!({ "interfaces": [interface(ip(1), "wifi"), interface(ip(2), "ethernet")] });
        backends[node] = json!(known.backends);
        for other in desk.view.nodes.keys().filter(|other| other.as_str() != node) {
            let way = |net| json!({ "sinkMultiaddr": { "address": format!("/ip4/{}/tcp/52415", ip(net)) } });
            connections[other.as_str()][node] = json!([way(1), way(2)]);
        }
    }
    state["topology"] = json!({ "nodes": nodes, "connections": connections });
    state["nodeMemory"] = memory;
    state["nodeNetwork"] = network;
    state["nodeBackends"] = backends;
    state["customModelCards"] = json!({ "x": { "modelId": model(1).model_id } });
    state
}

fn handed(plan: &Plan, card: &ModelCard, state: &Value) -> Result<Value, HandOverError> {
    let now = Whereabouts::read(state.to_string().as_bytes())?;
    let sealed = hand_over(plan, &Arc::new(card.clone()), &now, &mut Random::seeded(7))?;
    let body: Value = serde_json::from_slice(sealed.body()).unwrap();
    Ok(body["instance"]["MlxRingInstance"].clone())
}

#[test]
fn a_plan_of_one_device_is_a_ring_of_one() {
    let (desk, card) = (Desk::mixed(), model(30));
    let instance = handed(&desk.plan(&card), &card, &state(&desk)).unwrap();
    let port = &instance["ephemeral_port"];
    let studio = id("studio");
    assert_eq!(instance["hosts_by_node"], json!({ studio.as_str(): [{ "ip": "0.0.0.0", "port": port }] }));
    let runner = instance["shard_assignments"]["node_to_runner"][studio.as_str()].as_str().unwrap();
    let shard = &instance["shard_assignments"]["runner_to_shard"][runner]["PipelineShardMetadata"];
    let place = ["device_rank", "world_size", "start_layer", "end_layer", "n_layers"].map(|key| &shard[key]);
    assert_eq!(place, [0, 1, 0, 30, 30]);
    assert_eq!(shard["model_card"], serde_json::to_value(&card).unwrap());
}

#[test]
fn in_a_ring_each_rank_knows_its_neighbours_by_their_fastest_address_and_nobody_else() {
    let mut desk = Desk::empty();
    for name in ["a", "b", "c", "d"] {
        desk = desk.exo(name, "Apple M4", "MlxMetal", 3);
    }
    let card = model(18);
    let plan = desk.plan(&card);
    assert_eq!(plan.answer.stages.len(), 4);
    let instance = handed(&plan, &card, &state(&desk)).unwrap();
    let port = &instance["ephemeral_port"];
    let order: Vec<&str> = plan.answer.stages.iter().map(|stage| stage.device.as_str()).collect();
    let number = |id: &str| desk.view.nodes.keys().position(|known| known.as_str() == id).unwrap() + 1;
    let cable = |rank: usize| json!({ "ip": format!("10.2.0.{}", number(order[rank])), "port": port });
    let nobody = json!({ "ip": "198.51.100.1", "port": 0 });
    let hosts = &instance["hosts_by_node"];
    assert_eq!(hosts[order[0]], json!([{ "ip": "0.0.0.0", "port": port }, cable(1), nobody, cable(3)]));
    assert_eq!(hosts[order[2]], json!([nobody, cable(1), { "ip": "0.0.0.0", "port": port }, cable(3)]));
    for (rank, stage) in plan.answer.stages.iter().enumerate() {
        let runner = instance["shard_assignments"]["node_to_runner"][&stage.device].as_str().unwrap();
        let shard = &instance["shard_assignments"]["runner_to_shard"][runner]["PipelineShardMetadata"];
        assert_eq!([&shard["device_rank"], &shard["start_layer"]], [rank, stage.start_layer]);
    }
}

#[test]
fn a_node_that_is_gone_by_now_is_refused() {
    let (desk, card) = (Desk::mixed(), model(30));
    let mut state = state(&desk);
    state["topology"]["nodes"].as_array_mut().unwrap().retain(|node| node != id("studio").as_str());
    let refused = handed(&desk.plan(&card), &card, &state).unwrap_err();
    assert_eq!(refused, HandOverError::NotPresent { node: "studio".into() });
}

#[test]
fn a_guest_is_never_handed_over_even_if_it_was_asked_about() {
    let mut desk = Desk::empty().guest("pixel", 8);
    desk.wishes.even_guests = true;
    let card = model(4);
    let plan = desk.plan(&card);
    assert_eq!(plan.layers("pixel"), 4);
    let refused = handed(&plan, &card, &state(&desk)).unwrap_err();
    assert!(matches!(refused, HandOverError::NoBackend { ref node, .. } if node == "pixel"), "{refused}");
}

#[test]
fn a_backend_that_the_model_does_not_run_on_is_refused_too() {
    let (desk, card) = (Desk::mixed(), model(30));
    let mut state = state(&desk);
    state["nodeBackends"][id("studio").as_str()] = json!(["Vllm"]);
    assert!(matches!(handed(&desk.plan(&card), &card, &state), Err(HandOverError::NoBackend { .. })));
}

#[test]
fn neighbours_that_do_not_reach_each_other_are_refused_by_name() {
    let (desk, card) = (Desk::empty().phone("pixel", 4).phone("galaxy", 4), model(12));
    let plan = desk.plan(&card);
    assert_eq!(plan.answer.stages.len(), 2);
    let mut state = state(&desk);
    state["topology"]["connections"][id("pixel").as_str()] = json!({});
    let refused = handed(&plan, &card, &state).unwrap_err();
    assert_eq!(refused, HandOverError::NoWay { from: "pixel".into(), to: "galaxy".into() });
}

#[test]
fn memory_that_is_gone_by_now_is_refused() {
    let (desk, card) = (Desk::mixed(), model(30));
    let mut state = state(&desk);
    state["nodeMemory"][id("studio").as_str()]["ramAvailable"]["inBytes"] = json!(GB);
    let refused = handed(&desk.plan(&card), &card, &state).unwrap_err();
    assert!(matches!(refused, HandOverError::NoMemory { available: GB, .. }), "{refused}");
}

#[test]
fn a_build_that_nobody_knows_gets_nothing_from_us() {
    let (desk, card) = (Desk::mixed(), model(30));
    let mut state = state(&desk);
    state["quantumLinks"] = json!({});
    let refused = handed(&desk.plan(&card), &card, &state).unwrap_err();
    assert!(
        matches!(&refused, HandOverError::UnknownBuild(why) if why.contains("quantumLinks")),
        "{refused}"
    );
}

#[test]
fn a_model_that_exo_would_have_to_search_for_is_refused() {
    let (desk, card) = (Desk::mixed(), model(30));
    let mut state = state(&desk);
    state["customModelCards"] = json!({});
    let refused = handed(&desk.plan(&card), &card, &state).unwrap_err();
    assert!(matches!(refused, HandOverError::NotListed { .. }), "{refused}");
}

#[test]
fn where_there_is_no_plan_there_is_nothing_to_hand_over() {
    let (desk, card) = (Desk::mixed(), model(200));
    let refused = handed(&desk.plan(&card), &card, &state(&desk)).unwrap_err();
    assert!(matches!(refused, HandOverError::NoPlan(_)), "{refused}");
    let other = handed(&desk.plan(&model(30)), &model(31), &state(&desk)).unwrap_err();
    assert!(matches!(other, HandOverError::NoPlan(_)), "a plan of another model: {other}");
}

#[test]
fn each_hand_over_is_an_instance_of_its_own_and_keeps_off_exos_ports() {
    let (desk, card) = (Desk::mixed(), model(30));
    let (plan, card) = (desk.plan(&card), Arc::new(card));
    let now = Whereabouts::read(state(&desk).to_string().as_bytes()).unwrap();
    let mut random = Random::seeded(1);
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..300 {
        let sealed = hand_over(&plan, &card, &now, &mut random).unwrap();
        let body: Value = serde_json::from_slice(sealed.body()).unwrap();
        let port = body["instance"]["MlxRingInstance"]["ephemeral_port"].as_u64().unwrap();
        assert!((49_152..=65_535).contains(&port) && !(52_413..=52_415).contains(&port), "{port}");
        assert!(seen.insert(sealed.instance_id().clone()), "an instance id was used twice");
    }
}
