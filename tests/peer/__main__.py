"""Plays one exo node until it is told to stop.

Exit code 86: it heard something that exo's parser refuses. 87: something that it did read ended it. exo dies of both.
"""

import argparse
import asyncio
import signal

from . import api, dialects, ids
from .bus import Bus
from .dialling import Dialling
from .discovery import Discovery
from .life import guard, spawn
from .log import say
from .node import Node


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m peer", description=__doc__)
    add = parser.add_argument
    add("--node-id", help="1 to 32 hex digits, no leading zero (default: random)")
    add("--name", default="peer", help="friendly name in its telemetry")
    add("--namespace", default="0.3.70", help="exo's default is its package version")
    add("--discovery-port", type=int, default=52413)
    add("--zenoh-port", type=int, default=52414)
    add("--api-port", type=int, default=52415)
    add("--no-api", action="store_true", help="serve no HTTP")
    add("--loopback", action="store_true", help="be there for this very device alone, and say nothing to any network")
    add("--no-discovery", action="store_true", help="neither announce nor answer")
    add("--answer-after", type=float, default=0.0, metavar="SECONDS", help="answer Hellos late, as over a slow radio")
    add("--downloads", type=int, default=0, metavar="N", help="tell of N models each minute (a real exo: about 120)")
    add("--seniority", type=int, default=0, help="1000000 is exo's --force-master")
    add("--forgiving", action="store_true", help="log what is invalid instead of dying of it")
    add(
        "--unknown-build",
        choices=dialects.KINDS,
        default="none",
        help="speak an event, a field or a key of /state that no known build has",
    )
    return parser.parse_args()


async def main(options: argparse.Namespace) -> None:
    guard()
    node_id = options.node_id or ids.fresh_node_id()
    dialling = Dialling(node_id)
    dialect = dialects.of(options.unknown_build)
    bus = Bus(
        node_id,
        options.zenoh_port,
        dialling.locators,
        forgiving=options.forgiving,
        dialect=dialect,
        local=options.loopback,
    )
    node = Node(
        node_id,
        options.name,
        bus,
        api_port=options.api_port,
        downloads=options.downloads,
        seniority=options.seniority,
    )
    tasks = []
    if not options.no_api:
        host = "127.0.0.1" if options.loopback else "0.0.0.0"
        tasks.append(api.run(node, host, options.api_port, dialects.extra_state(options.unknown_build)))
    if not options.no_discovery:
        discovery = Discovery(
            node_id,
            options.namespace,
            options.discovery_port,
            options.zenoh_port,
            dialling.found,
            options.answer_after,
            local=options.loopback,
        )
        tasks.append(discovery.run())

    over = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, over.set)
    say("ready", node=node_id)
    running = [spawn(task) for task in tasks]
    await asyncio.wait([*running, spawn(over.wait())], return_when=asyncio.FIRST_COMPLETED)
    for task in running:
        if task.done():
            task.result()
        task.cancel()
    bus.session.close()
    say("bye")


asyncio.run(main(arguments()))
