"""`python crowd.py LOCATOR SESSION_JSON N`: N nodes that are not there, with their telemetry once a second.

Gives a member a cluster of that size to keep in mind. Each speaks as a Linux exo node does."""

import itertools
import json
import sys
import time

import zenoh

locator, session, count = sys.argv[1], json.loads(sys.argv[2]), int(sys.argv[3])
config = zenoh.Config()
config.insert_json5("mode", '"client"')
config.insert_json5("scouting/multicast/enabled", "false")
config.insert_json5("connect/endpoints", json.dumps([locator]))


def size(amount: int) -> dict:
    return {"in_bytes": amount}


MEMORY = {name: size(8 << 30) for name in ("ram_total", "ram_available", "swap_total", "swap_available")}


def introduction(number: int) -> list[dict]:
    static = {"model": "Mac", "chip": "M4", "os_version": "Linux", "os_build_version": "1"}
    faces = [{"name": "eth0", "ip_address": f"10.78.0.{number}", "interface_type": "ethernet"}]
    return [
        {"MiscData": {"friendly_name": f"node {number}"}},
        {"StaticNodeInformation": static},
        {"NodeDiskUsage": {"disk_usage": {"total": size(1 << 40), "available": size(1 << 39)}}},
        {"NodeNetworkInterfaces": {"ifaces": faces}},
        {"NodeBackends": {"backends": ["MlxCpu"]}},
    ]


with zenoh.open(config) as bus:
    publisher = bus.declare_publisher("topics/local_events", congestion_control=zenoh.CongestionControl.BLOCK)
    indices = [itertools.count() for _ in range(count)]

    def say(number: int, info: dict) -> None:
        index = next(indices[number])
        told = {"event_id": f"crowd-{number}-{index}", "node_id": f"c{number:x}", "when": "", "info": info}
        message = {"origin_idx": index, "origin": f"crowd-{number}", "session": session, "event": {"NodeGatheredInfo": told}}
        publisher.put(json.dumps(message).encode())

    while not publisher.matching_status.matching:
        time.sleep(0.01)
    for number in range(count):
        for info in introduction(number):
            say(number, info)
    while True:
        began = time.monotonic()
        for number in range(count):
            say(number, MEMORY)
        time.sleep(max(0.0, 1 - (time.monotonic() - began)))
