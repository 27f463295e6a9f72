"""The judgement at the end of each scenario can be harsh: every fault below fails it, and nothing else does."""

import json
from collections.abc import Callable
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from . import processes, record
from .exo import Exo
from .phone import Phone
from .place import assert_runnable
from .processes import Process, eventually

MASTER, PHONE = "c0", "1f"


def local(idx: int, event_id: str, origin: str = "stream") -> dict[str, Any]:
    facts = {"origin": origin, "idx": idx, "event_id": event_id, "tag": "NodeGatheredInfo", "node": PHONE}
    return {"say": "local", "master": MASTER, "clock": 0, **facts}


def indexed(idx: int, event_id: str) -> dict[str, Any]:
    return {"say": "indexed", "idx": idx, "event_id": event_id, "node": PHONE, "origin": "stream"}


def forgiven(payload: str, digest: str) -> dict[str, Any]:
    return {"say": "forgiven", "payload": payload, "digest": digest}


def stats(**figures: int) -> dict[str, Any]:
    return {"kind": "stats", "refused": 0, **figures}


SOUND = [local(0, "a"), indexed(0, "a"), local(1, "b"), indexed(1, "b"), local(1, "b")]

UNSOUND = {
    "a payload that its parser refused": [*SOUND, {"say": "invalid"}],
    "two contents for a waiting index": [*SOUND, {"say": "contradiction"}],
    "an end after parsing": [*SOUND, {"say": "crashed"}],
    "a message that nobody judged": [*SOUND, {"say": "dropped", "number": 1}],
    "an index for two events": [*SOUND, {"say": "reused", "origin": "stream", "idx": 1}],
    "an index that never came": [*SOUND, local(3, "d")],
    "an event twice in the log": [*SOUND, indexed(2, "a")],
    "a gap in the log": [*SOUND, indexed(3, "d")],
}


def after(kind: type[Process], directory: Path, lines: list[dict[str, Any]], complaints: str = "") -> Any:
    """A process that is over and left these lines."""
    process = kind.__new__(kind)
    process.name, process.read_to, process.lines = "it", 0, []
    process.log_path, process.err_path = directory / "it.log", directory / "it.err"
    process.log_path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    process.err_path.write_text(complaints)
    if isinstance(process, Exo):
        process.forgives, process.node_id = False, MASTER
    return process


def test_a_sound_log_with_a_repeat_passes(tmp_path: Path) -> None:
    after(Exo, tmp_path, SOUND).assert_log_is_sound()


@pytest.mark.parametrize("fault", UNSOUND)
def test_an_unsound_log_fails(tmp_path: Path, fault: str) -> None:
    with pytest.raises(AssertionError):
        after(Exo, tmp_path, UNSOUND[fault]).assert_log_is_sound()


def test_a_traceback_of_the_judge_fails(tmp_path: Path) -> None:
    with pytest.raises(AssertionError):
        after(Exo, tmp_path, SOUND, "Traceback (most recent call last):").assert_log_is_sound()


def test_only_what_was_ordered_is_forgiven(tmp_path: Path) -> None:
    exo = after(Exo, tmp_path, [*SOUND, forgiven("foul", "by order")])
    exo.assert_forgave_nobody_but({"by order"}, {PHONE})
    with pytest.raises(AssertionError, match="nobody was told"):
        exo.assert_forgave_nobody_but(set(), {PHONE})


@pytest.mark.parametrize("mark", [PHONE, "stream"])
def test_what_bears_the_mark_of_a_phone_is_not_forgiven(tmp_path: Path, mark: str) -> None:
    exo = after(Exo, tmp_path, [*SOUND, forgiven(f'{{"origin":"{mark}"}}', "by order")])
    with pytest.raises(AssertionError, match="a phone sent this"):
        exo.assert_forgave_nobody_but({"by order"}, {PHONE})


def test_a_phone_without_fault_passes(tmp_path: Path) -> None:
    after(Phone, tmp_path, [{"kind": "state", "state": "joined"}, stats()]).assert_sound()


@pytest.mark.parametrize(
    ("line", "complaints"),
    [
        (stats(refused=1), ""),
        ({"kind": "state", "state": "failed"}, ""),
        (stats(), "thread 'main' panicked at src/main.rs:1:1:"),
    ],
)
def test_a_phone_with_a_fault_fails(tmp_path: Path, line: dict[str, Any], complaints: str) -> None:
    with pytest.raises(AssertionError):
        after(Phone, tmp_path, [line, stats()], complaints).assert_sound()


