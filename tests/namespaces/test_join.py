"""Each way to find an exo leads into its state, and soon."""

import statistics
import time

import pytest

from . import record
from .exo import Exo
from .phone import Phone
from .processes import eventually, patience
from .scene import Scene

SEEN_WITHIN = 1.5


def seen(phone: Phone, exo: Exo) -> None:
    phone.wait_until_seen_by(exo)
    phone.wait_until("joined", within=2)


def test_a_phone_is_in_the_state_of_the_cluster_within_a_second_and_a_half(scene: Scene) -> None:
    """From the start of its process, with a network that is there and an exo that has been elected."""
    names = ["pixel", "iphone", "fairphone"]
    hosts = [scene.host(name) for name in names]
    exo = scene.exo()
    eventually("it is settled", lambda: len(list(exo.said(say="elected"))) == 2, 10, exo.tail)
    took = []
    for host in hosts:
        start = time.monotonic()
        phone = scene.phone(host.name)
        phone.wait_until_seen_by(exo)
        took.append(time.monotonic() - start)
    median, each = statistics.median(took), ", ".join(f"{seconds:.2f}" for seconds in took)
    allowed = SEEN_WITHIN * patience()
    record.measured(f"process start to /state: median {median:.2f} s of {each} (allowed {allowed:.1f})")
    if median > SEEN_WITHIN:
        record.late(f"process start to /state took {median:.2f} s instead of {SEEN_WITHIN} s")
    assert median <= allowed


def test_by_multicast(scene: Scene) -> None:
    exo = scene.exo()
    seen(scene.phone("pixel", "--only", "multicast"), exo)


def test_by_multicast_where_there_is_no_ipv4(scene: Scene) -> None:
    scene.host("mac", ipv4=None)
    scene.host("pixel", ipv4=None)
    exo = scene.exo()
    seen(scene.phone("pixel", "--only", "multicast"), exo)


def test_by_asking_every_host_of_the_subnet(scene: Scene) -> None:
    scene.host("mac", ipv4="10.77.0.200")
    exo = scene.exo()
    seen(scene.phone("pixel", "--only", "unicast"), exo)


def test_by_asking_every_host_where_there_is_no_ipv6(scene: Scene) -> None:
    scene.host("pixel").without_ipv6()
    exo = scene.exo()
    seen(scene.phone("pixel", "--only", "unicast"), exo)


def test_by_dns_sd_of_another_phone_that_is_joined_already(scene: Scene) -> None:
    exo = scene.exo()
    first = scene.phone("pixel")
    first.wait_until_seen_by(exo)
    second = scene.phone("iphone", "--only", "dns-sd")
    seen(second, exo)
    assert exo.clients() == 2, "both are clients of the exo, and none of the other phone"


@pytest.mark.parametrize("kind", ["ipv4", "ipv4 with a port", "ipv6", "link-local ipv6"])
def test_by_a_link(scene: Scene, kind: str) -> None:
    mac, pixel = scene.host("mac"), scene.host("pixel")
    mac.add_ipv6("fd77::1")
    pixel.add_ipv6("fd77::2")
    link = {
        "ipv4": "exo://10.77.0.1",
        "ipv4 with a port": "exo://10.77.0.1:52414?ns=0.3.70&api=52415",
        "ipv6": "exo://[fd77::1]",
        "link-local ipv6": f"exo://[{mac.link_local()}%25eth0]",
    }[kind]
    exo = scene.exo()
    seen(scene.phone("pixel", "--only", "link", "--link", link), exo)


def test_with_every_way_at_once(scene: Scene) -> None:
    exo = scene.exo()
    phone = scene.phone()
    seen(phone, exo)
    assert exo.state()["nodeIdentities"][phone.node_id]["friendlyName"] == "pixel"


def test_a_phone_that_was_there_first_joins_the_exo_that_comes_later(scene: Scene) -> None:
    phone = scene.phone()
    phone.wait_until("searching", within=5)
    exo = scene.exo()
    seen(phone, exo)


def test_an_exo_of_another_namespace_is_left_alone(scene: Scene) -> None:
    other = scene.exo("mac", "--namespace", "office")
    mine = scene.exo("mini")
    phone = scene.phone()
    phone.wait_until_seen_by(mine)
    assert list(other.said(say="link", kind="client")) == []


def test_a_namespace_can_be_chosen(scene: Scene) -> None:
    exo = scene.exo("mac", "--namespace", "office")
    seen(scene.phone("pixel", "--namespace", "office"), exo)
