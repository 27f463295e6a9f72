"""The same problem as a model for CP-SAT, written without looking at our solvers.

Devices are nodes of a circuit (`AddCircuit`): an arc is a hop, a loop is a device that is not used, and the arc back to
the first device is the return hop. The first device is where the layers begin at 0. Times are whole nanoseconds.

    python -m placement.cp_sat PROBLEM.json [SECONDS]        prints {"cost_s": .., "lower_bound_s": .., "elapsed_ms": ..}
"""

import json
import sys
import time

from ortools.sat.python import cp_model

from .formulas import Json, head_time, hops, layer_need, layer_time, rooms, workers

NS = 1e9


def solve(problem: Json, seconds: float = 10.0, workers_count: int = 2) -> Json:
    """The best plan found, with its stages; `status` is CP-SAT's own word."""
    model = cp_model.CpModel()
    devices = workers(problem)
    layers = problem["model"]["layers"]
    count, depth = len(devices), len(layers)
    embedding, head = int(problem["model"]["embedding_bytes"]), int(problem["model"]["head_bytes"])
    nanos = [[round(layer_time(layer, d) * NS) for layer in layers] for d in devices]
    head_nanos = [round(head_time(problem, d) * NS) for d in devices]
    needs = [int(layer_need(problem, layer)) for layer in layers]
    hop_nanos = [[round(h * NS) for h in row] for row in hops(problem, devices)]
    alike = all(layer == layers[0] for layer in layers)

    used = [model.new_bool_var(f"used{i}") for i in range(count)]
    first = [model.new_bool_var(f"first{i}") for i in range(count)]
    last = [model.new_bool_var(f"last{i}") for i in range(count)]
    alone = model.new_bool_var("alone")
    start = [model.new_int_var(0, depth, f"start{i}") for i in range(count)]
    end = [model.new_int_var(0, depth, f"end{i}") for i in range(count)]
    model.add_exactly_one(first)
    model.add_exactly_one(last)

    size, work = [], []
    for i in range(count):
        model.add_implication(first[i], used[i])
        model.add_implication(last[i], used[i])
        model.add(start[i] == 0).only_enforce_if(first[i])
        model.add(end[i] == depth).only_enforce_if(last[i])
        model.add(end[i] >= start[i] + 1).only_enforce_if(used[i])
        model.add(end[i] == start[i]).only_enforce_if(used[i].Not())
        if alike:
            amount = end[i] - start[i]
            size.append(amount * needs[0])
            work.append(amount * nanos[i][0])
        else:
            # holds[l]: the layer is at or behind the start and before the end.
            holds = [model.new_bool_var(f"holds{i},{l}") for l in range(depth)]
            for l in range(depth):
                model.add(start[i] <= l).only_enforce_if(holds[l])
                model.add(end[i] >= l + 1).only_enforce_if(holds[l])
            model.add(sum(holds) == end[i] - start[i])
            size.append(sum(n * h for n, h in zip(needs, holds)))
            work.append(sum(n * h for n, h in zip(nanos[i], holds)))
        extra = embedding * first[i] + head * last[i]
        model.add(size[i] + extra <= int(devices[i]["memory_bytes"]))
    model.add(sum(end[i] - start[i] for i in range(count)) == depth)
    if problem["max_devices"] is not None:
        model.add(sum(used) <= problem["max_devices"])

    # A circuit over the used devices; the others, and one that works alone, are loops.
    arcs, leaving = [], [[] for _ in range(count)]
    for i in range(count):
        loop = model.new_bool_var(f"loop{i}")
        model.add(loop + used[i] == 1).only_enforce_if(alone.Not())
        model.add(loop == 1).only_enforce_if(alone)
        arcs.append((i, i, loop))
        for j in range(count):
            if i != j:
                arc = model.new_bool_var(f"arc{i},{j}")
                arcs.append((i, j, arc))
                leaving[i].append((arc, hop_nanos[i][j]))
                # The layers go on where they ended, except on the way back to the first.
                model.add(start[j] == end[i]).only_enforce_if(arc, last[i].Not())
                model.add_implication(arc, first[j]).only_enforce_if(last[i])
                model.add_implication(arc, last[i]).only_enforce_if(first[j])
    model.add_circuit(arcs)
    model.add(sum(used) == 1).only_enforce_if(alone)
    model.add(sum(used) >= 2).only_enforce_if(alone.Not())

    spent = [
        work[i] + head_nanos[i] * last[i] + sum(nanos_ * arc for arc, nanos_ in leaving[i]) for i in range(count)
    ]
    if problem["objective"] == "latency":
        model.minimize(sum(spent))
    else:
        largest = model.new_int_var(0, 2**50, "largest")
        for i in range(count):
            model.add(largest >= spent[i])
        model.minimize(largest)

    return run(model, devices, used, start, end, seconds, workers_count)


