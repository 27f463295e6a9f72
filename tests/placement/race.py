"""Our planner beside CP-SAT and HiGHS on the same problems.

    EXO_PLACE=target/release/examples/place HIGHS_PYTHON=venv-highs/bin/python python -m placement.race [--json]

CP-SAT runs in this environment, HiGHS in one of its own (they clash): without HIGHS_PYTHON it is left out. Times are
those of the solvers alone, without start-up and reading; ours and P14 are the least of several runs.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from . import ours
from .cp_sat import solve, solve_counts
from .formulas import Json, price
from .samples import p14, p14b

RUNS = 7
SECONDS = 10.0


def fastest(runs: list[Json]) -> Json:
    return min(runs, key=lambda run: run["elapsed_ms"])


def highs(problem: Json, runs: int) -> Json | None:
    python = os.environ.get("HIGHS_PYTHON")
    if not python:
        return None
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "problem.json"
        file.write_text(json.dumps(problem))
        command = [python, "-m", "placement.solve_highs", str(file), str(SECONDS)]
        home = Path(__file__).parent.parent
        outputs = [subprocess.run(command, capture_output=True, text=True, check=True, cwd=home) for _ in range(runs)]
    return fastest([json.loads(output.stdout) for output in outputs])


def row(name: str, problem: Json, rival, runs: int) -> Json:
    mine = fastest([ours.place(problem) for _ in range(RUNS)])
    assert abs(price(problem, mine["stages"]) - mine["cost_s"]) <= 1e-9 * mine["cost_s"]
    solvers = {"exo": mine, "cp_sat": fastest([rival(problem, SECONDS) for _ in range(runs)]), "highs": highs(problem, runs)}
    greedy = mine.get("greedy_cost_s")
    return {
        "problem": name,
        "objective": problem["objective"],
        "solvers": {who: brief(answer) for who, answer in solvers.items() if answer},
        "greedy_gap": greedy / mine["cost_s"] - 1 if greedy else None,
    }


def brief(answer: Json) -> Json:
    cost, bound = answer["cost_s"], answer["lower_bound_s"]
    gap = (cost - bound) / cost if cost and bound is not None else None
    return {"status": answer["status"], "elapsed_ms": answer["elapsed_ms"], "cost_s": cost, "gap": gap}


def main() -> None:
    rows = []
    for objective in ("latency", "throughput"):
        rows.append(row("P14", p14(objective), solve_counts, 3))
    for objective in ("latency", "throughput"):
        rows.append(row("P14b", p14b(objective), solve, 1))
    if "--json" in sys.argv:
        print(json.dumps(rows, indent=2))
        return
    print(f"{'problem':8} {'objective':11} {'solver':7} {'status':10} {'ms':>10} {'cost':>12} {'gap':>8}")
    for r in rows:
        for who, a in r["solvers"].items():
            cost = f"{a['cost_s'] * 1e3:.4f} ms" if a["cost_s"] else "none"
            gap = f"{a['gap']:.2%}" if a["gap"] is not None else "?"
            head = f"{r['problem']:8} {r['objective']:11} {who:7} {a['status'][:10]:10}"
            print(f"{head} {a['elapsed_ms']:>10.3f} {cost:>12} {gap:>8}")
        if r["greedy_gap"] is not None:
            print(f"{'':28} our greedy plan alone: {r['greedy_gap']:.2%} above the best")


if __name__ == "__main__":
    main()
