"""Node ids: hex of a 128-bit number for people and JSON, its little-endian bytes in datagrams and for ordering."""

import secrets


def fresh_node_id() -> str:
    return f"{secrets.randbits(128) or 1:x}"


def to_bytes(node_id: str) -> bytes:
    return int(node_id, 16).to_bytes(16, "little")


def from_bytes(zid: bytes) -> str:
    return f"{int.from_bytes(zid, 'little'):x}"


def dials(own: str, other: str) -> bool:
    """The node with the greater id dials. Greater by little-endian bytes, not by the hex string."""
    return to_bytes(own) > to_bytes(other)
