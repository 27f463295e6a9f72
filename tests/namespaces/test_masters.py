"""Masters come and go; the phone follows, passively."""

from .processes import eventually
from .scene import Scene

BACK_WITHIN = 5.0


def test_a_master_that_is_killed_and_restarted_at_once_with_a_new_id(scene: Scene) -> None:
    exos, phone = [scene.exo()], scene.phone()
    phone.wait_until_seen_by(exos[-1])
    for _ in range(2):
        scene.kill(exos[-1])
        exos.append(scene.exo())
        phone.wait_until_seen_by(exos[-1], BACK_WITHIN)
        phone.wait_until("joined", within=2)
    phone.assert_acks_are_in_the_log_of(*exos)


def test_when_its_router_is_killed_the_phone_dials_the_other_exo(scene: Scene) -> None:
    macs = [scene.exo("one", "--node-id", "c0"), scene.exo("two", "--node-id", "1f")]
    eventually("they are one", lambda: all(mac.master() == "c0" and mac.knows("1f") for mac in macs), 15)
    phone = scene.phone()
    for mac in macs:
        phone.wait_until_seen_by(mac)
    router, other = sorted(macs, key=lambda mac: mac.clients(), reverse=True)
    assert (router.clients(), other.clients()) == (1, 0)
    scene.kill(router)
    # The survivor is master after 0.2 s of settling and 3 s of campaign, whoever was master before.
    other.wait_for_line(10, say="session", master=other.node_id)
    phone.wait_until_seen_by(other, BACK_WITHIN)
    phone.wait_until("joined", within=2)


def test_when_the_other_exo_is_killed_the_phone_stays(scene: Scene) -> None:
    macs = [scene.exo("one", "--node-id", "c0"), scene.exo("two", "--node-id", "1f")]
    eventually("they are one", lambda: all(mac.master() == "c0" and mac.knows("1f") for mac in macs), 15)
    phone = scene.phone("pixel", "--only", "link", "--link", "exo://10.77.0.2")
    for mac in macs:
        phone.wait_until_seen_by(mac)
    master, survivor = macs
    scene.kill(master)
    survivor.wait_for_line(10, say="session", master="1f")
    phone.wait_until_seen_by(survivor, BACK_WITHIN)
    phone.wait_until("joined", within=2)
    assert survivor.clients() == 1


def test_a_newcomer_that_wins_the_election_takes_the_phone_along(scene: Scene) -> None:
    first = scene.exo("one", "--node-id", "1f")
    phone = scene.phone()
    phone.wait_until_seen_by(first)
    second = scene.exo("two", "--node-id", "c0")
    first.wait_for_line(15, say="session", master="c0")
    for mac in (first, second):
        phone.wait_until_seen_by(mac, BACK_WITHIN)
    phone.wait_until("joined", within=2)
    phone.assert_acks_are_in_the_log_of(first, second)


def test_a_phone_causes_no_election_neither_coming_nor_going(scene: Scene) -> None:
    exo, phone = scene.exo("mac"), scene.host("pixel")
    exo.wait_for_line(10, say="elected", new=False, clock=0)
    eventually("it is settled", lambda: len(list(exo.said(say="elected"))) == 2, 10, exo.tail)
    phone = scene.phone()
    phone.wait_until_seen_by(exo)
    assert phone.interrupt() == 0
    exo.wait_until_it_forgot(phone.node_id, within=3)
    assert len(list(exo.said(say="campaign"))) == 2
    assert list(exo.said(say="election message")) == []
    assert [line["key"] for line in exo.said(say="token")] == [f"live/{exo.node_id}"]
