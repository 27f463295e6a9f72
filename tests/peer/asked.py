"""Asks a cluster as a person does: has a model placed on one node, waits until it is ready, and prints what it answers.

    python -m peer.asked API_PORT NODE_ID MODEL_FOLDER TOKENS QUESTION

The folder is the node's own copy of the model, under the name of a card that every exo knows: exo would ask Hugging Face for any
other. Tests of the packages in other languages call this beside a node of theirs."""

import json
import sys
import time
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from . import placement
from .models.base import Memory
from .worker import model_card

CARD = model_card(0)
READY_WITHIN = 30.0


def asked(api: int, method: str, path: str, body: object = None) -> Any:
    connection = HTTPConnection("127.0.0.1", api, timeout=READY_WITHIN)
    connection.request(method, path, json.dumps(body), {"content-type": "application/json"})
    answer = connection.getresponse()
    text = answer.read().decode()
    if answer.status != 200:
        raise SystemExit(f"{method} {path}: {answer.status} {text}")
    return json.loads(text)


def put(api: int, node: str, folder: Path) -> None:
    layers = json.loads((folder / "config.json").read_text())["num_hidden_layers"]
    size = Memory(in_bytes=(folder / "model.safetensors").stat().st_size)
    instance = placement.alone(node, CARD.model_copy(update={"n_layers": layers, "storage_size": size}))
    asked(api, "POST", "/instance", {"instance": json.loads(instance.model_dump_json())})


def wait_until_ready(api: int) -> None:
    deadline = time.monotonic() + READY_WITHIN
    while [next(iter(status)) for status in asked(api, "GET", "/state")["runners"].values()] != ["RunnerReady"]:
        if time.monotonic() > deadline:
            raise SystemExit(f"no runner is ready: {asked(api, 'GET', '/state')['runners']}")
        time.sleep(0.02)


def main() -> None:
    if len(sys.argv) != 6:
        raise SystemExit(__doc__)
    api, node, folder, tokens, question = int(sys.argv[1]), sys.argv[2], Path(sys.argv[3]), int(sys.argv[4]), sys.argv[5]
    put(api, node, folder)
    wait_until_ready(api)
    messages = [{"role": "user", "content": question}]
    body = {"model": CARD.model_id, "messages": messages, "temperature": 0, "max_tokens": tokens}
    print(asked(api, "POST", "/v1/chat/completions", body)["choices"][0]["message"]["content"], end="")


if __name__ == "__main__":
    main()
