"""Networks that lose, split and heal. After each heal the phone is back within five seconds."""

import time

import pytest

from . import record
from .exo import Exo
from .phone import Phone
from .processes import eventually
from .scene import Scene

BACK_WITHIN = 5.0
# So long a phone waits for a cluster that says nothing.
SILENCE = 6.0


def joined(scene: Scene) -> tuple[Exo, Phone]:
    exo, phone = scene.exo(), scene.phone()
    phone.wait_until_seen_by(exo)
    phone.wait_until("joined", within=2)
    return exo, phone


def notices(phone: Phone) -> None:
    eventually(f"{phone.name} notices", lambda: phone.state() != "joined", 20, phone.tail)


def back(phone: Phone, exo: Exo, within: float = BACK_WITHIN) -> None:
    """It says so, and the master agrees, at the latest with the next telemetry."""
    phone.wait_until("joined", within)
    phone.wait_until_seen_by(exo, within=1)
    phone.wait_until_heard_again_by(exo, within=12)
    phone.assert_acks_are_in_the_log_of(exo)


def test_thirty_percent_loss_slows_but_does_not_stop_a_join(scene: Scene) -> None:
    scene.host("pixel")
    exo = scene.exo()
    scene.lan.lose(30)
    phone = scene.phone()
    phone.wait_until_seen_by(exo, within=30)
    for _ in range(2):
        phone.wait_until_heard_again_by(exo, within=30)
    scene.lan.heal()
    phone.wait_until("joined", within=BACK_WITHIN)
    phone.wait_until_heard_again_by(exo, within=15)
    phone.assert_acks_are_in_the_log_of(exo)


def test_a_partition_that_the_phone_noticed_heals(scene: Scene) -> None:
    exo, phone = joined(scene)
    scene.lan.cut(exo.host, phone.host)
    notices(phone)
    scene.lan.heal()
    back(phone, exo)


def test_a_partition_longer_than_the_lease_of_the_link_heals(scene: Scene) -> None:
    exo, phone = joined(scene)
    scene.lan.cut(exo.host, phone.host)
    exo.wait_for_line(20, say="link", kind="client", up=False)
    scene.lan.heal()
    back(phone, exo)


@pytest.mark.parametrize("deaf", ["phone", "exo"])
def test_a_partition_in_one_direction_heals(scene: Scene, deaf: str) -> None:
    exo, phone = joined(scene)
    if deaf == "phone":
        scene.lan.cut_one_way(exo.host, phone.host)
    else:
        scene.lan.cut_one_way(phone.host, exo.host)
    notices(phone)
    scene.lan.heal()
    back(phone, exo)


def test_a_link_that_goes_down_and_up_again(scene: Scene) -> None:
    exo, phone = joined(scene)
    phone.host.link_down()
    notices(phone)
    phone.host.link_up()
    back(phone, exo)


def test_a_phone_that_slept_longer_than_the_master_waits(scene: Scene) -> None:
    exo, phone = joined(scene)
    phone.freeze()
    exo.wait_until_it_forgot(phone.node_id, within=45)
    phone.thaw()
    phone.wait_until_seen_by(exo, BACK_WITHIN)
    back(phone, exo)


def linked_anew(phone: Phone, exo: Exo, within: float, since: float) -> None:
    """A second link, over which the phone is joined."""
    eventually(
        f"{phone.name} is joined over another link",
        lambda: exo.links() > 1 and phone.state() == "joined",
        within,
        lambda: exo.tail() + "\n" + phone.tail(),
        since,
    )
    record.measured(f"joined again {time.monotonic() - since:.1f} s after the move")
    back(phone, exo)


def test_a_phone_that_moves_to_another_address(scene: Scene) -> None:
    exo, phone = joined(scene)
    moved = time.monotonic()
    phone.host.move_to("10.77.0.99")
    linked_anew(phone, exo, BACK_WITHIN, moved)


def test_an_exo_that_moves_to_another_address(scene: Scene) -> None:
    """The phone's own network is the same as before: it takes the silence of the exo to notice."""
    exo, phone = joined(scene)
    moved = time.monotonic()
    exo.host.move_to("10.77.0.99")
    linked_anew(phone, exo, SILENCE + BACK_WITHIN, moved)
