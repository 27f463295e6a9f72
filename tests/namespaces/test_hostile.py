"""A host on the LAN that wants harm. Where it poisons the bus the exo is a forgiving one: a real one would be dead."""

import time

import pytest

from . import record
from .exo import Exo
from .lan import Host
from .phone import Phone
from .processes import STARTED_WITHIN, Process
from .scene import Scene

# Without an enemy it takes about 4 MiB. With payloads of any size on the bus, two of the largest that it takes in.
ROOM = 12 << 20
ROOM_WITH_PAYLOADS = ROOM + 2 * (8 << 20)
# Of one core, which is twice what was seen.
SHARE = 0.25
# Datagrams that must have reached the phone for the scenario to mean anything.
MANY = 1000


def enemy_of(scene: Scene, exo: Exo, phone: Host, what: str, seconds: float, *words: str) -> Process:
    told = (what, "--exo", exo.host.ipv4, "--phone", phone.ipv4, "--seconds", str(seconds), *words)
    enemy = scene.program(scene.host("enemy"), what, "hostile", *told)
    enemy.wait_for_line(STARTED_WITHIN, say="begins")
    return enemy


def assert_modest_until_it_is_over(phone: Phone, enemy: Process, allowed: int = ROOM) -> dict:
    """Life, memory and time of the processor. What the enemy did in the end."""
    began, used, room = time.monotonic(), phone.cpu_seconds(), 0
    while enemy.is_running():
        assert phone.is_running(), phone.tail()
        room = max(room, phone.own_bytes())
        time.sleep(0.1)
    share = (phone.cpu_seconds() - used) / (time.monotonic() - began)
    assert enemy.popen.returncode == 0, enemy.tail()
    (did,) = enemy.said(say="done")
    received = phone.host.datagrams_received()
    record.measured(f"{share:.0%} of a core and {room / (1 << 20):.0f} MiB under {received} datagrams")
    assert share < SHARE and room < allowed
    assert received > MANY, "the noise went past the phone"
    return did


def test_a_flood_of_datagrams_and_bad_payloads_costs_the_phone_neither_life_nor_memory(scene: Scene) -> None:
    exo, phone = scene.exo("mac", "--forgiving"), scene.phone()
    phone.wait_until_seen_by(exo)
    ports = phone.udp_ports()
    assert ports - {5353}, "discovery has sockets of its own"
    words = [word for port in ports for word in ("--phone-port", str(port))]
    poison = enemy_of(scene, exo, phone.host, "poison", 12)
    noise = enemy_of(scene, exo, phone.host, "noise", 8, *words)
    assert_modest_until_it_is_over(phone, noise, ROOM_WITH_PAYLOADS)
    assert poison.wait(15) == 0, poison.tail()
    assert list(exo.said(say="forgiven")), "the flood arrived"
    phone.wait_until_heard_again_by(exo, within=15)
    phone.wait_until("joined", within=5)
    assert phone.interrupt() == 0


@pytest.mark.parametrize("lies", ["dead", "silent", "many", "dead silent many"])
def test_a_phone_that_arrives_among_lies_and_noise_finds_the_right_one(scene: Scene, lies: str) -> None:
    """Each of its Hellos is answered with the right nonce by a host where no exo is."""
    exo, pixel = scene.exo("mac"), scene.host("pixel")
    enemy = enemy_of(scene, exo, pixel, "noise", 20, *(word for lie in lies.split() for word in ("--answer", lie)))
    phone = scene.phone()
    finds_the_right_one(phone, exo, lies)
    did = assert_modest_until_it_is_over(phone, enemy)
    assert did["hellos"] and did["answers"], "the enemy heard the phone and answered"
    assert phone.state() == "joined"
    phone.wait_until_heard_again_by(exo, within=15)


def finds_the_right_one(phone: Phone, exo: Exo, lies: str, within: float = 10) -> None:
    phone.wait_until_seen_by(exo, within)
    record.measured(f"in /state {time.time() - phone.started:.1f} s after its start, among lies ({lies})")
    phone.wait_until("joined", within=2)


def test_a_phone_that_is_lied_to_by_a_crowd_of_hosts_finds_the_right_one(scene: Scene) -> None:
    """One host with many addresses, faster than the exo: the truth comes through, if later than among few liars."""
    addresses = [f"fe80::bad:{number:x}" for number in range(1, 33)]
    enemys_host, pixel, exo = scene.host("enemy"), scene.host("pixel"), scene.exo("mac", "--answer-after", "0.05")
    for address in addresses:
        enemys_host.add_ipv6(address)
    words = [word for address in addresses for word in ("--address", address)]
    enemy = enemy_of(scene, exo, pixel, "lies", 120, *words)
    phone = scene.phone()
    finds_the_right_one(phone, exo, "of a crowd", within=30)
    assert enemy.is_running(), "it lied to the end"
