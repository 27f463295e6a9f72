"""Twenty phones at once."""

import time
from typing import Any

from . import record
from .exo import Exo
from .phone import Phone
from .processes import eventually
from .scene import Scene

CROWD = 20
# Seconds between two events of a phone that has nothing special to tell.
USUAL = 10


def crowd(scene: Scene) -> tuple[Exo, list[Phone], set[str]]:
    names = [f"phone{number:02}" for number in range(CROWD)]
    for name in names:
        scene.host(name)
    exo = scene.exo("mac", "--downloads", "120")
    phones = [scene.phone(name) for name in names]
    ids = {phone.node_id for phone in phones}
    assert len(ids) == CROWD
    all_seen(exo, ids, within=20)
    return exo, phones, ids


def all_seen(exo: Exo, ids: set[str], within: float) -> None:
    eventually("all are in /state", lambda: ids <= exo.nodes(), within, exo.tail)


def events(exo: Exo, ids: set[str]) -> list[dict[str, Any]]:
    return [line for line in exo.said(say="indexed") if line["node"] in ids]


def test_twenty_phones_join_at_once_stay_few_in_events_and_go_without_a_trace(scene: Scene) -> None:
    exo, phones, ids = crowd(scene)
    start, before = time.monotonic(), len(events(exo, ids))
    eventually("ten seconds pass", lambda: time.monotonic() - start > 10, 11)
    rate = (len(events(exo, ids)) - before) / (time.monotonic() - start)
    record.measured(f"{CROWD} phones: {rate:.1f} events/s")
    assert rate < 2 * CROWD / USUAL

    for phone in phones:
        phone.ask_to_stop()
    for phone in phones:
        assert phone.wait(10) == 0, phone.tail()
    eventually("all are gone", lambda: not ids & exo.nodes(), 5, exo.tail)


def test_twenty_phones_survive_the_restart_of_their_master(scene: Scene) -> None:
    exo, phones, ids = crowd(scene)
    scene.kill(exo)
    again = scene.exo("mac")
    all_seen(again, ids, within=10)
    for phone in phones:
        phone.wait_until("joined", within=5)
