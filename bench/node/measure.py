"""What a member costs, measured from outside, in network namespaces that are made for it.

    measure.py visible             seconds from the start of the process to its node id in the peer's /state
    measure.py memory SECONDS N    bytes resident after that long as a member of a cluster of N nodes
    measure.py idle SECONDS N      share of one core that it used in that time, in a cluster of N nodes

EXO_PHONE names the program. Prints one number. Needs root (or the right to make network namespaces)."""

import json
import os
import random
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve()
sys.path.insert(0, str(HERE.parents[2] / "tests"))
os.environ["PYTHONPATH"] = sys.path[0]

from namespaces.exo import Exo  # noqa: E402
from namespaces.lan import Lan  # noqa: E402
from namespaces.phone import Phone  # noqa: E402
from namespaces.processes import Process, eventually  # noqa: E402
from namespaces.scene import Scene  # noqa: E402


def visible(scene: Scene) -> float:
    exo = scene.exo("mac", "--downloads", "120")
    scene.host("pixel")
    # Its first event after our link is what we wait for: begin at any place of its second.
    time.sleep(3 + random.random())
    began = time.monotonic()
    phone = scene.phone("pixel")
    seen = 0.0
    while not seen:
        nodes = exo.state()["topology"]["nodes"]
        if len(nodes) > 1:
            seen = time.monotonic()
        elif time.monotonic() - began > 20:
            raise SystemExit(f"not seen within 20 s\n{phone.tail()}")
        else:
            time.sleep(0.005)
    return seen - began


def member_of(scene: Scene, nodes: int) -> Phone:
    """A member of a cluster of that many nodes: the phone, one exo, and a crowd."""
    exo: Exo = scene.exo("mac", "--downloads", "120")
    if nodes > 2:
        session = json.dumps({"master_node_id": exo.node_id, "election_clock": 0})
        words = [sys.executable, str(HERE.parent / "crowd.py"), "tcp/127.0.0.1:52414", session, str(nodes - 2)]
        scene.processes.append(Process(exo.host, "crowd", words, scene.directory))
        eventually("the crowd is there", lambda: len(exo.nodes()) == nodes - 1, 30, exo.tail)
        eventually("with its downloads", lambda: len(exo.state()["downloads"]) >= nodes - 2, 90, exo.tail)
    phone = scene.phone("pixel")
    phone.wait_until_seen_by(exo, 20)
    return phone


def memory(scene: Scene, seconds: float, nodes: int) -> float:
    phone = member_of(scene, nodes)
    time.sleep(seconds)
    return phone.resident_bytes()


def idle(scene: Scene, seconds: float, nodes: int) -> float:
    phone = member_of(scene, nodes)
    time.sleep(5)
    before, began = cpu_seconds(phone), time.monotonic()
    time.sleep(seconds)
    return (cpu_seconds(phone) - before) / (time.monotonic() - began)


def cpu_seconds(process: Process) -> float:
    fields = Path(f"/proc/{process.popen.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    if len(sys.argv) < 2 or sys.argv[1] not in ("visible", "memory", "idle"):
        raise SystemExit(__doc__)
    work = {"visible": visible, "memory": memory, "idle": idle}[sys.argv[1]]
    numbers = [float(sys.argv[2]), int(sys.argv[3])] if len(sys.argv) == 4 else []
    with tempfile.TemporaryDirectory() as directory, Lan() as lan:
        scene = Scene(lan, Path(directory))
        try:
            print(work(scene, *numbers))
        finally:
            scene.close()


main()
