"""The peer of tests/peer, which plays exo and dies of what exo would die of. It says nothing to any network."""

import json
import socket
import subprocess
import sys
import threading
import uuid

from building import ROOT


class Peer:
    def __init__(self) -> None:
        self.namespace = f"consumer-{uuid.uuid4()}"
        self.discovery, self.zenoh, self.api = free_ports(3)
        flags = ["--name", "mac", "--namespace", self.namespace, "--discovery-port", str(self.discovery)]
        flags += ["--zenoh-port", str(self.zenoh), "--api-port", str(self.api)]
        command = [sys.executable, "-m", "peer", "--loopback", *flags]
        self.process = subprocess.Popen(command, cwd=ROOT / "tests", stdout=subprocess.PIPE, text=True)
        for line in self.process.stdout:
            if json.loads(line).get("event", "") == "ready" or '"ready"' in line:
                break
        else:
            raise AssertionError("the peer did not start")
        # It says much more. Nobody asks, but somebody must listen, or it would wait.
        threading.Thread(target=self.process.stdout.read, daemon=True).start()

    @property
    def link(self) -> str:
        return f"exo://127.0.0.1:{self.zenoh}?ns={self.namespace}&api={self.api}"

    def __enter__(self) -> "Peer":
        return self

    def __exit__(self, *_: object) -> None:
        is_well = self.process.poll() is None
        self.process.terminate()
        self.process.wait()
        assert is_well, f"the peer ended with {self.process.returncode}: exo would have died"


def free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports
