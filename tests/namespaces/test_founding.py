"""Phones without an exo make a cluster of their own, and give it up before they touch an exo."""

from .processes import eventually
from .scene import Scene


def test_an_exo_that_appears_among_phones_never_hears_of_their_cluster(scene: Scene) -> None:
    names = ["pixel", "iphone", "fairphone"]
    phones = [scene.phone(name, command="found") for name in names]
    ids = {phone.node_id for phone in phones}
    eventually(
        "they are one cluster",
        lambda: all(set(phone.latest("view").get("nodes", {})) >= ids for phone in phones),
        20,
        lambda: "\n".join(phone.tail() for phone in phones),
    )
    exo = scene.exo()
    for phone in phones:
        phone.wait_until_seen_by(exo, within=20)

    # Whatever reached the exo was meant for it: its own session, no vote, no token, no second router.
    assert list(exo.said(say="election message")) == []
    assert [line["key"] for line in exo.said(say="token")] == [f"live/{exo.node_id}"]
    assert {line["kind"] for line in exo.said(say="link")} == {"client"}
    assert {line["master"] for line in exo.said(say="local")} == {exo.node_id}
    assert exo.nodes() == ids | {exo.node_id}


def test_a_phone_that_follows_another_gets_the_whole_state_from_it(scene: Scene) -> None:
    first = scene.phone("pixel", command="found")
    first.wait_until("joined", within=20)
    second = scene.phone("iphone", command="found")
    second.wait_until("joined", within=20)
    eventually("its view is whole", lambda: second.latest("view").get("complete_to") is not None, 5, second.tail)


def test_phones_that_found_do_not_answer_for_exo(scene: Scene) -> None:
    """A phone that only looks for exo is not lured into a cluster of phones."""
    founder = scene.phone("pixel", command="found")
    eventually("it found", lambda: founder.state() == "joined", 20, founder.tail)
    seeker = scene.phone("iphone", "--only", "multicast", "--only", "unicast")
    seeker.wait_for_line(10, kind="advice")
    assert seeker.state() == "searching"
