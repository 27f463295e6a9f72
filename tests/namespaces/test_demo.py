"""The demonstration runs on a host with a network, and nothing of it reaches that network."""

from .phone import program
from .processes import Process
from .scene import Scene

PHONES = {"pixel", "iphone", "fairphone"}


def test_the_demo_is_told_to_its_end_and_sends_nothing_to_the_network(scene: Scene) -> None:
    host = scene.host("desk")
    sent = host.count_what_leaves()
    demo = scene.watch(Process(host, "demo", [program(), "demo", "--json"], scene.directory))
    demo.wait_for_line(60, kind="note", text="that is all; Ctrl-C lets the phones leave")
    assert demo.interrupt(within=15) == 0, demo.tail()

    notes = [line["text"] for line in demo.said(kind="note")]
    assert [note for note in notes if "killed" in note] and [note for note in notes if "comes back" in note], notes
    first, second = (line["node_id"] for line in demo.said(kind="started", phone="fairphone"))
    assert first == second, "it comes back as the one that it was"
    ids = {line["node_id"] for line in demo.said(kind="started")}
    assert len(ids) == len(PHONES)
    views = [set(line["nodes"]) for line in demo.said(kind="view", phone="pixel")]
    assert ids in views, "all three are in one cluster"
    assert {phone: last_state(demo, phone) for phone in PHONES} == dict.fromkeys(PHONES, "left")
    assert max(line["refused"] for line in demo.said(kind="stats")) == 0
    assert not demo.complaints(), demo.tail()
    assert sent() == 0


def last_state(demo: Process, phone: str) -> str:
    return [line["state"] for line in demo.said(kind="state", phone=phone)][-1]


def test_what_leaves_a_host_is_counted(scene: Scene) -> None:
    """Else the zero above would say nothing."""
    host = scene.host("desk")
    other = scene.host("other")
    sent = host.count_what_leaves()
    host.sh("bash -c 'echo hello > /dev/udp/127.0.0.1/9'")
    assert sent() == 0, "loopback is no network"
    host.sh(f"bash -c 'echo hello > /dev/udp/{other.ipv4}/9'")
    assert sent() == 1