def test_what_a_master_says_about_a_phone_is_no_event_of_the_phone(tmp_path: Path) -> None:
    timed_out = {**local(0, "gone", origin="the master's own"), "tag": "NodeTimedOut"}
    exo = after(Exo, tmp_path, [*SOUND, timed_out, {**indexed(2, "gone"), "origin": "the master's own"}])
    assert exo.origins_of(PHONE) == {"stream"}
    assert len(exo.indexed(PHONE)) == 3


def test_what_came_late_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = count()
    monkeypatch.setattr(processes, "patience", lambda: 2.0)
    monkeypatch.setattr(processes, "time", SimpleNamespace(monotonic=lambda: next(seconds), sleep=lambda _: None))

    def after_looks(number: int) -> Callable[[], bool]:
        looks = count(1)
        return lambda: next(looks) == number

    record.take()
    eventually("the fifth look", after_looks(5), within=5)
    assert record.take() == []
    eventually("the eighth look", after_looks(8), within=5)
    assert record.take() == [("late", "the eighth look took 8.0 s instead of 5.0 s")]
    with pytest.raises(AssertionError, match="not within 5 s"):
        eventually("the twelfth look", after_looks(12), within=5)


def test_patience_ends_at_twice_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.getloadavg", lambda: (1000.0, 0.0, 0.0))
    assert processes.patience() == 2.0
    monkeypatch.setattr("os.getloadavg", lambda: (0.0, 0.0, 0.0))
    assert processes.patience() == 1.0


def ring_of_two() -> dict[str, Any]:
    """A state with a sound instance on two nodes."""
    card = {"modelId": "m", "nLayers": 3, "backends": ["MlxCpu"]}

    def shard(rank: int, start: int, end: int) -> dict[str, Any]:
        facts = {"deviceRank": rank, "worldSize": 2, "startLayer": start, "endLayer": end, "nLayers": 3}
        return {"PipelineShardMetadata": {"modelCard": card, **facts}}

    def way(ip: str) -> list[Any]:
        return [{"sinkMultiaddr": {"ip_address": ip}}]

    own = {"ip": "0.0.0.0", "port": 50000}
    assigned = {"runnerToShard": {"ra": shard(0, 0, 2), "rb": shard(1, 2, 3)}, "nodeToRunner": {"a": "ra", "b": "rb"}}
    hosts = {"a": [own, {"ip": "10.0.0.2", "port": 50000}], "b": [{"ip": "10.0.0.1", "port": 50000}, own]}
    ring = {"shardAssignments": assigned, "hostsByNode": hosts, "ephemeralPort": 50000}
    connections = {"a": {"b": way("10.0.0.2")}, "b": {"a": way("10.0.0.1")}}
    return {
        "instances": {"i": {"MlxRingInstance": ring}},
        "topology": {"nodes": ["a", "b"], "connections": connections},
        "nodeBackends": {"a": ["MlxCpu"], "b": ["MlxCpu"]},
    }


def test_a_ring_that_exo_could_start_passes() -> None:
    assert_runnable(ring_of_two(), "i")


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("topology.nodes", ["a"]),
        ("nodeBackends.b", []),
        ("nodeBackends.b", ["Vllm"]),
        ("instances.i.MlxRingInstance.shardAssignments.runnerToShard.rb.PipelineShardMetadata.deviceRank", 0),
        ("instances.i.MlxRingInstance.shardAssignments.runnerToShard.rb.PipelineShardMetadata.startLayer", 1),
        ("instances.i.MlxRingInstance.shardAssignments.runnerToShard.rb.PipelineShardMetadata.endLayer", 2),
        ("instances.i.MlxRingInstance.hostsByNode.a", [{"ip": "0.0.0.0", "port": 50000}]),
        ("instances.i.MlxRingInstance.hostsByNode.b", [{"ip": "10.9.9.9", "port": 50000}] * 2),
        ("instances.i.MlxRingInstance.ephemeralPort", 50001),
    ],
)
def test_a_ring_that_exo_could_not_start_fails(path: str, value: Any) -> None:
    state = ring_of_two()
    *way, last = path.split(".")
    part: Any = state
    for key in way:
        part = part[key]
    part[last] = value
    with pytest.raises(AssertionError):
        assert_runnable(state, "i")
