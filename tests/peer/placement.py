"""Where exo's master puts a model that one node can hold."""

from typing import Any

from .models.base import fresh_id
from .models.cards import ModelCard, PipelineShardMetadata
from .models.instances import Host, MlxRingInstance, ShardAssignments

RING = {"MlxMetal", "MlxCuda", "MlxCpu"}
PORT = 50_000


def of_one(view: dict[str, Any], card: ModelCard) -> str | None:
    """The node for it, or nobody.

    Who has the memory is asked first and who has a backend afterwards: a node with memory and none makes the search
    fail only where it takes part in the smallest group, and here all groups are of one. Leaves come first, then those
    with most of the weights, then those with most memory.
    """
    memory, backends = view["nodeMemory"], view["nodeBackends"]
    roomy = [n for n in view["topology"]["nodes"] if _available(memory, n) >= card.storage_size.in_bytes]
    wanted = RING & {backend.value for backend in card.backends}
    able = [node for node in roomy if wanted & set(backends.get(node, []))]
    leaves = [node for node in able if len(view["topology"]["connections"].get(node, {})) <= 1]
    return max(leaves or able, key=lambda node: (_fetched(view, node, card), _available(memory, node)), default=None)


def _available(memory: dict[str, Any], node_id: str) -> int:
    return memory[node_id]["ramAvailable"]["inBytes"] if node_id in memory else -1


def _fetched(view: dict[str, Any], node_id: str, card: ModelCard) -> bool:
    completed = (shown["DownloadCompleted"] for shown in view["downloads"].get(node_id, []) if "DownloadCompleted" in shown)
    return any(
        next(iter(shown["shardMetadata"].values()))["modelCard"]["modelId"] == card.model_id for shown in completed
    )


def alone(node_id: str, card: ModelCard) -> MlxRingInstance:
    """The whole model on that node."""
    runner = fresh_id()
    shard = PipelineShardMetadata(
        model_card=card, device_rank=0, world_size=1, start_layer=0, end_layer=card.n_layers, n_layers=card.n_layers
    )
    assigned = ShardAssignments(
        model_id=card.model_id, runner_to_shard={runner: shard}, node_to_runner={node_id: runner}
    )
    return MlxRingInstance(
        instance_id=fresh_id(),
        shard_assignments=assigned,
        hosts_by_node={node_id: [Host(ip="0.0.0.0", port=PORT)]},
        ephemeral_port=PORT,
    )
