"""A host on the LAN that wants harm. The exo here is a forgiving one: a real one would die of the first bad payload."""

from .scene import Scene

ROOM = 64 << 20


def test_a_flood_of_datagrams_and_bad_payloads_costs_the_phone_neither_life_nor_memory(scene: Scene) -> None:
    exo, phone = scene.exo("mac", "--forgiving"), scene.phone()
    phone.wait_until_seen_by(exo)
    enemy = scene.program(
        scene.host("enemy"), "enemy", "hostile", "--exo", exo.host.ipv4, "--phone", phone.host.ipv4, "--seconds", "8"
    )
    while enemy.is_running():
        assert phone.is_running(), phone.tail()
        assert phone.resident_bytes() < ROOM
    assert enemy.popen.returncode == 0, enemy.tail()
    assert list(exo.said(say="forgiven")), "the flood arrived"
    phone.wait_until_heard_again_by(exo, within=15)
    phone.wait_until("joined", within=5)
    assert phone.interrupt() == 0


def test_a_phone_that_arrives_in_the_middle_of_a_flood_finds_the_right_one(scene: Scene) -> None:
    exo = scene.exo("mac", "--forgiving")
    pixel = scene.host("pixel")
    enemy = scene.program(
        scene.host("enemy"),
        "enemy",
        "hostile",
        "--exo",
        exo.host.ipv4,
        "--phone",
        pixel.ipv4,
        "--seconds",
        "30",
        "--only",
        "datagrams",
    )
    enemy.wait_for_line(5, say="flooding")
    phone = scene.phone()
    phone.wait_until_seen_by(exo, within=15)
    assert phone.resident_bytes() < ROOM
