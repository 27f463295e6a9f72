"""The member: joining, leaving, states, the cluster and discovery."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import TYPE_CHECKING

from . import _core
from ._core import Formula, Objective
from .adapters import platform_of
from .ending import closed_at_the_end
from .errors import translated
from .opening import Opening
from .platforms import LoggingSink
from .states import NodeState, state_of
from .streams import Stream
from .telemetry import ClusterTelemetry, Condition, condition_of, telemetry_of

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from . import platforms
    from ._core import (
        Cluster,
        Founding,
        Group,
        NodeStats,
        Plan,
        Policy,
        Provider,
        Score,
        SearchStatus,
        TopologyReport,
    )
    from .gpu import Gpu
    from .models import ModelHost

LEAVE_WITHIN = timedelta(seconds=5)


class ExoNode:
    """A member of a cluster, or of one that is still searched for."""

    def __init__(self, node: _core.ExoNode, models: ModelHost | None = None) -> None:
        self._node = node
        # A host that nobody holds closes, and would serve nobody.
        self._models = models
        closed_at_the_end(node)
        with translated():
            self.id = node.id()
            """Who we are."""
            self.notes = tuple(node.notes())
            """What the start has to say to people, such as an identity that could not be kept."""

    @classmethod
    def join(
        cls,
        *,
        name: str | None = None,
        data_dir: str | os.PathLike[str] | None = None,
        namespace: str | None = None,
        confirmed_link: str | None = None,
        interface: str | None = None,
        only: Iterable[Provider] | None = None,
        discovery_port: int | None = None,
        policy: Policy | None = None,
        utc_offset_minutes: int | None = None,
        measure_links: bool = True,
        metrics: str | None = None,
        listen_only: bool = False,
        allow_unknown_build: bool = False,
        founding: Founding | None = None,
        probe: platforms.Probe | None = None,
        discovery: platforms.DiscoveryProvider | None = None,
        keys: platforms.KeyStore | None = None,
        log: platforms.LogSink | None = None,
        lifecycle: platforms.Lifecycle | None = None,
        models: ModelHost | None = None,
    ) -> Opening[ExoNode]:
        """Starts searching and joins what is found; :meth:`states` tells how it goes. Does not wait for a cluster.

        :param name: what people see in exo's dashboard; the device's own name if left out
        :param data_dir: where the node keeps its identity and the hosts that it met; left out, and without `keys`,
            each run is a new node
        :param namespace: the cluster's name, where it has one
        :param confirmed_link: a link that a person saw and agreed to: see :func:`exo_mobile.read_link`
        :param interface: search on this interface alone
        :param only: search in these ways alone
        :param discovery_port: where exo listens for a Hello, if not at its usual port
        :param policy: what the owner allows; everything if left out
        :param utc_offset_minutes: by how much the owner's clock is ahead of UTC, for quiet hours
        :param measure_links: measure the links to other members of this SDK
        :param metrics: serve `GET /metrics` and `GET /telemetry` at this address, such as `127.0.0.1:9473`
        :param listen_only: hear everything, say nothing
        :param allow_unknown_build: send although the cluster's build is not known
        :param founding: form a cluster of phones while no exo is around
        :param probe: how the device is; the files of a Linux machine are read if left out
        :param discovery: DNS-SD; a computer does it itself if left out
        :param keys: where the identity is kept; a file in `data_dir` if left out
        :param log: where the core's log goes; Python's own `logging` if left out
        :param lifecycle: when the app comes to the front, and goes
        :param models: serves those of its models that are offered, for as long as the policy allows it; it stays open
            when the node ends
        """
        options = _core.JoinOptions(
            name=name,
            data_dir=None if data_dir is None else str(data_dir),
            namespace=namespace,
            confirmed_link=confirmed_link,
            interface=interface,
            only=None if only is None else list(only),
            discovery_port=discovery_port,
            policy=_core.Policy() if policy is None else policy,
            utc_offset_minutes=utc_offset_minutes,
            measure_links=measure_links,
            metrics=metrics,
            listen_only=listen_only,
            allow_unknown_build=allow_unknown_build,
            founding=founding,
        )
        platform = platform_of(
            probe=probe,
            discovery=discovery,
            keys=keys,
            log=LoggingSink() if log is None else log,
            lifecycle=lifecycle,
            models=None if models is None else models.core,
        )

        async def begin() -> ExoNode:
            # The key store is asked at once, and may be slow.
            with translated():
                return cls(await asyncio.to_thread(_core.ExoNode.join, options, platform), models)

        return Opening(begin)

    def state(self) -> NodeState:
        """Where the membership stands now."""
        with translated():
            return state_of(self._node.state())

    def states(self) -> Stream[NodeState]:
        """Where the membership stands, each time it changes. Ends when the node is over."""
        with translated():
            return Stream(self._node.states(), state_of)

    def cluster(self) -> Cluster:
        """The cluster now."""
        with translated():
            return self._node.cluster()

    def clusters(self) -> Stream[Cluster]:
        """The cluster, each time it changes, a few times a second at most."""
        with translated():
            return Stream(self._node.clusters(), lambda cluster: cluster)

    def search(self) -> list[SearchStatus]:
        """What each way of searching did and what came of it."""
        with translated():
            return self._node.search()

    def searches(self) -> Stream[list[SearchStatus]]:
        """The same, each time it changes."""
        with translated():
            return Stream(self._node.searches(), lambda statuses: statuses)

    def stats(self) -> NodeStats:
        """What was sent and heard so far."""
        with translated():
            return self._node.stats()

    def troubles(self) -> Stream[str]:
        """What the network said each time something did not work, for people."""
        with translated():
            return Stream(self._node.troubles(), lambda why: why)

    def condition(self) -> Condition | None:
        """How this device is; none until it was looked at."""
        with translated():
            condition = self._node.condition()
        return condition and condition_of(condition)

    def conditions(self) -> Stream[Condition]:
        """The same, each time it changes, once a second at most."""
        with translated():
            return Stream(self._node.conditions(), condition_of)

    def telemetry(self) -> ClusterTelemetry:
        """How all members of this SDK are that told it."""
        with translated():
            return telemetry_of(self._node.telemetry())

    def telemetries(self) -> Stream[ClusterTelemetry]:
        """The same, each time it changes, once a second at most."""
        with translated():
            return Stream(self._node.telemetries(), telemetry_of)

    def topology(self) -> TopologyReport:
        """The links between members of this SDK, as they measured them."""
        with translated():
            return self._node.topology()

    def scores(self, formula: Formula = Formula.COMPOSITE) -> list[Score]:
        """How good each member of this SDK is for work now, best first."""
        with translated():
            return self._node.scores(formula)

    def set_policy(self, policy: Policy) -> None:
        """Changes what the owner allows. Holds at once."""
        with translated():
            self._node.set_policy(policy)

    def shown(self, *, shown: bool) -> None:
        """The app is on the screen, or is not any more."""
        with translated():
            self._node.shown(shown)

    def noticed(self, groups: Iterable[Group]) -> None:
        """These readings changed: look at them now, not when it is their turn."""
        with translated():
            self._node.noticed(list(groups))

    async def calibrate(self, gpu: Gpu) -> None:
        """Measures what this device can do, for about a third of a second, and tells the other members."""
        with translated():
            await self._node.calibrate(gpu.core)

    async def plan(
        self,
        model: str,
        *,
        context_tokens: int = 4096,
        objective: Objective = Objective.LATENCY,
        even_guests: bool = False,
        max_devices: int | None = None,
        time_limit: timedelta | None = None,
    ) -> Plan:
        """Who would run which layers of a model of the cluster's, and why. Nothing is sent to anybody.

        :param context_tokens: tokens of context whose keys and values must fit
        :param objective: what to minimise
        :param even_guests: plan as if devices that offer nothing to exo did; such a plan cannot be handed over
        :param max_devices: the most devices of a plan; any number if left out
        :param time_limit: how long to search, if it comes to that; 2 s if left out
        """
        wishes = _core.PlanWishes(
            context_tokens=context_tokens,
            objective=objective,
            even_guests=even_guests,
            max_devices=max_devices,
            time_limit=time_limit,
        )
        with translated():
            return await self._node.plan(model, wishes)

    async def hand_over(self, plan: Plan) -> str:
        """Asks exo to run the plan that was made last, and gives the id of the instance."""
        with translated():
            return await self._node.hand_over(plan)

    async def leave(self, within: timedelta = LEAVE_WITHIN) -> None:
        """Says goodbye and waits until the cluster has seen it, at most about this long."""
        with translated():
            await self._node.leave(within)

    async def close(self) -> None:
        """Ends the node. One that has not left says goodbye for a quarter of a second. Twice is fine."""
        with translated():
            await asyncio.to_thread(self._node.shut)
