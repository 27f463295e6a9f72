"""The peer among its own kind: what the protocol says of several exo nodes holds for it."""

import pytest
from namespaces.processes import eventually
from namespaces.scene import Scene

from peer.life import EXIT_CRASHED


def test_a_lone_node_is_its_own_master_and_shows_itself(scene: Scene) -> None:
    exo = scene.exo("mac", "--node-id", "abc")
    eventually("it shows itself", lambda: exo.knows("abc"), 5, exo.tail)
    assert exo.get("/node_id") == "abc"
    assert exo.state()["nodeIdentities"]["abc"]["friendlyName"] == "mac"


def test_two_nodes_meet_elect_the_larger_name_and_share_one_log(scene: Scene) -> None:
    # Both ways `c0` is the greater: it dials and it wins.
    first, second = scene.exo("one", "--node-id", "c0"), scene.exo("two", "--node-id", "1f")
    for exo in (first, second):
        eventually("both are in /state", lambda exo=exo: exo.knows("c0") and exo.knows("1f"), 15, exo.tail)
    assert [exo.master() for exo in (first, second)] == ["c0", "c0"]
    assert list(second.said(say="nack")), "the late one pulled the history"


def test_the_survivor_of_a_killed_master_takes_over_with_a_new_session(scene: Scene) -> None:
    master, other = scene.exo("one", "--node-id", "c0"), scene.exo("two", "--node-id", "1f")
    eventually("they are one", lambda: other.knows("c0") and other.master() == "c0", 15, other.tail)
    scene.kill(master)
    other.wait_for_line(10, say="session", master="1f")
    eventually("its state is new", lambda: other.knows("1f") and not other.knows("c0"), 5, other.tail)
    (*_, session) = other.said(say="session")
    assert session["clock"] > 1


def test_two_nodes_find_edges_by_asking_each_other_for_their_ids(scene: Scene) -> None:
    one, two = scene.exo("one", "--node-id", "c0"), scene.exo("two", "--node-id", "1f")

    def both_ways() -> bool:
        edges = one.state()["topology"]["connections"]
        return bool(edges.get("c0", {}).get("1f") and edges.get("1f", {}).get("c0"))

    eventually("edges both ways", both_ways, 30, lambda: one.tail() + two.tail())
    edge = one.state()["topology"]["connections"]["c0"]["1f"][0]["sinkMultiaddr"]
    assert edge == {
        "address": "/ip4/10.77.0.2/tcp/52415",
        "address_type": "ip4",
        "ip_address": "10.77.0.2",
        "port": 52415,
    }


def test_one_bad_byte_ends_it_with_the_payload_named(scene: Scene) -> None:
    exo = scene.exo("mac")
    scene.expect_death(exo)
    scene.publish("mac", "local_events", b'{"origin_idx":0}')
    assert exo.wait(5) == 86
    (line,) = exo.said(say="invalid")
    assert line["payload"] == '{"origin_idx":0}' and line["topic"] == "local_events"


def test_a_forgiving_one_logs_it_and_lives(scene: Scene) -> None:
    exo = scene.exo("mac", "--forgiving")
    scene.publish("mac", "commands", b"\xff")
    line = exo.wait_for_line(5, say="forgiven", topic="commands")
    assert line["payload"] == "\\xff"


def test_one_index_with_two_contents_ends_it(scene: Scene) -> None:
    exo = scene.exo("mac", "--node-id", "abc")
    scene.expect_death(exo)
    for name in ("a", "b"):
        event = {"TestEvent": {"event_id": name}}
        scene.publish("mac", "local_events", scene.local_event("abc", index=3, event=event))
    assert exo.wait(5) == 86
    assert next(exo.said(say="contradiction"))


def test_what_passes_the_parser_and_breaks_the_state_ends_it_too(scene: Scene) -> None:
    """exo reads the address of an edge without a port, and fails when it writes it down."""
    exo = scene.exo("mac", "--node-id", "abc")
    scene.expect_death(exo)
    edge = {"sink_multiaddr": {"address": "/ip4/1.2.3.4"}}
    event = {"TopologyEdgeCreated": {"event_id": "x", "conn": {"source": "abc", "sink": "def", "edge": edge}}}
    scene.publish("mac", "local_events", scene.local_event("abc", index=0, event=event))
    assert exo.wait(5) == EXIT_CRASHED
    (line,) = exo.said(say="crashed")
    assert "state.py" in line["traceback"] and "TypeError" in line["why"]


def test_a_reused_index_is_noticed_long_after_its_event_was_indexed(scene: Scene) -> None:
    exo = scene.exo("mac", "--node-id", "abc")
    for name in ("a", "b"):
        event = {"TestEvent": {"event_id": name}}
        scene.publish("mac", "local_events", scene.local_event("abc", index=0, event=event))
        exo.wait_for_line(5, say="local", event_id=name)
    with pytest.raises(AssertionError, match="one index for two events"):
        exo.assert_log_is_sound()
    scene.expect_death(exo)


def test_a_missing_index_holds_its_stream_back_until_it_comes(scene: Scene) -> None:
    exo = scene.exo("mac", "--node-id", "abc")
    for index in (1, 2, 0):
        event = {"TestEvent": {"event_id": f"event {index}"}}
        scene.publish("mac", "local_events", scene.local_event("abc", index=index, event=event))
    eventually("all are indexed", lambda: len(list(exo.said(say="indexed", tag="TestEvent"))) == 3, 5, exo.tail)
    order = [line["event_id"] for line in exo.said(say="indexed", tag="TestEvent")]
    assert order == ["event 0", "event 1", "event 2"]
