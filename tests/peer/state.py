"""exo's state, folded from indexed events, in the shape that `GET /state` shows (camelCase)."""

from datetime import datetime
from typing import Any

from .models import events as e
from .models import telemetry as t
from .models.base import Strict
from .models.runners import RunnerReady, RunnerShutdown

# What goes when a node times out. Identities and backends stay, as do runners and tasks.
FORGOTTEN = (
    "lastSeen",
    "downloads",
    "nodeMemory",
    "nodeDisk",
    "nodeSystem",
    "nodeNetwork",
    "nodeThunderbolt",
    "nodeThunderboltBridge",
    "nodeRdmaCtl",
)


def camel(model: Strict) -> Any:
    return model.model_dump(mode="json", by_alias=True)


def empty() -> dict[str, Any]:
    return {
        "instances": {},
        "runners": {},
        "downloads": {},
        "tasks": {},
        "lastSeen": {},
        "topology": {"nodes": [], "connections": {}},
        "lastEventAppliedIdx": -1,
        "nodeIdentities": {},
        "nodeMemory": {},
        "nodeDisk": {},
        "nodeSystem": {},
        "nodeNetwork": {},
        "nodeThunderbolt": {},
        "nodeThunderboltBridge": {},
        "nodeRdmaCtl": {},
        "nodeBackends": {},
        "thunderboltBridgeCycles": [],
        "instanceLinks": {},
        "prefillServerPorts": {},
        "customModelCards": {},
    }


