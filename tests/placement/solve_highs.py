"""The same problems as mixed-integer programs for HiGHS: a rival of the race, in an environment of its own.

    python -m placement.solve_highs PROBLEM.json [SECONDS]   prints {"cost_s": .., "lower_bound_s": .., "elapsed_ms": ..}
"""

import json
import sys
import time

import highspy

from .formulas import Json, head_time, hops, layer_need, layer_time, rooms, workers


def solve(problem: Json, seconds: float = 10.0) -> Json:
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("time_limit", seconds)
    solver.setOptionValue("mip_rel_gap", 0.0)
    layers = problem["model"]["layers"]
    is_counted = not problem["links"] and all(layer == layers[0] for layer in layers)
    objective = counted(solver, problem) if is_counted else flowing(solver, problem)
    begin = time.perf_counter()
    solver.minimize(objective)
    elapsed = time.perf_counter() - begin
    info = solver.getInfo()
    found = info.primal_solution_status == 2
    return {
        "status": solver.modelStatusToString(solver.getModelStatus()).lower(),
        "cost_s": info.objective_function_value if found else None,
        "lower_bound_s": info.mip_dual_bound,
        "elapsed_ms": elapsed * 1e3,
    }


def counted(solver: highspy.Highs, problem: Json):
    """Alike layers and uniform links: how many layers each device has. At least two stages."""
    devices, model = workers(problem), problem["model"]
    layer, depth = model["layers"][0], len(model["layers"])
    link = problem["default_link"]
    hop = link["latency_s"] + model["activation_bytes"] / link["bytes_per_s"]
    used = [solver.addBinary() for _ in devices]
    first = [solver.addBinary() for _ in devices]
    last = [solver.addBinary() for _ in devices]
    count, spent = [], []
    for i, d in enumerate(devices):
        room, room_first, room_last = rooms(problem, d)
        count.append(solver.addIntegral(lb=0, ub=room))
        solver.addConstr(first[i] + last[i] <= used[i])
        solver.addConstr(count[i] >= used[i])
        solver.addConstr(
            count[i] <= room * used[i] - (room - room_first) * first[i] - (room - room_last) * last[i]
        )
        spent.append(layer_time(layer, d) * count[i] + head_time(problem, d) * last[i] + hop * used[i])
    solver.addConstr(sum(first) == 1)
    solver.addConstr(sum(last) == 1)
    solver.addConstr(sum(count) == depth)
    if problem["max_devices"] is not None:
        solver.addConstr(sum(used) <= problem["max_devices"])
    return least(solver, problem, spent)


def flowing(solver: highspy.Highs, problem: Json):
    """Any links and layers: a flow through (device, layer), whose stages are intervals that fit. No subtour can arise,
    because every hop leads to a later layer; only the hop back to the first does not."""
    devices, model = workers(problem), problem["model"]
    depth, count = len(model["layers"]), len(devices)
    hop = hops(problem, devices)
    needs, times = [0.0], [[0.0] for _ in devices]
    for layer in model["layers"]:
        needs.append(needs[-1] + layer_need(problem, layer))
        for row, device in zip(times, devices):
            row.append(row[-1] + layer_time(layer, device))

    stage: dict[tuple[int, int, int], object] = {}
    for d, device in enumerate(devices):
        for a in range(depth):
            for b in range(a + 1, depth + 1):
                extra = (model["embedding_bytes"] if a == 0 else 0) + (model["head_bytes"] if b == depth else 0)
                if needs[b] - needs[a] + extra <= device["memory_bytes"]:
                    stage[d, a, b] = solver.addBinary()
    arcs = {
        (i, j, b): solver.addVariable(lb=0, ub=1)
        for i in range(count)
        for j in range(count)
        for b in range(1, depth)
        if i != j
    }
    back = {(i, j): solver.addBinary() for i in range(count) for j in range(count) if i != j}

    by_end: dict[tuple[int, int], list] = {}
    by_start: dict[tuple[int, int], list] = {}
    for (d, a, b), chosen in stage.items():
        by_end.setdefault((d, b), []).append(chosen)
        by_start.setdefault((d, a), []).append(chosen)
    nothing = solver.addVariable(lb=0, ub=0)
    for d in range(count):
        others = [j for j in range(count) if j != d]
        for b in range(1, depth):
            solver.addConstr(sum(by_end.get((d, b), []), nothing) == sum(arcs[d, j, b] for j in others))
            solver.addConstr(sum(by_start.get((d, b), []), nothing) == sum(arcs[i, d, b] for i in others))
        alone = stage.get((d, 0, depth), nothing)
        solver.addConstr(sum(back[d, j] for j in others) == sum(by_end.get((d, depth), []), nothing) - alone)
        solver.addConstr(sum(back[i, d] for i in others) == sum(by_start.get((d, 0), []), nothing) - alone)
        mine = [chosen for (e, _, _), chosen in stage.items() if e == d]
        solver.addConstr(sum(mine, nothing) <= 1)
    solver.addConstr(sum((c for (_, a, _), c in stage.items() if a == 0), nothing) == 1)
    if problem["max_devices"] is not None:
        solver.addConstr(sum(stage.values(), nothing) <= problem["max_devices"])

    spent = [nothing * 1.0 for _ in devices]
    for (d, a, b), chosen in stage.items():
        head = head_time(problem, devices[d]) if b == depth else 0.0
        spent[d] += (times[d][b] - times[d][a] + head) * chosen
    for (i, j, _), arc in arcs.items():
        spent[i] += hop[i][j] * arc
    for (i, j), arc in back.items():
        spent[i] += hop[i][j] * arc
    return least(solver, problem, spent)


def least(solver: highspy.Highs, problem: Json, spent: list):
    if problem["objective"] == "latency":
        return sum(spent[1:], spent[0])
    largest = solver.addVariable(lb=0)
    for one in spent:
        solver.addConstr(one <= largest)
    return largest * 1.0


if __name__ == "__main__":
    with open(sys.argv[1]) as file:
        print(json.dumps(solve(json.load(file), float(sys.argv[2]) if len(sys.argv) > 2 else 10.0)))
