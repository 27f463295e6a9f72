"""Carries every frame from one interface to another, a fixed time later: `relay.py IN OUT MILLISECONDS`.

The kernel here has no `netem`. Frames are raw (`AF_PACKET`); both directions take one relay each.
"""

import select
import socket
import sys
import time
from collections import deque

ETH_P_ALL = 3
SOL_PACKET, PACKET_IGNORE_OUTGOING = 263, 23
SO_RCVBUFFORCE = 33
ENOUGH = 32 << 20


def raw(interface: str, protocol: int) -> socket.socket:
    made = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(protocol))
    made.bind((interface, protocol))
    made.setblocking(False)
    return made


def main() -> None:
    source, target, delay = sys.argv[1], sys.argv[2], float(sys.argv[3]) / 1e3
    taker, giver = raw(source, ETH_P_ALL), raw(target, 0)
    # What the other relay sends out there is not ours to carry back.
    taker.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
    taker.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, ENOUGH)
    waiting: deque[tuple[float, bytes]] = deque()
    print("ready", flush=True)
    while True:
        left = None if not waiting else max(0.0, waiting[0][0] - time.monotonic())
        select.select([taker], [], [], left)
        now = time.monotonic()
        try:
            while True:
                waiting.append((now + delay, taker.recv(65536)))
        except BlockingIOError:
            pass
        while waiting and waiting[0][0] <= time.monotonic():
            try:
                giver.send(waiting[0][1])
            except BlockingIOError:
                break
            waiting.popleft()


if __name__ == "__main__":
    main()
