"""`python -m namespaces.hostile WHAT`: a host that floods its neighbours, lies to them and poisons the bus.

Datagrams: Hellos of every namespace, WhatsUps with guessed nonces that point to itself, wrong sizes, garbage; to the
ports that it was told and to those from which it heard a Hello. Lies: it is in exo's multicast group too and answers
each Hello of a phone, with the right nonce. Payloads: not JSON, not UTF-8, valid JSON of the wrong shape, depth, huge
numbers, 9 MiB of blanks, on every topic.
"""

import argparse
import json
import random
import secrets
import socket
import struct
import threading
import time

import zenoh
from peer.datagrams import Hello, WhatsUp, namespace_hash, unpack
from peer.discovery import GROUP
from peer.ids import fresh_node_id
from peer.log import digest, say
from peer.models.topics import TOPICS

GIANT = 9 << 20
DISCOVERY = 52413
CROWD = 64


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


class Liar:
    """Hears the Hellos of phones and answers each as if it were an exo, faster than the real one if it can."""

    def __init__(self, answers: list[str], addresses: list[str], seed: random.Random):
        """Besides the answers of each kind, one from each of these addresses of its own, as if from so many hosts."""
        self.seed, self.heard, self.told, self.accepted, self.flooded = seed, 0, 0, 0, 0
        self.phones: set[tuple] = set()
        self.answers = [getattr(self, f"_{answer}") for answer in answers]
        self.mouths = [_mouth(address) for address in addresses]
        self.socket = sock = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        sock.bind(("::", DISCOVERY))
        membership = socket.inet_pton(socket.AF_INET6, GROUP) + struct.pack("@I", socket.if_nametoindex("eth0"))
        sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_JOIN_GROUP, membership)
        self.node_id, self.dead_port, self.silent_port = fresh_node_id(), _dead_port(), self._silent_port()

    def listen(self, until: float) -> None:
        self.socket.settimeout(0.2)
        while time.monotonic() < until:
            try:
                datagram, sender = self.socket.recvfrom(2048)
            except TimeoutError:
                continue
            match unpack(datagram):
                # An exo asks from the port where it answers; a phone from any.
                case Hello(nonce) if sender[1] != DISCOVERY:
                    self.heard += 1
                    self.phones.add(sender)
                    self._answer(nonce, sender)

    def _answer(self, nonce: bytes, sender: tuple) -> None:
        for mouth in self.mouths:
            lie = WhatsUp(nonce, fresh_node_id(), self.dead_port).pack()
            self.told += _sent(mouth, lie, sender)
        for answer in self.answers:
            for node_id, port in answer():
                self.told += self.send(WhatsUp(nonce, node_id, port).pack(), sender)

    def send(self, datagram: bytes, to: tuple) -> bool:
        return _sent(self.socket, datagram, to)

    def _dead(self) -> list[tuple[str, int]]:
        """Nobody listens there."""
        return [(self.node_id, self.dead_port)]

    def _silent(self) -> list[tuple[str, int]]:
        """Whoever calls is taken and never hears a word."""
        return [(self.node_id, self.silent_port)]

    def _many(self) -> list[tuple[str, int]]:
        """A crowd that was never there before, each time another."""
        return [(fresh_node_id(), self.seed.choice([self.dead_port, self.silent_port])) for _ in range(CROWD)]

    def _silent_port(self) -> int:
        listener = socket.create_server(("::", 0), family=socket.AF_INET6, dualstack_ipv6=True, backlog=128)
        kept = []

        def take() -> None:
            while True:
                kept.append(listener.accept())
                self.accepted += 1

        threading.Thread(target=take, daemon=True).start()
        return listener.getsockname()[1]


def _sent(mouth: socket.socket, datagram: bytes, to: tuple) -> bool:
    """Not if a queue is full, a phone went, or this address is of the other family: there will be another."""
    try:
        return bool(mouth.sendto(datagram, to))
    except OSError:
        return False


def _mouth(address: str) -> socket.socket:
    mouth = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
    mouth.bind((address, 0, 0, socket.if_nametoindex("eth0")))
    return mouth


def _dead_port() -> int:
    with socket.socket() as probe:
        probe.bind(("0.0.0.0", 0))
        return probe.getsockname()[1]


def flood(liar: Liar, targets: list[str], ports: list[int], until: float, seed: random.Random) -> None:
    index = socket.if_nametoindex("eth0")
    while time.monotonic() < until:
        for _ in range(50):
            host = seed.choice(targets)
            port = seed.choice([DISCOVERY, 5353, *ports, seed.randrange(1024, 65536)])
            to = (GROUP, DISCOVERY, 0, index) if host == GROUP else (f"::ffff:{host}", port)
            if liar.phones and seed.random() < 0.5:
                to = seed.choice(list(liar.phones))
            liar.send(datagrams(seed), to)
            liar.flooded += 1
        time.sleep(0.005)


def poison(exo: str, until: float, seed: random.Random) -> None:
    config = zenoh.Config()
    config.insert_json5("mode", '"client"')
    config.insert_json5("scouting/multicast/enabled", "false")
    config.insert_json5("connect/endpoints", json.dumps([f"tcp/{exo}:52414"]))
    with zenoh.open(config) as session:
        while time.monotonic() < until:
            payload = payloads(seed)
            # Said before it is put: a scenario must not find it at the exo and not here.
            say("sent", digest=digest(payload))
            session.put(
                f"topics/{seed.choice(list(TOPICS))}", payload, congestion_control=zenoh.CongestionControl.BLOCK
            )
            time.sleep(0.01)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["noise", "lies", "poison"], help="lies with noise, lies alone, or payloads")
    parser.add_argument("--exo", required=True)
    parser.add_argument("--phone", required=True)
    parser.add_argument("--phone-port", type=int, action="append", default=[], help="a UDP port that the phone has")
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--seed", type=int, default=secrets.randbits(32))
    parser.add_argument("--answer", choices=["dead", "silent", "many"], action="append", default=[])
    parser.add_argument("--address", action="append", default=[], help="answer from this address too")
    options = parser.parse_args()
    seed = random.Random(options.seed)
    until = time.monotonic() + options.seconds
    if options.what == "poison":
        say("begins", seed=options.seed)
        poison(options.exo, until, seed)
        return
    liar = Liar(options.answer, options.address, seed)
    listening = threading.Thread(target=liar.listen, args=(until,))
    listening.start()
    say("begins", seed=options.seed)
    if options.what == "noise":
        flood(liar, [options.exo, options.phone, GROUP], options.phone_port, until, seed)
    listening.join()
    say("done", datagrams=liar.flooded, hellos=liar.heard, answers=liar.told, accepted=liar.accepted)


if __name__ == "__main__":
    main()
