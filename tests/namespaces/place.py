"""`exo-phone place` in a namespace, and the question whether exo could run what it hands over."""

from pathlib import Path
from typing import Any

from .lan import Host
from .phone import program
from .processes import Process


class Place(Process):
    """One run, from its start to its end. Standard output is one JSON object; progress and errors are complaints."""

    def __init__(self, host: Host, directory: Path, model: str, *flags: str):
        super().__init__(host, f"place-{host.name}", [program(), "place", model, "--json", *flags], directory)

    def ends(self, within: float = 30.0) -> int:
        return self.wait(within)

    def report(self) -> dict[str, Any]:
        (line,) = self.log()
        return line

    def stages(self) -> list[tuple[str, int, int]]:
        return [(s["device"], s["start_layer"], s["end_layer"]) for s in self.report()["answer"]["stages"]]


def assert_runnable(state: dict[str, Any], instance_id: str) -> dict[str, Any]:
    """An instance that exo's workers could start, by exo's own rules for rings. Judged from the state alone."""
    (ring,) = state["instances"][instance_id].values()
    assigned, hosts = ring["shardAssignments"], ring["hostsByNode"]
    runners, size = assigned["nodeToRunner"], len(assigned["nodeToRunner"])
    assert set(runners) <= set(state["topology"]["nodes"]), "every node is present"
    shards = {}
    for node, runner in runners.items():
        (shard,) = assigned["runnerToShard"][runner].values()
        shards[shard["deviceRank"]] = node, shard
        assert shard["worldSize"] == size
        runs_on = set(shard["modelCard"]["backends"]) & {"MlxMetal", "MlxCuda", "MlxCpu"}
        assert runs_on & set(state["nodeBackends"][node]), f"{node} has a backend for it"
    assert sorted(shards) == list(range(size)), "each rank once"
    next_layer = 0
    for rank in range(size):
        node, shard = shards[rank]
        assert (shard["startLayer"], shard["nLayers"]) == (next_layer, shard["modelCard"]["nLayers"])
        assert shard["endLayer"] > shard["startLayer"], "nobody runs nothing"
        next_layer = shard["endLayer"]
        assert len(hosts[node]) == size
        for other, host in enumerate(hosts[node]):
            at = host["ip"], host["port"]
            if other == rank:
                assert at == ("0.0.0.0", ring["ephemeralPort"])
            elif other in ((rank - 1) % size, (rank + 1) % size):
                edges = state["topology"]["connections"][node][shards[other][0]]
                known = {edge["sinkMultiaddr"]["ip_address"] for edge in edges}
                assert host["ip"] in known and host["port"] == ring["ephemeralPort"]
            else:
                assert at == ("198.51.100.1", 0)
    assert next_layer == shards[0][1]["modelCard"]["nLayers"], "all layers are run"
    return ring