def run(model, devices, used, start, end, seconds: float, workers_count: int) -> Json:
    """Solves a model, and reads the stages from where each device starts and ends."""
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = seconds
    solver.parameters.num_workers = workers_count
    begin = time.perf_counter()
    status = solver.solve(model)
    elapsed = time.perf_counter() - begin
    found = status in (cp_model.OPTIMAL, cp_model.FEASIBLE)
    stages = [
        {"device": device["id"], "start_layer": solver.value(start[i]), "end_layer": solver.value(end[i])}
        for i, device in enumerate(devices)
        if found and solver.value(used[i])
    ]
    return {
        "status": solver.status_name(status).lower(),
        "stages": sorted(stages, key=lambda s: s["start_layer"]),
        "cost_s": solver.objective_value / NS if found else None,
        "lower_bound_s": solver.best_objective_bound / NS if found else None,
        "elapsed_ms": elapsed * 1e3,
    }


def solve_counts(problem: Json, seconds: float = 10.0, workers_count: int = 2) -> Json:
    """Alike layers, uniform links, at least two stages: only how many layers each device has. The kindest model for a
    rival: memory is told as a number of layers, and no order is searched."""
    model = cp_model.CpModel()
    devices = workers(problem)
    layer, depth = problem["model"]["layers"][0], len(problem["model"]["layers"])
    link = problem["default_link"]
    hop = round((link["latency_s"] + problem["model"]["activation_bytes"] / link["bytes_per_s"]) * NS)
    used, first, last, spent, counts = [], [], [], [], []
    for i, device in enumerate(devices):
        room, room_first, room_last = rooms(problem, device)
        used.append(model.new_bool_var(f"used{i}"))
        first.append(model.new_bool_var(f"first{i}"))
        last.append(model.new_bool_var(f"last{i}"))
        counts.append(model.new_int_var(0, room, f"n{i}"))
        model.add(first[i] + last[i] <= used[i])
        model.add(counts[i] >= used[i])
        model.add(counts[i] <= room * used[i] - (room - room_first) * first[i] - (room - room_last) * last[i])
        unit = round(layer_time(layer, device) * NS)
        spent.append(counts[i] * unit + round(head_time(problem, device) * NS) * last[i] + hop * used[i])
    model.add_exactly_one(first)
    model.add_exactly_one(last)
    model.add(sum(counts) == depth)
    if problem["max_devices"] is not None:
        model.add(sum(used) <= problem["max_devices"])
    if problem["objective"] == "latency":
        model.minimize(sum(spent))
    else:
        largest = model.new_int_var(0, 2**50, "largest")
        for one in spent:
            model.add(largest >= one)
        model.minimize(largest)
    # Only counts are told: where each stage lies follows from them.
    zero = [model.new_constant(0)] * len(devices)
    return run(model, devices, used, zero, counts, seconds, workers_count)


if __name__ == "__main__":
    with open(sys.argv[1]) as file:
        print(json.dumps(solve(json.load(file), float(sys.argv[2]) if len(sys.argv) > 2 else 10.0)))
