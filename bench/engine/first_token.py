"""A phone that answers through exo's own interface, in network namespaces that are made for it.

    first_token.py MODEL             MODEL is a directory

Speaks as bench/race/src/peer.rs says: `first BYTES` asks something of that length that was never asked before, and the answer is
the seconds until the first token has come back, and the tokens that the model had to read. EXO_PHONE names the program. Needs
root (or the right to make network namespaces)."""

import itertools
import json
import os
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve()
sys.path.insert(0, str(HERE.parents[2] / "tests"))
os.environ["PYTHONPATH"] = sys.path[0]

from namespaces.exo import Exo  # noqa: E402
from namespaces.lan import Lan  # noqa: E402
from namespaces.scene import Scene  # noqa: E402
from namespaces.serving import Chat, an_exo, put, wait_until_offered, wait_until_ready  # noqa: E402
from peer.models.base import Memory  # noqa: E402
from peer.worker import model_card  # noqa: E402

# exo fetches the cards of models that it does not know, so that ours goes by the name of a known one.
CARD = model_card(0)
WORDS = "the quiet river and the old stone road under the white tree in the warm rain "
LOADED_WITHIN = 60


def serving(scene: Scene, model: Path) -> Exo:
    layers = json.loads((model / "config.json").read_text())["num_hidden_layers"]
    size = Memory(in_bytes=(model / "model.safetensors").stat().st_size)
    exo = an_exo(scene)
    flags = ("--model", str(model), "--model-id", CARD.model_id, "--backend", "cpu", "--profile", "pixel-9")
    phone = scene.phone("pixel", *flags, "--no-link-probes", command="serve")
    wait_until_offered(exo, phone, LOADED_WITHIN)
    put(exo, phone, CARD.model_copy(update={"n_layers": layers, "storage_size": size}))
    wait_until_ready(exo, phone, LOADED_WITHIN)
    return exo


def first(exo: Exo, question: int, length: int) -> str:
    """With probabilities every token is sent by itself, whether or not it makes a character yet."""
    words = f"{question:04} {WORDS * (length // len(WORDS) + 1)}"[:length]
    chat = Chat(exo, words, model=CARD.model_id, temperature=0, max_tokens=2, logprobs=True)
    chat.wait(LOADED_WITHIN)
    if chat.error() or chat.first is None:
        return f"error {chat.error() or 'no token came'}"
    usage = chat.usage()
    return f"{chat.first} {usage['prompt_tokens'] - usage['prompt_tokens_details']['cached_tokens']}"


def main() -> None:
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    with tempfile.TemporaryDirectory() as directory, Lan() as lan:
        scene = Scene(lan, Path(directory))
        try:
            exo = serving(scene, Path(sys.argv[1]).resolve())
            print("version peer of tests/\nready", flush=True)
            for question, line in zip(itertools.count(1), sys.stdin):
                print(first(exo, question, int(line.split()[1])), flush=True)
        finally:
            scene.close()


main()