class State:
    def __init__(self) -> None:
        self.view = empty()

    def apply(self, index: int, event: Any) -> None:
        """Events come in order, each once; exo asserts the same."""
        assert index == self.view["lastEventAppliedIdx"] + 1, f"event {index} out of order"
        self._apply(event)
        self.view["lastEventAppliedIdx"] = index

    def _apply(self, event: Any) -> None:
        view = self.view
        match event:
            case e.TaskCreated(task_id=task_id, task=task):
                view["tasks"][task_id] = camel(task)
            case e.TaskStatusUpdated(task_id=task_id, task_status=status) if task_id in view["tasks"]:
                self._task(task_id).update(taskStatus=status.value)
            case e.TaskFailed(task_id=task_id) if task_id in view["tasks"]:
                self._task(task_id).update(errorType=event.error_type, errorMessage=event.error_message)
            case e.TaskDeleted(task_id=task_id):
                view["tasks"].pop(task_id, None)
            case e.InstanceCreated(instance=instance):
                view["instances"][instance.instance_id] = camel(instance)
            case e.InstanceDeleted(instance_id=instance_id):
                self._instance_gone(instance_id)
            case e.RunnerStatusUpdated(runner_id=runner_id, runner_status=status):
                self._runner(runner_id, status)
            case e.NodeTimedOut(node_id=node_id):
                self._node_gone(node_id)
            case e.NodeGatheredInfo(node_id=node_id, when=when, info=info):
                seen = datetime.fromisoformat(when)
                view["lastSeen"][node_id] = seen.isoformat().replace("+00:00", "Z")
                self._add_node(node_id)
                self._gathered(node_id, info)
            case e.NodeDownloadProgress(download_progress=progress):
                self._download(progress)
            case e.TopologyEdgeCreated(conn=conn):
                self._edge(conn)
            case e.TopologyEdgeDeleted(conn=conn):
                edges = view["topology"]["connections"].get(conn.source, {}).get(conn.sink, [])
                if (shown := camel(conn.edge)) in edges:
                    edges.remove(shown)
            case e.CustomModelCardAdded(model_card=card):
                view["customModelCards"][card.model_id] = camel(card)
            case e.CustomModelCardDeleted(model_id=model_id):
                view["customModelCards"].pop(model_id, None)
            case e.InstanceLinkCreated(link=link):
                view["instanceLinks"][link.link_id] = camel(link)
            case e.InstanceLinkDeleted(link_id=link_id):
                view["instanceLinks"].pop(link_id, None)

    def _task(self, task_id: str) -> dict[str, Any]:
        return next(iter(self.view["tasks"][task_id].values()))

    def _runner(self, runner_id: str, status: Any) -> None:
        if isinstance(status, RunnerShutdown):
            self.view["runners"].pop(runner_id, None)
            self.view["prefillServerPorts"].pop(runner_id, None)
            return
        self.view["runners"][runner_id] = camel(status)
        if isinstance(status, RunnerReady) and status.prefill_server_port is not None:
            self.view["prefillServerPorts"][runner_id] = status.prefill_server_port

    def _instance_gone(self, instance_id: str) -> None:
        self.view["instances"].pop(instance_id, None)
        for link_id, link in list(self.view["instanceLinks"].items()):
            for side in ("prefillInstances", "decodeInstances"):
                link[side] = [other for other in link[side] if other != instance_id]
            if not (link["prefillInstances"] and link["decodeInstances"]):
                del self.view["instanceLinks"][link_id]

    def _add_node(self, node_id: str) -> None:
        if node_id not in self.view["topology"]["nodes"]:
            self.view["topology"]["nodes"].append(node_id)

    def _node_gone(self, node_id: str) -> None:
        for part in FORGOTTEN:
            self.view[part].pop(node_id, None)
        topology = self.view["topology"]
        topology["nodes"] = [other for other in topology["nodes"] if other != node_id]
        topology["connections"].pop(node_id, None)
        for sinks in topology["connections"].values():
            sinks.pop(node_id, None)

    def _edge(self, conn: t.Connection) -> None:
        self._add_node(conn.source)
        self._add_node(conn.sink)
        edges = self.view["topology"]["connections"].setdefault(conn.source, {}).setdefault(conn.sink, [])
        if (shown := camel(conn.edge)) not in edges:
            edges.append(shown)

    def _download(self, progress: Any) -> None:
        def model(shown: dict[str, Any]) -> str:
            (body,) = shown.values()
            (shard,) = body["shardMetadata"].values()
            return shard["modelCard"]["modelId"]

        shown = camel(progress)
        known = self.view["downloads"].setdefault(progress.node_id, [])
        for place, other in enumerate(known):
            if model(other) == model(shown):
                known[place] = shown
                return
        known.append(shown)

    def _gathered(self, node_id: str, info: Any) -> None:
        view = self.view
        match info:
            case t.MacmonMetrics():
                view["nodeSystem"][node_id] = camel(info.system_profile)
                view["nodeMemory"][node_id] = camel(info.memory)
            case t.MemoryUsage():
                view["nodeMemory"][node_id] = camel(info)
            case t.NodeDiskUsage():
                view["nodeDisk"][node_id] = camel(info.disk_usage)
            case t.MiscData():
                self._identity(node_id).update(friendlyName=info.friendly_name)
            case t.StaticNodeInformation():
                self._identity(node_id).update(
                    modelId=info.model,
                    chipId=info.chip,
                    osVersion=info.os_version,
                    osBuildVersion=info.os_build_version,
                )
            case t.NodeNetworkInterfaces():
                view["nodeNetwork"][node_id] = {"interfaces": [camel(iface) for iface in info.ifaces]}
            case t.MacThunderboltIdentifiers():
                view["nodeThunderbolt"][node_id] = {"interfaces": [camel(ident) for ident in info.idents]}
            case t.RdmaCtlStatus():
                view["nodeRdmaCtl"][node_id] = {"enabled": info.enabled}
            case t.ThunderboltBridgeInfo():
                view["nodeThunderboltBridge"][node_id] = camel(info.status)
            case t.NodeBackends():
                view["nodeBackends"][node_id] = [backend.value for backend in info.backends]

    def _identity(self, node_id: str) -> dict[str, str]:
        names = ("modelId", "chipId", "friendlyName", "osVersion", "osBuildVersion")
        return self.view["nodeIdentities"].setdefault(node_id, dict.fromkeys(names, "Unknown"))
