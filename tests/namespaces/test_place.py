"""A plan for the cluster that is there, and the wish that exo runs it."""

from typing import Any

from .exo import Exo
from .place import Place, assert_runnable
from .processes import eventually
from .scene import Scene

SMALL, LARGE = "Model-000-8bit", "mlx-community/Model-063-8bit"


def an_exo(scene: Scene, name: str = "mac", *flags: str) -> Exo:
    exo = scene.exo(name, "--downloads", "70", *flags)
    eventually("it shows itself", lambda: exo.knows(exo.node_id), 10, exo.tail)
    return exo


def place(scene: Scene, model: str, *flags: str) -> Place:
    return scene.watch(Place(scene.host("pixel"), scene.directory, model, *flags))


def untouched(exo: Exo) -> bool:
    """Nobody but exo itself has spoken, and no instance was asked for."""
    spoke = {line["node"] for line in exo.said(say="local")} - {exo.node_id, None}
    return not spoke and not exo.commands("CreateInstance") and exo.state()["instances"] == {}


def test_a_plan_is_shown_and_the_cluster_does_not_notice(scene: Scene) -> None:
    exo = an_exo(scene)
    planning = place(scene, SMALL)
    assert planning.ends() == 0, planning.tail()
    assert planning.stages() == [(exo.node_id, 0, 61)]
    report = planning.report()
    assert report["model"] == "mlx-community/Model-000-8bit" and report["handed_over"] is None
    assert {it["about"] for it in report["assumptions"]} == {"mac", "model"}
    assert untouched(exo)


def test_a_plan_that_is_handed_over_becomes_an_instance(scene: Scene) -> None:
    exo = an_exo(scene)
    planning = place(scene, SMALL, "--hand-over")
    assert planning.ends() == 0, planning.tail()
    handed = planning.report()["handed_over"]
    assert handed["seen"] is True
    ring = assert_runnable(exo.state(), handed["instance_id"])
    assert set(ring["shardAssignments"]["nodeToRunner"]) == {exo.node_id}
    (command,) = exo.commands("CreateInstance")
    assert command["command_id"] == handed["command_id"]
    assert list(exo.said(say="refused")) == []


def test_a_model_that_no_machine_holds_becomes_a_ring_of_two(scene: Scene) -> None:
    one, two = an_exo(scene, "one", "--node-id", "c0"), an_exo(scene, "two", "--node-id", "1f")

    def both_ways() -> Any:
        edges = one.state()["topology"]["connections"]
        return edges.get("c0", {}).get("1f") and edges.get("1f", {}).get("c0")

    eventually("edges both ways", both_ways, 30, lambda: one.tail() + two.tail())
    planning = place(scene, LARGE, "--hand-over")
    assert planning.ends() == 0, planning.tail()
    assert {device for device, _, _ in planning.stages()} == {"c0", "1f"}
    instance_id = planning.report()["handed_over"]["instance_id"]
    for exo in (one, two):
        eventually("both have it", lambda exo=exo: instance_id in exo.state()["instances"], 5, exo.tail)
        assert_runnable(exo.state(), instance_id)


def test_a_phone_that_is_a_guest_is_named_and_left_out(scene: Scene) -> None:
    exo = an_exo(scene)
    phone = scene.phone("iphone", "--profile", "pixel-9")
    phone.wait_until_seen_by(exo)
    planning = place(scene, SMALL, "--hand-over")
    assert planning.ends() == 0, planning.tail()
    (guest,) = [it for it in planning.report()["devices"] if it["id"] == phone.node_id]
    assert "offers no backend" in guest["barred"]
    ring = assert_runnable(exo.state(), planning.report()["handed_over"]["instance_id"])
    assert phone.node_id not in ring["shardAssignments"]["nodeToRunner"]


def test_a_model_that_fits_nowhere_is_not_handed_over(scene: Scene) -> None:
    exo = an_exo(scene)
    planning = place(scene, LARGE, "--hand-over")
    assert planning.ends() == 4, planning.tail()
    report = planning.report()
    assert report["answer"]["status"] == "infeasible" and "no plan" in report["handed_over"]["why_not"]
    assert untouched(exo)


def test_a_build_that_nobody_knows_is_planned_for_and_not_touched(scene: Scene) -> None:
    exo = an_exo(scene, "mac", "--unknown-build", "state")
    planning = place(scene, SMALL, "--hand-over")
    assert planning.ends() == 4, planning.tail()
    assert planning.stages() == [(exo.node_id, 0, 61)]
    assert "nodeThermal" in planning.report()["handed_over"]["why_not"]
    assert untouched(exo)


def test_a_model_that_exo_does_not_know_brings_near_names(scene: Scene) -> None:
    exo = an_exo(scene)
    planning = place(scene, "model-000-8bot", "--hand-over")
    assert planning.ends() == 2, planning.tail()
    assert "did you mean" in planning.complaints() and "mlx-community/Model-000-8bit" in planning.complaints()
    assert untouched(exo)
