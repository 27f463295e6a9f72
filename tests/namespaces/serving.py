"""A phone that serves, and people who ask it through exo's own interface."""

import json
import threading
import time
from collections.abc import Iterator
from typing import Any

from peer import placement
from peer.models.cards import ModelCard
from peer.worker import model_card

from .exo import Exo
from .phone import Phone
from .processes import eventually
from .scene import Scene

CARDS = ("--downloads", "3")
CARD = model_card(0)
MODEL = CARD.model_id


def an_exo(scene: Scene, name: str = "mac", *flags: str) -> Exo:
    return scene.exo(name, *CARDS, *flags)


def a_phone(scene: Scene, script: str = "token=10,load=50", *flags: str) -> Phone:
    return scene.phone("pixel", "--profile", "pixel-9", "--no-link-probes", "--rehearse", script, *flags)


def offers(exo: Exo, node_id: str) -> bool:
    """Whether exo would place a model there."""
    state = exo.state()
    memory = state["nodeMemory"].get(node_id)
    return bool(state["nodeBackends"].get(node_id) and memory and memory["ramAvailable"]["inBytes"] > 0)


def wait_until_offered(exo: Exo, phone: Phone, within: float = 15) -> None:
    eventually("the phone offers itself", lambda: offers(exo, phone.node_id), within, lambda: exo.tail() + phone.tail())


def put(exo: Exo, phone: Phone, card: ModelCard = CARD) -> str:
    """Places a model on that phone, as a person does with a preview; the instance."""
    instance = placement.alone(phone.node_id, card)
    status, answer = exo.ask("POST", "/instance", {"instance": json.loads(instance.model_dump_json())})
    assert status == 200, answer
    return instance.instance_id


def runners(exo: Exo) -> list[str]:
    return [next(iter(status)) for status in exo.state()["runners"].values()]


def wait_until_ready(exo: Exo, phone: Phone, within: float = 10) -> None:
    eventually("the runner is ready", lambda: runners(exo) == ["RunnerReady"], within, lambda: exo.tail() + phone.tail())


def serving(scene: Scene, script: str = "token=10,load=50") -> tuple[Exo, Phone]:
    """An exo and a phone with a model that is ready."""
    exo = an_exo(scene)
    phone = a_phone(scene, script)
    wait_until_offered(exo, phone)
    put(exo, phone)
    wait_until_ready(exo, phone)
    return exo, phone


class Chat:
    """One question whose answer comes in pieces, read in the background."""

    def __init__(self, exo: Exo, words: str, **more: Any):
        self.began = time.monotonic()
        self.first: float | None = None
        self.lines: list[str] = []
        self.connection = exo.connect(timeout=60)
        body = {"model": MODEL, "messages": [{"role": "user", "content": words}], "stream": True, **more}
        self.connection.request("POST", "/v1/chat/completions", json.dumps(body), {"content-type": "application/json"})
        self.answer = self.connection.getresponse()
        assert self.answer.status == 200, self.answer.read()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self) -> None:
        try:
            for line in self.answer:
                text = line.decode().strip()
                if text.startswith("data:") and self.first is None:
                    self.first = time.monotonic() - self.began
                if text:
                    self.lines.append(text)
        except (OSError, ValueError, AttributeError):
            pass  # it was hung up

    def data(self) -> Iterator[dict[str, Any]]:
        return (json.loads(line[6:]) for line in list(self.lines) if line.startswith("data: {"))

    def text(self) -> str:
        return "".join(it["choices"][0]["delta"].get("content", "") for it in self.data() if "choices" in it)

    def error(self) -> str | None:
        return next((it["error"]["message"] for it in self.data() if "error" in it), None)

    def usage(self) -> dict[str, Any]:
        return next(it["usage"] for it in self.data() if "usage" in it)

    def is_over(self) -> bool:
        return "data: [DONE]" in self.lines

    def wait_for(self, text: str, within: float = 10) -> None:
        eventually(f"the answer has {text!r}", lambda: text in self.text(), within, self.tail)

    def wait(self, within: float = 20) -> None:
        eventually("the answer is over", self.is_over, within, self.tail)

    def hang_up(self) -> None:
        self.connection.sock.shutdown(2) if self.connection.sock else self.answer.fp.raw._sock.shutdown(2)

    def tail(self) -> str:
        return "\n".join(self.lines[-15:])


def ask(exo: Exo, words: str) -> dict[str, Any]:
    """One question whose answer comes whole."""
    body = {"model": MODEL, "messages": [{"role": "user", "content": words}]}
    status, answer = exo.ask("POST", "/v1/chat/completions", body)
    assert status == 200, answer
    return answer


def counted(most: int) -> str:
    return " ".join(str(number) for number in range(1, most + 1))
