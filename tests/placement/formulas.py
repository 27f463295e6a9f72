"""What a plan costs and whether it holds, from the documented formulas alone."""

from typing import Any

Json = dict[str, Any]


def workers(problem: Json) -> list[Json]:
    return [d for d in problem["devices"] if d.get("allowed", True) and d.get("thermal_factor", 1.0) > 0]


def layer_time(layer: Json, device: Json) -> float:
    read = layer["bytes"] / device["memory_bytes_per_s"]
    compute = layer["flops"] / device["flops_per_s"]
    return max(read, compute) / device["thermal_factor"]


def head_time(problem: Json, device: Json) -> float:
    return problem["model"]["head_bytes"] / device["memory_bytes_per_s"] / device["thermal_factor"]


def layer_need(problem: Json, layer: Json) -> float:
    return layer["bytes"] + layer["kv_bytes_per_token"] * problem["workload"]["context_tokens"]


def rooms(problem: Json, device: Json) -> tuple[int, int, int]:
    """How many alike layers a device holds between two others, as the first, and as the last of several stages."""
    need, depth = layer_need(problem, problem["model"]["layers"][0]), len(problem["model"]["layers"])

    def room(extra: float) -> int:
        return int(max(0, min(depth, (device["memory_bytes"] - extra) // need)))

    return room(0), room(problem["model"]["embedding_bytes"]), room(problem["model"]["head_bytes"])


def hop_time(problem: Json, sender: str, receiver: str) -> float:
    listed = (k for k in problem["links"] if k["from"] == sender and k["to"] == receiver)
    link = next(listed, problem["default_link"])
    return link["latency_s"] + problem["model"]["activation_bytes"] / link["bytes_per_s"]


def hops(problem: Json, devices: list[Json]) -> list[list[float]]:
    """All hops at once: looking each up in the list is slow for large clusters."""
    listed = {(k["from"], k["to"]): k for k in problem["links"]}
    size = problem["model"]["activation_bytes"]

    def seconds(link: Json) -> float:
        return link["latency_s"] + size / link["bytes_per_s"]

    return [
        [seconds(listed.get((a["id"], b["id"]), problem["default_link"])) if a is not b else 0.0 for b in devices]
        for a in devices
    ]


def price(problem: Json, stages: list[Json]) -> float:
    """The cost of a plan; a plan that breaks a rule is an AssertionError that names the rule."""
    model, devices = problem["model"], {d["id"]: d for d in workers(problem)}
    names = [s["device"] for s in stages]
    assert stages and len(set(names)) == len(names), "each device at most once"
    assert problem["max_devices"] is None or len(stages) <= problem["max_devices"], "no more devices than allowed"
    assert stages[0]["start_layer"] == 0 and stages[-1]["end_layer"] == len(model["layers"]), "all layers"
    spent = []
    for index, stage in enumerate(stages):
        assert stage["device"] in devices, "only devices that may work"
        device = devices[stage["device"]]
        assert index == 0 or stage["start_layer"] == stages[index - 1]["end_layer"], "no gap"
        layers = model["layers"][stage["start_layer"] : stage["end_layer"]]
        assert layers, "no empty stage"
        need = sum(layer_need(problem, layer) for layer in layers)
        time = sum(layer_time(layer, device) for layer in layers)
        if index == 0:
            need += model["embedding_bytes"]
        if index == len(stages) - 1:
            need += model["head_bytes"]
            time += head_time(problem, device)
        assert need <= device["memory_bytes"], f"{stage['device']} holds its stage"
        if len(stages) > 1:
            time += hop_time(problem, stage["device"], names[(index + 1) % len(stages)])
        spent.append(time)
    return sum(spent) if problem["objective"] == "latency" else max(spent)
