"""`python -m namespaces.hostile`: a host that floods its neighbours with datagrams and poisons the bus.

Datagrams: Hellos of every namespace, WhatsUps with guessed nonces that point to itself, wrong sizes, garbage. Payloads:
not JSON, not UTF-8, valid JSON of the wrong shape, depth, huge numbers, 9 MiB of blanks, on every topic.
"""

import argparse
import json
import random
import secrets
import socket
import threading
import time

import zenoh
from peer.datagrams import Hello, WhatsUp, namespace_hash
from peer.discovery import GROUP
from peer.ids import fresh_node_id
from peer.models.topics import TOPICS

GIANT = 9 << 20


def datagrams(seed: random.Random) -> bytes:
    nonce = secrets.token_bytes(8)
    return seed.choice(
        [
            lambda: Hello(nonce, namespace_hash("0.3.70")).pack(),
            lambda: Hello(nonce, secrets.token_bytes(8)).pack(),
            lambda: WhatsUp(nonce, fresh_node_id(), seed.randrange(65536)).pack(),
            lambda: WhatsUp(b"\0" * 8, fresh_node_id(), 9).pack(),
            lambda: WhatsUp(nonce, fresh_node_id(), 52414).pack()[:-1],
            lambda: secrets.token_bytes(seed.randrange(1400)),
            lambda: b"",
        ]
    )()


def payloads(seed: random.Random) -> bytes:
    session = {"master_node_id": fresh_node_id(), "election_clock": 2**62}
    return seed.choice(
        [
            lambda: b"",
            lambda: secrets.token_bytes(300),
            lambda: b"[" * 100_000,
            lambda: b'{"event":' * 5_000,
            lambda: b'{"origin_idx":' + b"9" * 10_000 + b"}",
            lambda: json.dumps({"origin_idx": 2**63, "origin": "x", "session": session, "event": {"Boo": {}}}).encode(),
            lambda: json.dumps(
                {"origin_idx": 1, "origin": session["master_node_id"], "session": session, "event": {"TestEvent": {}}}
            ).encode(),
            lambda: json.dumps({"clock": 2**62, "seniority": 9, "proposed_session": 5, "commands_seen": None}).encode(),
            lambda: b" " * GIANT,
        ]
    )()


def flood_datagrams(targets: list[str], until: float, seed: random.Random) -> None:
    sock = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
    sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
    sock.bind(("::", 52413))
    index = socket.if_nametoindex("eth0")
    ports = [52413, 5353]
    while time.monotonic() < until:
        for _ in range(50):
            host = seed.choice(targets)
            # The phone's own port is not known; a scanner would find it.
            port = seed.choice([*ports, seed.randrange(1024, 65536)])
            to = (GROUP, 52413, 0, index) if host == GROUP else (f"::ffff:{host}", port)
            try:
                sock.sendto(datagrams(seed), to)
            except OSError:
                pass
        time.sleep(0.005)


def poison(exo: str, until: float, seed: random.Random) -> None:
    config = zenoh.Config()
    config.insert_json5("mode", '"client"')
    config.insert_json5("scouting/multicast/enabled", "false")
    config.insert_json5("connect/endpoints", json.dumps([f"tcp/{exo}:52414"]))
    with zenoh.open(config) as session:
        while time.monotonic() < until:
            session.put(
                f"topics/{seed.choice(list(TOPICS))}", payloads(seed), congestion_control=zenoh.CongestionControl.BLOCK
            )
            time.sleep(0.01)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--exo", required=True)
    parser.add_argument("--phone", required=True)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--seed", type=int, default=secrets.randbits(32))
    parser.add_argument("--only", choices=["datagrams"])
    options = parser.parse_args()
    seed = random.Random(options.seed)
    print(json.dumps({"say": "flooding", "seed": options.seed}), flush=True)
    until = time.monotonic() + options.seconds
    noise = threading.Thread(target=flood_datagrams, args=([options.exo, options.phone, GROUP], until, seed))
    noise.start()
    if options.only != "datagrams":
        poison(options.exo, until, seed)
    noise.join()


if __name__ == "__main__":
    main()
