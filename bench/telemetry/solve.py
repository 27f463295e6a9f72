"""CP-SAT or HiGHS as a rival that answers lines: see bench/race/src/peer.rs for the protocol.

python bench/telemetry/solve.py cp_sat | highs

A line is SECONDS and a file with a problem. The answer is JSON: how it ended, what the plan costs, the proven bound, and
how long the solver itself ran. Reading the file and building the model are not counted. The two solvers clash in one
environment, so only the one that was asked for is imported.
"""

import json
import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from placement.formulas import Json, price  # noqa: E402


def is_counted(problem: Json) -> bool:
    layers = problem["model"]["layers"]
    return not problem["links"] and all(layer == layers[0] for layer in layers)


def cp_sat():
    import ortools
    from placement.cp_sat import solve, solve_counts

    def answer(problem: Json, seconds: float) -> Json:
        if is_counted(problem):
            return solve_counts(problem, seconds)
        found = solve(problem, seconds)
        # It counts in whole nanoseconds; the plan is worth what the formulas say.
        return {**found, "cost_s": price(problem, found["stages"]) if found["stages"] else None}

    return ortools.__version__, answer


def highs():
    import highspy
    from placement.solve_highs import solve

    return highspy.Highs().version(), solve


def told(answer: Json) -> str:
    def known(value: float | None) -> float | None:
        return value if value is not None and math.isfinite(value) else None

    return json.dumps(
        {
            "status": answer["status"],
            "cost_s": known(answer["cost_s"]),
            "lower_bound_s": known(answer["lower_bound_s"]),
            "elapsed_s": answer["elapsed_ms"] / 1e3,
        }
    )


def main() -> None:
    version, answer = {"cp_sat": cp_sat, "highs": highs}[sys.argv[1]]()
    print(f"version {version}\nready", flush=True)
    for line in sys.stdin:
        seconds, file = line.rstrip("\n").split(" ", 1)
        try:
            print(told(answer(json.loads(Path(file).read_text()), float(seconds))), flush=True)
        except Exception as error:  # The benchmark shows it in the row and goes on.
            print("error", type(error).__name__, *str(error).split(), flush=True)


main()
