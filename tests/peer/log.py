"""JSON lines on stdout: what happened here, for scenarios to assert on.

Each line has `at` (seconds of the wall clock), `say` (what happened) and facts. A line is one write, so that a process
that is killed leaves whole lines.
"""

import hashlib
import json
import os
import sys
import time
from typing import Any, NoReturn

EXIT_INVALID = 86


def say(what: str, **facts: Any) -> None:
    line = json.dumps({"at": round(time.time(), 4), "say": what, **facts})
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def shown(payload: bytes) -> str:
    """As much of it as a log may hold."""
    return payload[:4000].decode("utf-8", "backslashreplace")


def digest(payload: bytes) -> str:
    """Tells payloads apart, however long they are."""
    return hashlib.blake2b(payload, digest_size=12).hexdigest()


def forgive(topic: str, payload: bytes, why: str) -> None:
    """What would have ended a node that does not forgive, with the bytes, so that their sender can be told."""
    facts = {"payload": shown(payload), "digest": digest(payload), "bytes": len(payload)}
    say("forgiven", topic=topic, why=why[:200], **facts)


def die(reason: str, topic: str, payload: bytes, why: str) -> NoReturn:
    """exo does not catch a bad message: its process ends. So does this one, at once, and it names the bytes."""
    say(reason, topic=topic, payload=shown(payload), bytes=len(payload), why=why)
    sys.stderr.write(f"{reason} on topics/{topic}: {why!r} in {shown(payload)!r}\n")
    sys.stderr.flush()
    os._exit(EXIT_INVALID)
