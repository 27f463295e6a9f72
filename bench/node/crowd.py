"""`python crowd.py LOCATOR SESSION_JSON N`: N nodes that are not there, each as talkative as an exo node on Linux.

Gives a member a cluster of that size to keep in mind: memory every second, and every minute the state of the download of
each of 120 models."""

import itertools
import json
import sys
import time
from pathlib import Path

import zenoh

MODELS = 120
GOLDEN = Path(__file__).resolve().parents[2] / "tests/vectors/exo/golden_local_events.jsonl"

locator, session, count = sys.argv[1], json.loads(sys.argv[2]), int(sys.argv[3])
config = zenoh.Config()
config.insert_json5("mode", '"client"')
config.insert_json5("scouting/multicast/enabled", "false")
config.insert_json5("connect/endpoints", json.dumps([locator]))


def size(amount: int) -> dict:
    return {"in_bytes": amount}


MEMORY = {name: size(8 << 30) for name in ("ram_total", "ram_available", "swap_total", "swap_available")}


def pending() -> str:
    lines = (json.loads(line) for line in GOLDEN.read_text().splitlines())
    golden = next(line for line in lines if line["variant"] == "NodeDownloadProgress/DownloadPending")
    return json.dumps(json.loads(golden["json"])["event"]["NodeDownloadProgress"]["download_progress"])


PENDING = pending()


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

    def put(number: int, tag: str, fields: dict) -> None:
        index = next(indices[number])
        event = {tag: {"event_id": f"crowd-{number}-{index}", **fields}}
        message = {"origin_idx": index, "origin": f"crowd-{number}", "session": session, "event": event}
        publisher.put(json.dumps(message).encode())

    def say(number: int, info: dict) -> None:
        put(number, "NodeGatheredInfo", {"node_id": f"c{number:x}", "when": "", "info": info})

    def tell_download(number: int, model: int) -> None:
        progress = json.loads(PENDING)
        pending = progress["DownloadPending"]
        pending["node_id"] = f"c{number:x}"
        card = next(iter(pending["shard_metadata"].values()))["model_card"]
        card["model_id"] = f"mlx-community/model-{model}"
        put(number, "NodeDownloadProgress", {"download_progress": progress})

    while not publisher.matching_status.matching:
        time.sleep(0.01)
    for number in range(count):
        for info in introduction(number):
            say(number, info)
    for second in itertools.count():
        began = time.monotonic()
        for number in range(count):
            say(number, MEMORY)
            for model in (2 * second % MODELS, (2 * second + 1) % MODELS):
                tell_download(number, model)
        time.sleep(max(0.0, 1 - (time.monotonic() - began)))
