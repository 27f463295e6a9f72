"""Our answers against CP-SAT, and the example as a person uses it.

    EXO_PLACE=target/release/examples/place python -m pytest tests/placement
"""

from pathlib import Path

import pytest

from . import ours
from .cp_sat import solve, solve_counts
from .formulas import price
from .samples import cluster

OBJECTIVES = ["latency", "throughput"]
# CP-SAT counts whole nanoseconds, one rounding a layer.
ROUNDING = 1e-6


def checked(problem: dict) -> dict:
    """Our answer, after its plan was priced from the formulas."""
    answer = ours.place(problem)
    assert answer["status"] in ("optimal", "feasible"), answer["summary"]
    assert price(problem, answer["stages"]) == pytest.approx(answer["cost_s"], rel=1e-9)
    assert answer["lower_bound_s"] <= answer["cost_s"] * (1 + 1e-12)
    if answer["status"] == "optimal":
        assert answer["lower_bound_s"] == pytest.approx(answer["cost_s"], abs=1e-9)
    return answer


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("seed", range(3))
def test_five_devices_and_any_links_agree_with_cp_sat(objective: str, seed: int) -> None:
    problem = cluster(seed, 5, 10, objective=objective, plenty=2.5)
    answer, theirs = checked(problem), solve(problem, 20)
    assert theirs["status"] == "optimal" and answer["status"] == "optimal"
    assert answer["cost_s"] == pytest.approx(theirs["cost_s"], abs=ROUNDING)
    assert price(problem, theirs["stages"]) == pytest.approx(theirs["cost_s"], abs=ROUNDING)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("plenty", [1.2, 3.0])
@pytest.mark.parametrize("max_devices", [None, 12])
def test_alike_layers_over_uniform_links_agree_with_cp_sat(objective: str, plenty: float, max_devices: int) -> None:
    problem = cluster(5, 24, 48, objective=objective, alike=True, uniform=True, plenty=plenty, max_devices=max_devices)
    theirs = solve_counts(problem, 10)
    if theirs["status"] == "infeasible":
        assert ours.place(problem)["status"] == "infeasible"
        return
    answer = checked(problem)
    assert answer["status"] == "optimal"
    if theirs["status"] == "optimal":
        assert answer["cost_s"] == pytest.approx(theirs["cost_s"], abs=ROUNDING)
    else:
        assert theirs["lower_bound_s"] - ROUNDING <= answer["cost_s"] <= theirs["cost_s"] + ROUNDING


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_a_dozen_devices_are_never_worse_than_cp_sat(objective: str) -> None:
    problem = cluster(3, 12, 48, objective=objective, time_limit_ms=30_000)
    answer, theirs = checked(problem), solve(problem, 4)
    assert answer["status"] == "optimal"
    assert theirs["cost_s"] is None or answer["cost_s"] <= theirs["cost_s"] + ROUNDING
    assert theirs["lower_bound_s"] is None or theirs["lower_bound_s"] <= answer["cost_s"] + ROUNDING


def test_a_large_cluster_keeps_its_time_and_its_promise() -> None:
    problem = cluster(8, 40, 80, time_limit_ms=1500)
    answer = checked(problem)
    assert answer["greedy_cost_s"] >= answer["cost_s"]
    assert 0 < answer["lower_bound_s"] <= answer["cost_s"]


def test_a_file_that_is_no_problem_is_refused_with_words(tmp_path: Path) -> None:
    bad = tmp_path / "bad.json"
    for text, expected in [
        ("not json", "this is not a placement problem"),
        ('{"model": {"layers": []}, "devices": []}', "there are 0 layers"),
        ('{"model": {"layers": [{"bytes": -5}]}, "devices": []}', "layers[0].bytes is -5"),
    ]:
        bad.write_text(text)
        done = ours.run(str(bad))
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("error: ") and expected in done.stderr
    missing = ours.run(str(tmp_path / "nothing.json"))
    assert missing.returncode == 2 and "cannot read" in missing.stderr


def test_help_teaches_and_no_file_is_an_error() -> None:
    assert ours.run("--help").returncode == 0
    assert "docs/placement.md" in ours.run("--help").stdout
    assert ours.run().returncode == 2
