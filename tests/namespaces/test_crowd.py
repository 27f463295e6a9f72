"""Twenty phones at once."""

import time

from .processes import eventually
from .scene import Scene


def test_twenty_phones_join_at_once_and_go_without_a_trace(scene: Scene) -> None:
    names = [f"phone{number:02}" for number in range(20)]
    for name in names:
        scene.host(name)
    exo = scene.exo("mac", "--downloads", "120")
    phones = [scene.phone(name) for name in names]
    ids = {phone.node_id for phone in phones}
    assert len(ids) == 20
    eventually("all are in /state", lambda: ids <= set(exo.state()["topology"]["nodes"]), 20, exo.tail)

    # Registration is over when nobody sent anything new for a while; then the rate is that of the telemetry.
    start, before = time.monotonic(), len(events(exo, ids))
    eventually("ten seconds pass", lambda: time.monotonic() - start > 10, 11)
    rate = (len(events(exo, ids)) - before) / (time.monotonic() - start)
    print(f"20 phones: {rate:.1f} events/s")
    assert rate < 20

    for phone in phones:
        phone.ask_to_stop()
    for phone in phones:
        assert phone.wait(10) == 0, phone.tail()
    eventually("all are gone", lambda: not ids & set(exo.state()["topology"]["nodes"]), 5, exo.tail)


def events(exo, ids):  # noqa: ANN001, ANN201
    return [line for line in exo.said(say="indexed") if line["node"] in ids]
