"""Phones without an exo make a cluster of their own, and give it up before they touch an exo."""

from .exo import Exo
from .phone import Phone
from .processes import eventually
from .scene import Scene

NAMES = ("pixel", "iphone", "fairphone")
PHONES_PORT = 52423
DISCOVERY_PORT = 52413


def founders(scene: Scene, *names: str) -> list[Phone]:
    return [scene.phone(name, command="found") for name in names or NAMES]


def wait_until_one_cluster(phones: list[Phone], within: float = 20) -> str:
    """They see each other, and nobody else, in the session of one of them. Who that is."""
    ids = {phone.node_id for phone in phones}

    def masters() -> set[str]:
        views = [phone.latest("view") for phone in phones]
        whole = all(set(view.get("nodes", {})) == ids for view in views)
        reigns = {(view.get("session") or {}).get("master_node_id", "") for view in views}
        return reigns if whole and len(reigns) == 1 and reigns <= ids else set()

    everybody = lambda: "\n".join(phone.tail() for phone in phones)  # noqa: E731
    return eventually("the phones are one cluster", masters, within, everybody).pop()


def assert_only_meant_for_it(exo: Exo) -> None:
    """Whatever reached the exo was meant for it: its own session, no vote, no token, no second router."""
    assert list(exo.said(say="election message")) == []
    assert [line["key"] for line in exo.said(say="token")] == [f"live/{exo.node_id}"]
    assert {line["kind"] for line in exo.said(say="link")} == {"client"}
    assert {line["master"] for line in exo.said(say="local")} == {exo.node_id}


def test_an_exo_that_appears_among_phones_never_hears_of_their_cluster(scene: Scene) -> None:
    phones = founders(scene)
    wait_until_one_cluster(phones)
    exo = scene.exo()
    for phone in phones:
        phone.wait_until_seen_by(exo, within=20)
    assert_only_meant_for_it(exo)
    assert exo.nodes() == {phone.node_id for phone in phones} | {exo.node_id}


def test_an_exo_that_was_away_never_hears_what_its_phones_said_meanwhile(scene: Scene) -> None:
    first, phones = scene.exo(), founders(scene)
    for phone in phones:
        phone.wait_until_seen_by(first, within=20)
    scene.kill(first)
    host = wait_until_one_cluster(phones, within=40)
    assert {line["master"] for line in first.said(say="local")} == {first.node_id}

    # The exo is back where it was, but answers nobody yet; and their host falls silent. Nobody goes back by itself.
    scene.lan.drop(f"udp dport {DISCOVERY_PORT}")
    leader = next(phone for phone in phones if phone.node_id == host)
    others = [phone for phone in phones if phone is not leader]
    second = scene.exo()
    leader.freeze()
    wait_until_one_cluster(others, within=60)
    assert list(second.said(say="link")) == []
    assert {line["node"] for line in second.said(say="local")} <= {second.node_id}

    leader.thaw()
    scene.lan.heal()
    for phone in phones:
        phone.wait_until_seen_by(second, within=30)
    assert_only_meant_for_it(second)


def test_phones_stay_together_while_the_exo_that_they_were_given_is_not_there(scene: Scene) -> None:
    nobody = scene.host("nobody")
    phones = [scene.phone(name, "--link", f"exo://{nobody.ipv4}", command="found") for name in NAMES[:2]]
    wait_until_one_cluster(phones, within=40)
    reign = phones[0].latest("view")["session"]
    # The link is told every five seconds.
    enough = phones[0].log()[-1]["at"] + 12
    eventually("some time passes", lambda: phones[0].log()[-1]["at"] > enough, 40, phones[0].tail)
    assert [phone.latest("view")["session"] for phone in phones] == [reign, reign]
    exo = scene.exo("nobody")
    for phone in phones:
        phone.wait_until_seen_by(exo, within=30)
    assert_only_meant_for_it(exo)


def test_phones_that_do_not_hear_each_others_shouts_meet_by_dns_sd(scene: Scene) -> None:
    scene.lan.drop(f"ip6 daddr ff00::/8 udp dport {PHONES_PORT}")
    first = founders(scene, "pixel")[0]
    wait_until_one_cluster([first])
    second = founders(scene, "iphone")[0]
    wait_until_one_cluster([first, second], within=30)


def test_a_late_phone_is_let_in_at_once(scene: Scene) -> None:
    first = founders(scene, "pixel")[0]
    wait_until_one_cluster([first])
    late = founders(scene, "iphone")[0]
    late.wait_until("joined", within=20)
    joined = next(line["at"] for line in late.said(kind="state", state="joined"))
    # It looks for exo for three seconds. Among phones there is nothing to wait for.
    assert joined < 3 + 2, f"joined after {joined} s"


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
