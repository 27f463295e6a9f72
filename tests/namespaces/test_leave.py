"""How a phone goes: with a goodbye, or without one."""

from .scene import Scene

TRACES = ("lastSeen", "nodeMemory", "nodeDisk", "nodeSystem", "nodeNetwork", "downloads")


def test_ctrl_c_leaves_no_trace_in_the_state_of_the_cluster(scene: Scene) -> None:
    exo, phone = scene.exo(), scene.phone()
    phone.wait_until_seen_by(exo)
    assert phone.interrupt() == 0
    exo.wait_until_it_forgot(phone.node_id, within=3)
    state = exo.state()
    assert [part for part in TRACES if phone.node_id in state[part]] == []
    assert phone.node_id not in str(state["topology"])
    assert [line["tag"] for line in exo.indexed(phone.node_id)][-1] == "NodeTimedOut"


def test_a_killed_phone_comes_back_with_the_same_id(scene: Scene) -> None:
    exo, phone = scene.exo(), scene.phone()
    phone.wait_until_seen_by(exo)
    before = phone.node_id
    scene.kill(phone)
    again = scene.phone()
    again.wait_until_heard_again_by(exo)
    assert again.node_id == before
    assert exo.state()["topology"]["nodes"].count(before) == 1
