"""Hello and WhatsUp, byte for byte."""

import struct
from dataclasses import dataclass

from blake3 import blake3

from . import ids

HELLO = struct.Struct("<3sB8s8s")
WHATS_UP = struct.Struct("<3sB8s16sH")
MAGIC = b"EXO"


def namespace_hash(namespace: str) -> bytes:
    return blake3(namespace.encode()).digest(length=8)


@dataclass(frozen=True)
class Hello:
    nonce: bytes
    namespace: bytes

    def pack(self) -> bytes:
        return HELLO.pack(MAGIC, 0, self.nonce, self.namespace)


@dataclass(frozen=True)
class WhatsUp:
    nonce: bytes
    node_id: str
    port: int

    def pack(self) -> bytes:
        return WHATS_UP.pack(MAGIC, 1, self.nonce, ids.to_bytes(self.node_id), self.port)


def unpack(datagram: bytes) -> Hello | WhatsUp | None:
    """Exact sizes only; anything else is nobody's business."""
    if len(datagram) == HELLO.size and datagram[:4] == MAGIC + b"\0":
        _, _, nonce, namespace = HELLO.unpack(datagram)
        return Hello(nonce, namespace)
    if len(datagram) == WHATS_UP.size and datagram[:4] == MAGIC + b"\1":
        _, _, nonce, zid, port = WHATS_UP.unpack(datagram)
        return WhatsUp(nonce, ids.from_bytes(zid), port)
    return None
