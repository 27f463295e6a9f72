"""Clusters that are not as we know them, and things that a guest does not do unless it is asked."""

import pytest

from .processes import eventually
from .scene import Scene


@pytest.mark.parametrize("what", ["event", "field", "state"])
def test_to_an_unknown_build_the_phone_only_listens(scene: Scene, what: str) -> None:
    # The peer itself would take its own dialect for an error: it hears only what others send.
    exo = scene.exo("mac", "--unknown-build", what)
    phone = scene.phone()
    phone.wait_until("listening_only", within=10)
    heard_until = len(list(exo.said(say="indexed"))) + 5
    eventually("life goes on", lambda: len(list(exo.said(say="indexed"))) > heard_until, 10)
    assert phone.state() == "listening_only"
    assert exo.heard(phone.node_id) == []
    assert list(exo.said(say="command")) == []


def test_a_phone_that_hears_something_unknown_later_falls_silent(scene: Scene) -> None:
    exo = scene.exo("mac", "--forgiving")
    phone = scene.phone()
    phone.wait_until_seen_by(exo)
    phone.wait_until("joined", within=2)
    scene.publish("mac", "global_events", scene.global_event(exo, {"NodeThermalChanged": {"event_id": "x"}}))
    phone.wait_until("listening_only", within=5)
    before = exo.heard(phone.node_id)
    eventually("a telemetry round passes", lambda: len(list(exo.said(say="indexed", node=exo.node_id))) > 20, 30)
    assert exo.heard(phone.node_id) == before


def test_listen_only_by_choice_publishes_nothing(scene: Scene) -> None:
    exo = scene.exo()
    phone = scene.phone("pixel", "--listen-only")
    exo.wait_for_line(5, say="link", kind="client", up=True)
    heard_until = len(list(exo.said(say="indexed"))) + 5
    eventually("life goes on", lambda: len(list(exo.said(say="indexed"))) > heard_until, 10)
    assert exo.heard(phone.node_id) == [] and list(exo.said(say="command")) == []
    assert phone.interrupt() == 0


def test_without_an_api_to_ask_the_phone_joins_with_a_partial_view(scene: Scene) -> None:
    exo = scene.exo("mac", "--no-api")
    phone = scene.phone()
    eventually("its events are in the log", lambda: exo.indexed(phone.node_id), 5, exo.tail)
    phone.wait_until("joined", within=5)
    assert phone.latest("view").get("complete_to") is None
    assert [request for request in exo.commands("RequestEventLog") if request["since_idx"] == 0] == []


def test_nothing_listens_on_the_port_of_the_api_unless_the_app_asks(scene: Scene) -> None:
    exo, phone = scene.exo(), scene.phone()
    phone.wait_until_seen_by(exo)
    assert "52415" not in phone.host.listening()
    assert exo.state()["topology"]["connections"] == {}


def test_with_node_id_exposed_the_exo_draws_an_edge_to_the_phone_and_the_phone_none(scene: Scene) -> None:
    exo, phone = scene.exo(), scene.phone("pixel", "--expose-node-id")
    phone.wait_until_seen_by(exo)
    exo.wait_for_line(25, say="edge", sink=phone.node_id)
    eventually("the edge is in /state", lambda: exo.state()["topology"]["connections"], 3, exo.tail)
    (edges,) = exo.state()["topology"]["connections"].items()
    assert edges[0] == exo.node_id and list(edges[1]) == [phone.node_id]


def test_a_phone_that_cannot_compute_announces_neither_memory_nor_backends(scene: Scene) -> None:
    exo, phone = scene.exo(), scene.phone()
    phone.wait_until_seen_by(exo)
    phone.wait_until("joined", within=2)
    state = exo.state()
    assert phone.node_id not in state["nodeMemory"]
    assert not state["nodeBackends"].get(phone.node_id)
