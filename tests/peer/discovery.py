"""exo's own discovery: a Hello each second to every interface, a WhatsUp for every Hello of our namespace.

It finds; it does not dial (`dialling.py`).
"""

import asyncio
import ipaddress
import secrets
import socket
import struct
from collections.abc import Callable

from . import interfaces
from .datagrams import Hello, WhatsUp, namespace_hash, unpack
from .log import say

GROUP = "ff12::e0a1:de89"


class Discovery(asyncio.DatagramProtocol):
    def __init__(
        self,
        node_id: str,
        namespace: str,
        port: int,
        zenoh_port: int,
        found: Callable[[str, str], None],
        answer_after: float = 0.0,
        *,
        local: bool = False,
    ):
        """`found` is told the node id and the zenoh locator of each node that answered.

        `local`: a Hello of this very device is answered, and none is sent.
        """
        self.local = local
        self.answer_after = answer_after
        self.node_id, self.port, self.zenoh_port, self.found = node_id, port, zenoh_port, found
        self.namespace = namespace_hash(namespace)
        self.nonce = secrets.token_bytes(8)
        self.joined: dict[int, str] = {}
        self.strangers: set[tuple[str, str]] = set()

    async def run(self) -> None:
        self.socket = sock = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_HOPS, 1)
        sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_LOOP, 1)
        sock.bind(("::ffff:127.0.0.1" if self.local else "::", self.port))
        sock.setblocking(False)
        await asyncio.get_running_loop().create_datagram_endpoint(lambda: self, sock=sock)
        while True:
            if not self.local:
                self._follow_interfaces()
            self.nonce = secrets.token_bytes(8)
            hello = Hello(self.nonce, self.namespace).pack()
            for index in self.joined:
                self._send(hello, (GROUP, self.port, 0, index))
            await asyncio.sleep(1)

    def _follow_interfaces(self) -> None:
        now = interfaces.with_ipv6()
        for index in now.keys() - self.joined.keys():
            membership = socket.inet_pton(socket.AF_INET6, GROUP) + struct.pack("@I", index)
            try:
                self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_JOIN_GROUP, membership)
            except OSError:
                continue  # a member already, after the address went and came back
        self.joined = now

    def _send(self, datagram: bytes, to: tuple) -> None:
        try:
            self.socket.sendto(datagram, to)
        except OSError as error:
            say("not sent", to=to[0], why=str(error))

    def datagram_received(self, data: bytes, addr: tuple) -> None:
        match unpack(data):
            case Hello(nonce, namespace) if namespace == self.namespace and nonce != self.nonce:
                self._note("hello", addr)
                answer = WhatsUp(nonce, self.node_id, self.zenoh_port).pack()
                asyncio.get_running_loop().call_later(self.answer_after, self._send, answer, addr)
            case WhatsUp(nonce, node_id, port) if nonce == self.nonce and node_id != self.node_id:
                self._note("whats up", addr)
                self.found(node_id, f"tcp/[{_with_scope(addr)}]:{port}")

    def _note(self, what: str, addr: tuple) -> None:
        """Each sender once, and not for ever: a flood must not fill the log."""
        if (what, addr[0]) not in self.strangers and len(self.strangers) < 1000:
            self.strangers.add((what, addr[0]))
            say(what, sender=addr[0], port=addr[1])


def _with_scope(addr: tuple) -> str:
    host = ipaddress.IPv6Address(addr[0].split("%")[0])
    return f"{host}%{addr[3]}" if host.is_link_local else str(host)
