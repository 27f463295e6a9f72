"""A model that exo places on a phone which does not have it: it is fetched, exo sees how far it is, and it answers."""

import subprocess
from pathlib import Path

from .exo import Exo
from .phone import Phone, program
from .processes import STARTED_WITHIN, eventually
from .scene import Scene
from .serving import an_exo, put, runners, wait_until_offered, wait_until_ready
from .test_engine import TINY, alone, asked, tiny_card

# The tiny model has some hundred thousand bytes: it shall be on its way for some seconds.
SLOW, FAST = 80_000, 100_000_000


def a_server(scene: Scene, bytes_per_second: int) -> str:
    """On the phone's own host; its address."""
    root = scene.directory / "served"
    subprocess.run([program(), "tiny", str(root)], check=True)
    (model,) = root.iterdir()
    server = scene.program(scene.host("pixel"), "models", "model_server", str(model), str(bytes_per_second))
    return server.wait_for_line(STARTED_WITHIN, say="ready")["address"]


def a_fetching_phone(scene: Scene, address: str) -> Phone:
    flags = ("--fetch", "--from", address, "--into", str(into(scene)), "--backend", "cpu", "--no-link-probes")
    return scene.phone("pixel", *flags, "--profile", "pixel-9", command="serve")


def into(scene: Scene) -> Path:
    return scene.directory / "fetched"


def download(exo: Exo, phone: Phone) -> tuple[str, dict]:
    """What exo knows of the phone's download: its kind, and what it says."""
    told = exo.state()["downloads"].get(phone.node_id, [{"": {}}])
    return next(iter(told[0].items()))


def test_a_model_that_the_phone_does_not_have_is_fetched_and_answers(scene: Scene) -> None:
    exo = an_exo(scene)
    address = a_server(scene, SLOW)
    phone = a_fetching_phone(scene, address)
    wait_until_offered(exo, phone)
    put(exo, phone, tiny_card())
    seen: list[str] = []

    def is_ready() -> bool:
        word, told = download(exo, phone)
        if word and word not in seen[-1:]:
            seen.append(word)
        if word == "DownloadOngoing":
            progress = told["downloadProgress"]
            assert 0 <= progress["downloaded"]["inBytes"] <= progress["total"]["inBytes"]
        return runners(exo) == ["RunnerReady"]

    eventually("the runner is ready", is_ready, 30, lambda: exo.tail() + phone.tail())
    assert seen == ["DownloadPending", "DownloadOngoing", "DownloadCompleted"]
    told = list(exo.said(say="indexed", tag="NodeDownloadProgress"))
    assert len(told) < 20, "each of them stays in exo's log for ever"
    chat = asked(exo, 24)
    assert chat.text() == alone(24) != ""
    assert (into(scene) / TINY.replace("/", "--") / "config.json").is_file(), "where exo would find it"


def test_a_download_whose_instance_is_deleted_rests_and_goes_on_later(scene: Scene) -> None:
    exo = an_exo(scene)
    address = a_server(scene, SLOW)
    phone = a_fetching_phone(scene, address)
    wait_until_offered(exo, phone)
    instance = put(exo, phone, tiny_card())
    eventually("it is on its way", lambda: download(exo, phone)[0] == "DownloadOngoing", 15, phone.tail)
    exo.ask("DELETE", f"/instance/{instance}")
    eventually("it rests", lambda: download(exo, phone)[0] == "DownloadPending", 5, phone.tail)
    assert download(exo, phone)[1]["downloaded"]["inBytes"] > 0
    put(exo, phone, tiny_card())
    wait_until_ready(exo, phone, within=30)
    assert asked(exo, 4).text() != ""


def test_a_model_that_is_not_the_one_of_its_card_is_given_back(scene: Scene) -> None:
    exo = an_exo(scene)
    address = a_server(scene, FAST)
    phone = a_fetching_phone(scene, address)
    wait_until_offered(exo, phone)
    instance = put(exo, phone, tiny_card(layers=28))
    eventually("it was given back", lambda: instance not in exo.state()["instances"], 15, exo.tail)
    word, told = download(exo, phone)
    assert word == "DownloadFailed" and "28 by the model's card" in told["errorMessage"], told
