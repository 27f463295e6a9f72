"""Two hosts, each in a network namespace of its own, and one wire between them with a rate and a delay.

    here [eth0, tbf] ---- [near] the wire's own namespace [far] ---- [eth0, tbf] there

Without a delay the middle is a bridge; with one it is two relays (`relay.py`), one for each direction. Nothing leads
out.
"""

import ctypes
import fcntl
import os
import secrets
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from namespaces.lan import CLONE_NEWNET, NETNS, NoNamespaces, run, sweep
from namespaces.processes import die_with_parent

SUBNET = "10.78.0"
# The machine may be busy with other things; what measures goes first.
FIRST = ["chrt", "--rr", "10"]
SIOCETHTOOL, ETHTOOL_STXCSUM = 0x8946, 0x17


@dataclass
class End:
    """One host: what `namespaces.processes.Process` needs to run something there."""

    namespace: str
    ipv4: str


class Wire:
    def __init__(self, megabits: float, bucket: int, delay_ms: float = 0):
        self.prefix = f"exo-{os.getpid()}-{secrets.token_hex(2)}"
        self.megabits, self.bucket, self.delay_ms = megabits, bucket, delay_ms
        self.middle = f"{self.prefix}-wire"
        self.here = End(f"{self.prefix}-here", f"{SUBNET}.1")
        self.there = End(f"{self.prefix}-there", f"{SUBNET}.2")
        self.relays: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> "Wire":
        try:
            sweep()
            run("ip", "netns", "add", self.middle)
            self._end(self.here, "near")
            self._end(self.there, "far")
            self._relay() if self.delay_ms else self._bridge()
        except (RuntimeError, OSError) as why:
            self.__exit__()
            raise NoNamespaces(str(why)) from why
        return self

    def __exit__(self, *_: object) -> None:
        for relay in self.relays:
            relay.kill()
            relay.wait()
        for made in NETNS.glob(f"{self.prefix}-*"):
            subprocess.run(["ip", "netns", "del", made.name], capture_output=True)

    def _end(self, end: End, port: str) -> None:
        run("ip", "netns", "add", end.namespace)
        run("ip", "-n", end.namespace, "link", "set", "lo", "up")
        wire = ("type", "veth", "peer", "name", port, "netns", self.middle)
        run("ip", "link", "add", "eth0", "netns", end.namespace, *wire)
        run("ip", "-n", end.namespace, "address", "add", f"{end.ipv4}/24", "dev", "eth0")
        run("ip", "-n", end.namespace, "link", "set", "eth0", "up")
        run("ip", "-n", self.middle, "link", "set", port, "up")
        # A relay sends bytes, not what a card would have made of them: checksums must be there.
        inside(end.namespace, lambda: without_checksum_offload("eth0"))
        shape = f"rate {self.megabits}mbit burst {self.bucket} latency 200ms"
        run("tc", "-n", end.namespace, "qdisc", "add", "dev", "eth0", "root", "tbf", *shape.split())

    def _bridge(self) -> None:
        run("ip", "-n", self.middle, "link", "add", "br0", "type", "bridge", "mcast_snooping", "0")
        for port in ("near", "far"):
            run("ip", "-n", self.middle, "link", "set", port, "master", "br0")
        run("ip", "-n", self.middle, "link", "set", "br0", "up")

    def _relay(self) -> None:
        script = str(Path(__file__).with_name("relay.py"))
        for words in (("near", "far"), ("far", "near")):
            relaying = [*FIRST, sys.executable, script, *words, str(self.delay_ms)]
            command = ["nsenter", f"--net={NETNS / self.middle}", "--", *relaying]
            relay = subprocess.Popen(command, stdout=subprocess.PIPE, preexec_fn=die_with_parent)
            self.relays.append(relay)
            assert relay.stdout and relay.stdout.readline() == b"ready\n", "a relay did not start"


def inside(namespace: str, action: Callable[[], None]) -> None:
    """Runs the action in this network namespace, on a thread that ends with it."""
    failures: list[BaseException] = []

    def there() -> None:
        try:
            with open(NETNS / namespace) as file:
                if ctypes.CDLL(None, use_errno=True).setns(file.fileno(), CLONE_NEWNET):
                    raise OSError(ctypes.get_errno(), "setns")
            action()
        except BaseException as why:  # handed to the caller below
            failures.append(why)

    thread = threading.Thread(target=there)
    thread.start()
    thread.join()
    if failures:
        raise failures[0]


def without_checksum_offload(interface: str) -> None:
    """What `ethtool -K <interface> tx off` does."""
    value = ctypes.create_string_buffer(struct.pack("=II", ETHTOOL_STXCSUM, 0))
    request = struct.pack("16sP", interface.encode(), ctypes.addressof(value))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, SIOCETHTOOL, request)
