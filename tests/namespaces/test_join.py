"""Each way to find an exo leads into its state. How soon is measured by the benchmark; here it is only printed."""

import time

import pytest

from .exo import Exo
from .phone import Phone
from .scene import Scene


def seen(phone: Phone, exo: Exo) -> None:
    phone.wait_until_seen_by(exo)
    print(f"in /state {time.time() - phone.started:.2f} s after the start of its process")
    phone.wait_until("joined", within=2)


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
