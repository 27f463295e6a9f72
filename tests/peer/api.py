"""exo's HTTP interface, as far as members and tests need it. IPv4 only, as exo's."""

from typing import Any

from . import http
from .chat import Chats
from .node import Node
from .placing import Placing
from .state import camel


async def run(node: Node, host: str, port: int, extra_keys: dict[str, Any]) -> None:
    """`extra_keys` appear in /state and make it that of a build that nobody knows."""
    placing = Placing(node, node.downloads)
    chats = Chats(node, placing.origin)
    await http.serve(
        host,
        port,
        {
            "/node_id": lambda: node.node_id,
            "/state": lambda: node.state.view | extra_keys,
            "/events": lambda: [camel(event) for event in node.applied],
            "/models": placing.models,
        },
        {
            "/instance": placing.create_instance,
            "/place_instance": placing.place_instance,
            "/v1/chat/completions": chats.complete,
            "/v1/images/generations": chats.paint,
        },
        {"/instance/": placing.delete_instance},
    )
