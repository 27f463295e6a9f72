"""Links of a known rate and delay, measured by `link_probe`: within a tenth of the truth.

    cargo build -p exo-node --example link_probe
    LINK_PROBE=target/debug/examples/link_probe pytest tests/topology

The buckets are those that `tbf` needs at these rates, and larger ones; trains outlast them. To be done in seconds, both
sides get a larger budget; that the real one is enough for three minutes is shown in virtual time, by
sdk-core/telemetry/tests/topology_prober.rs. `EXO_TEST_LONG=1` does it here too, with the real budget and more links.
"""

import fcntl
import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from namespaces import record
from namespaces.absent import no_namespaces
from namespaces.lan import NETNS, NoNamespaces
from namespaces.processes import Process, die_with_parent, patience

from .wire import FIRST, Wire

TOLERANCE = 0.10
PORT = 52900
KILO = 1 << 10


def program() -> str:
    path = Path(os.environ.get("LINK_PROBE", Path(__file__).parents[2] / "target/debug/examples/link_probe"))
    if not path.exists():
        pytest.fail(f"there is no {path}: cargo build -p exo-node --example link_probe")
    return str(path.resolve())


@contextmanager
def alone() -> Iterator[None]:
    """One measurement at a time on this machine, however many tests run: they would measure each other."""
    with open(Path(tempfile.gettempdir()) / "exo-link-probe.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def measure(wire: Wire, directory: Path, factor: float, within: float) -> dict[str, Any]:
    address = f"{wire.there.ipv4}:{PORT}"
    budget = ["--budget-factor", str(factor)]
    serving = Process(wire.there, "there", [*FIRST, program(), "serve", address, *budget], directory)
    try:
        serving.wait_for_line(5, say="ready")
        command = [*FIRST, program(), "measure", address, "--within", str(within), *budget]
        done = subprocess.run(
            ["nsenter", f"--net={NETNS / wire.here.namespace}", "--", *command],
            capture_output=True,
            text=True,
            timeout=within + 20 * patience(),
            preexec_fn=die_with_parent,
        )
    finally:
        serving.kill()
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    print(done.stderr)
    return said


def assert_close(what: str, reading: dict[str, Any], truth: float, unit: str) -> None:
    assert reading["source"] == "measured", f"{what}: {reading}"
    value = reading["value"]["value"]
    off = value / truth - 1
    assert abs(off) <= TOLERANCE, f"{what}: {value:.6g} {unit}, the truth is {truth:.6g} ({off:+.1%})"


def check(tmp_path: Path, megabits: float, bucket: int, delay_ms: float, factor: float, within: float) -> None:
    """The first measurement counts; on a machine with more to do than cores it may be taken twice more, and says so."""
    name = f"{megabits} Mbit/s, bucket of {bucket // KILO} KiB, {delay_ms} ms each way"
    for more in (2, 1, 0):
        said = on_a_wire(tmp_path, megabits, bucket, delay_ms, factor, within)
        try:
            judge(said, megabits, delay_ms)
            break
        except AssertionError as wrong:
            if not more or os.getloadavg()[0] <= (os.cpu_count() or 1):
                raise
            record.again(f"{name}: {str(wrong).splitlines()[0]}")
    up, down = (said["link"][way]["value"]["value"] * 8 / 1e6 for way in ("bandwidth_up", "bandwidth_down"))
    record.measured(f"{name}: {up:.3g} Mbit/s there, {down:.3g} back, after {said['seconds']:.0f} s")


def on_a_wire(
    tmp_path: Path, megabits: float, bucket: int, delay_ms: float, factor: float, within: float
) -> dict[str, Any]:
    with alone():
        try:
            wire = Wire(megabits, bucket, delay_ms).__enter__()
        except NoNamespaces as why:
            no_namespaces(why)
        try:
            return measure(wire, tmp_path, factor, within)
        finally:
            wire.__exit__()


def judge(said: dict[str, Any], megabits: float, delay_ms: float) -> None:
    assert said["complete"], f"not complete: {said}"
    link, truth = said["link"], megabits * 1e6 / 8
    assert_close("bandwidth there", link["bandwidth_up"], truth, "B/s")
    assert_close("bandwidth back", link["bandwidth_down"], truth, "B/s")
    if delay_ms:
        assert_close("median round trip", link["latency_p50"], 2 * delay_ms / 1e3, "s")
        assert_close("least round trip", link["latency_min"], 2 * delay_ms / 1e3, "s")
    else:
        assert link["latency_p50"]["value"]["value"] < 0.010, f"nothing delays: {link['latency_p50']}"
    assert link["loss"]["value"]["value"] <= 0.05, f"nothing is lost: {link['loss']}"


# One of each rate, the hardest: a large bucket, a delay. More of them, and the real budget, take longer.
LONG = bool(os.environ.get("EXO_TEST_LONG"))
SOME = [(10, 100 * KILO, 0), (100, 64 * KILO, 20), (500, 512 * KILO, 0)]
MORE = [(10, 16 * KILO, 0), (10, 16 * KILO, 20), (100, 64 * KILO, 0), (100, 256 * KILO, 0), (500, 256 * KILO, 0)]


@pytest.mark.parametrize(("megabits", "bucket", "delay_ms"), SOME + MORE * LONG)
def test_a_link_is_known_to_a_tenth(tmp_path: Path, megabits: float, bucket: int, delay_ms: float) -> None:
    check(tmp_path, megabits, bucket, delay_ms, factor=100, within=60)


if LONG:

    @pytest.mark.parametrize(("megabits", "bucket"), [(10, 16 * KILO), (100, 64 * KILO), (500, 256 * KILO)])
    def test_three_minutes_are_enough_within_the_real_budget(tmp_path: Path, megabits: float, bucket: int) -> None:
        check(tmp_path, megabits, bucket, 0, factor=1, within=180)
