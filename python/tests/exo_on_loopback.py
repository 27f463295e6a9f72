"""The peer that plays exo (tests/peer), on this device alone, in an environment of its own."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import time
from pathlib import Path
from typing import Any, Self

from exo_mobile import Provider

PEER = Path(__file__).parents[2] / "tests"
STARTED_WITHIN = 60.0


def free_port(kind: socket.SocketKind) -> int:
    with socket.socket(socket.AF_INET, kind) as asked:
        asked.bind(("127.0.0.1", 0))
        port: int = asked.getsockname()[1]
        return port


class Exo:
    def __init__(self, directory: Path) -> None:
        self.discovery_port = free_port(socket.SOCK_DGRAM)
        self.zenoh_port, self.api_port = free_port(socket.SOCK_STREAM), free_port(socket.SOCK_STREAM)
        self.log_path, self.error_path = directory / "exo.log", directory / "exo.err"
        ports = {"discovery": self.discovery_port, "zenoh": self.zenoh_port, "api": self.api_port}
        flags = [word for name, port in ports.items() for word in (f"--{name}-port", str(port))]
        python = os.environ.get("EXO_PEER_PYTHON", "")
        assert Path(python).is_file(), (
            "EXO_PEER_PYTHON names no Python with tests/requirements.txt: ./scripts/test python"
        )
        with self.log_path.open("wb") as out, self.error_path.open("wb") as err:
            command = [python, "-m", "peer", "--loopback", "--name", "mac", "--downloads", "3", *flags]
            self.process = subprocess.Popen(command, cwd=PEER, stdout=out, stderr=err)

    def __enter__(self) -> Self:
        deadline = time.monotonic() + STARTED_WITHIN
        while not self.said("ready"):
            assert self.process.poll() is None, f"the peer ended:\n{self.error_path.read_text()}"
            assert time.monotonic() < deadline, "the peer does not start"
            time.sleep(0.02)
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait(10)

    @property
    def node_id(self) -> str:
        return self.said("ready")[0]["node"]

    @property
    def found_by(self) -> dict[str, Any]:
        """How to join it, and nobody else. The link tells where its HTTP interface is; it is not dialled."""
        link = f"exo://127.0.0.1:{self.zenoh_port}?api={self.api_port}"
        return {"only": [Provider.LOOPBACK], "discovery_port": self.discovery_port, "confirmed_link": link}

    def asks(self, node_id: str, model: Path, question: str, tokens: int) -> str:
        """What that node answers to who asks the cluster, with its own copy of a model that every exo knows."""
        words = [str(self.api_port), node_id, str(model), str(tokens), question]
        command = [os.environ["EXO_PEER_PYTHON"], "-m", "peer.asked", *words]
        asked = subprocess.run(command, cwd=PEER, check=False, capture_output=True, text=True)
        assert asked.returncode == 0, asked.stderr
        return asked.stdout

    def said(self, what: str) -> list[dict[str, Any]]:
        text = self.log_path.read_text()
        lines = [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines()]
        return [line for line in lines if line["say"] == what]

    def assert_unharmed(self) -> None:
        """exo would have died of one malformed message; the peer does too."""
        assert self.process.poll() is None, f"the peer ended:\n{self.error_path.read_text()}"
        for evil in ("invalid", "contradiction", "crashed", "reused"):
            assert self.said(evil) == []
