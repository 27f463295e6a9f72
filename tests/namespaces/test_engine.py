"""The real engine answers exo's own chat completions, with a tiny model whose weights are random."""

import subprocess

from peer.models.base import Memory
from peer.models.cards import ModelCard
from peer.worker import model_card

from . import record
from .exo import Exo
from .phone import Phone, program
from .processes import eventually
from .scene import Scene
from .serving import Chat, an_exo, put, runners, wait_until_offered, wait_until_ready

# exo fetches the cards of models that it does not know, so that the tiny one goes by the name of a known one.
TINY = model_card(0).model_id
LAYERS = 3
QUESTION = "tell me of the quiet river and the old stone road under the white tree in the warm rain"


def tiny_card(layers: int = LAYERS) -> ModelCard:
    size = Memory(in_bytes=300_000)
    return model_card(0).model_copy(update={"n_layers": layers, "storage_size": size})


def a_server(scene: Scene) -> Phone:
    flags = ("--tiny", "--model-id", TINY, "--backend", "cpu", "--profile", "pixel-9", "--no-link-probes")
    return scene.phone("pixel", *flags, command="serve")


def answering(scene: Scene) -> tuple[Exo, Phone]:
    """An exo and a phone whose model was loaded from files."""
    exo = an_exo(scene)
    phone = a_server(scene)
    wait_until_offered(exo, phone)
    put(exo, phone, tiny_card())
    wait_until_ready(exo, phone)
    return exo, phone


def asked(exo: Exo, tokens: int, **more: object) -> Chat:
    chat = Chat(exo, QUESTION, model=TINY, temperature=0, max_tokens=tokens, **more)
    chat.wait()
    assert chat.error() is None, chat.tail()
    return chat


def alone(tokens: int) -> str:
    """The same model without a cluster."""
    words = [program(), "generate", "--tiny", "--backend", "cpu", "--prompt", QUESTION, "--max-tokens", str(tokens)]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout.removesuffix("\n")


def test_the_engine_says_over_exo_what_it_says_alone(scene: Scene) -> None:
    exo, _ = answering(scene)
    chat = asked(exo, 24)
    assert chat.text() == alone(24) != ""
    assert chat.usage()["completion_tokens"] <= 24
    assert chat.usage()["prompt_tokens_details"]["cached_tokens"] == 0
    record.measured(f"first token after {1000 * (chat.first or 0):.0f} ms")
    again = asked(exo, 24)
    assert again.text() == chat.text()
    assert again.usage()["prompt_tokens_details"]["cached_tokens"] >= 32, "the beginning was known"


def test_probabilities_are_those_of_the_engine(scene: Scene) -> None:
    exo, _ = answering(scene)
    chat = asked(exo, 6, logprobs=True, top_logprobs=2)
    pieces = [it["choices"][0]["logprobs"]["content"][0] for it in chat.data() if it["choices"][0].get("logprobs")]
    assert len(pieces) == chat.usage()["completion_tokens"]
    assert all(piece["logprob"] <= 0 and len(piece["top_logprobs"]) == 2 for piece in pieces)


def test_hanging_up_stops_the_engine(scene: Scene) -> None:
    exo, _ = answering(scene)
    chat = Chat(exo, QUESTION, model=TINY, max_tokens=3000)
    eventually("it speaks", lambda: chat.text() != "", 10, chat.tail)
    chat.hang_up()
    exo.wait_for_line(5, say="hung up")
    eventually("the runner rests", lambda: runners(exo) == ["RunnerReady"], 5, exo.tail)
    assert asked(exo, 4).text() != ""


def test_a_card_that_tells_of_another_model_is_given_back(scene: Scene) -> None:
    exo = an_exo(scene)
    phone = a_server(scene)
    wait_until_offered(exo, phone)
    instance = put(exo, phone, tiny_card(layers=28))
    eventually("it was given back", lambda: instance not in exo.state()["instances"], 5, exo.tail)
