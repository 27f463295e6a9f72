"""A member of a cluster on loopback."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from tiny import KNOWN, MODEL, SHELF, known_to_exo
from waiting import first

from exo_mobile import (
    Activity,
    BackendKind,
    ErrorKind,
    ExoError,
    ExoNode,
    Formula,
    Gpu,
    Joined,
    Left,
    ModelHost,
    Policy,
    Presence,
    Provider,
    Quantity,
    Searching,
    Source,
    Status,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from exo_on_loopback import Exo

    from exo_mobile import Cluster

NOBODY: dict[str, Any] = {"only": [Provider.LOOPBACK], "discovery_port": 9}


async def test_a_program_joins_is_seen_and_leaves(exo: Exo) -> None:
    async with ExoNode.join(name="a python", **exo.found_by) as node:
        joined = await first(node.states(), lambda state: isinstance(state, Joined))
        assert joined == node.state() == Joined(nodes=2)

        named = {exo.node_id: "mac", node.id: "a python"}
        cluster = await first(node.clusters(), lambda it: {each.id: each.name for each in it.nodes} == named)
        assert [each.id for each in cluster.nodes if each.is_this_device] == [node.id]
        assert cluster.master == exo.node_id

        by = {status.provider: status.activity for status in node.search()}
        assert by[Provider.LOOPBACK] is Activity.FOUND
        assert node.stats().heard > 0
        await node.leave()
        assert node.state() == Left()
    assert any(line["node"] == node.id for line in exo.said("local"))


async def test_a_member_knows_how_it_is(exo: Exo) -> None:
    async with ExoNode.join(**exo.found_by) as node:
        readings = (await first(node.conditions(), lambda it: it.readings.memory_total.value is not None)).readings
        assert readings.memory_total.source is Source.MEASURED
        assert readings.memory_total.at is not None
        assert (readings.memory_total.value or 0) > 1 << 20
        assert all(readings[quantity].value is not None or readings[quantity].note for quantity in Quantity)


async def test_members_tell_each_other_how_they_are_and_what_they_can(exo: Exo) -> None:
    async with (
        ExoNode.join(name="one", **exo.found_by) as one,
        ExoNode.join(name="other", **exo.found_by) as other,
        Gpu.open(backend=BackendKind.CPU) as gpu,
    ):
        await one.calibrate(gpu)
        told = await first(
            other.telemetries(),
            lambda it: {device.device_id for device in it.devices if device.peak_flops_per_s} == {one.id},
        )
        device = next(device for device in told.devices if device.device_id == one.id)
        assert (device.name, device.presence) == ("one", Presence.PRESENT)
        assert device.readings.memory_total.value

        scores = other.scores(Formula.QUICK)
        assert one.id in {score.device_id for score in scores}
        assert all(score.sentence for score in scores)
        assert other.topology().summary


async def test_the_owners_policy_holds_at_once(exo: Exo) -> None:
    async with ExoNode.join(**exo.found_by) as node:
        node.set_policy(Policy(memory_cap=1 << 20))
        condition = await first(node.conditions(), lambda it: it.allowance.memory is not None)
        assert condition.allowance.memory == 1 << 20


async def test_a_plan_is_made_and_handed_over(exo: Exo) -> None:
    async with ExoNode.join(**exo.found_by) as node:
        await first(node.clusters(), lambda cluster: cluster.is_complete and any(it.backends for it in cluster.nodes))
        plan = await node.plan("Model-000-8bit")
        assert plan.status is Status.OPTIMAL
        assert [stage.device_id for stage in plan.stages] == [exo.node_id]
        assert plan.assumptions

        instance = await node.hand_over(plan)
        await first(node.clusters(), lambda cluster: instance in [it.id for it in cluster.instances])

        with pytest.raises(ExoError) as caught:
            await node.plan("no such model")
        assert caught.value.kind is ErrorKind.NOT_FOUND


async def test_only_the_plan_that_was_made_last_is_handed_over(exo: Exo) -> None:
    async with ExoNode.join(**exo.found_by) as node:
        await first(node.clusters(), lambda cluster: cluster.is_complete and any(it.backends for it in cluster.nodes))
        plan = await node.plan("Model-000-8bit")
        await node.plan("Model-001-8bit")
        with pytest.raises(ExoError, match="plan again") as caught:
            await node.hand_over(plan)
        assert caught.value.kind is ErrorKind.INVALID_ARGUMENT


def ours_offers(*, offers: bool) -> Callable[[Cluster], bool]:
    """Whether the cluster sees a backend of this device, which is what draws models here."""
    return lambda cluster: [bool(it.backends) for it in cluster.nodes if it.is_this_device] == [offers]


async def test_a_member_with_models_offers_the_cluster_what_its_owner_does(exo: Exo, host: ModelHost) -> None:
    async with ExoNode.join(models=host, **exo.found_by) as node:
        await first(node.states(), lambda state: isinstance(state, Joined))
        await first(node.conditions(), lambda it: not it.offers)
        host.offer(MODEL)
        await first(node.clusters(), ours_offers(offers=True))
        await first(node.conditions(), lambda it: it.offers)
        host.offer()
        await first(node.clusters(), ours_offers(offers=False))
        await node.leave()
        assert node.state() == Left()
    async with host.load(MODEL) as model:
        assert await model.ask("What is rain?", max_tokens=3).text(), "the host is the program's, not the node's"


async def test_who_asks_the_cluster_is_answered_by_a_members_model(exo: Exo, tmp_path: Path) -> None:
    folder = known_to_exo(tmp_path / "models")
    async with ModelHost.open(folder.parent, backend=BackendKind.CPU, context=2048) as host:
        host.offer(KNOWN)
        async with ExoNode.join(models=host, **exo.found_by) as node:
            await first(node.clusters(), ours_offers(offers=True))
            answer = await asyncio.to_thread(exo.asks, node.id, folder, "What is rain?", 8)
            async with host.load(KNOWN) as model:
                assert answer == await model.ask("What is rain?", max_tokens=8, temperature=0).text() != ""


async def test_the_owners_policy_holds_for_models_too(exo: Exo, host: ModelHost) -> None:
    host.offer(MODEL)
    async with ExoNode.join(models=host, **exo.found_by) as node:
        await first(node.clusters(), ours_offers(offers=True))
        node.set_policy(Policy(foreground_only=True))
        node.shown(shown=False)
        await first(node.clusters(), ours_offers(offers=False))


async def test_a_node_holds_its_host_and_outlives_one_that_is_closed(exo: Exo) -> None:
    host = await ModelHost.open(SHELF, backend=BackendKind.CPU)
    host.offer(MODEL)
    async with ExoNode.join(models=host, **exo.found_by) as node:
        await first(node.clusters(), ours_offers(offers=True))
        await host.close()
        await first(node.clusters(), ours_offers(offers=False))
        assert isinstance(node.state(), Joined)
    with pytest.raises(ExoError) as caught:
        await ExoNode.join(models=host, **NOBODY)
    assert caught.value.kind is ErrorKind.CLOSED


async def test_where_nobody_is_the_search_says_so() -> None:
    async with ExoNode.join(**NOBODY) as node:
        assert node.state() == Searching()
        statuses = await first(node.searches(), lambda it: any(status.note for status in it))
        assert {status.provider for status in statuses if status.activity is not Activity.OFF} == {Provider.LOOPBACK}
        with pytest.raises(ExoError) as caught:
            await node.plan("any")
        assert caught.value.kind is ErrorKind.UNREACHABLE
        assert caught.value.is_retryable


async def test_closing_twice_is_fine_and_use_afterwards_is_an_error() -> None:
    node = await ExoNode.join(**NOBODY)
    states = node.states()
    await node.close()
    await node.close()
    for use in (node.state, node.states, node.cluster, node.condition, node.topology):
        with pytest.raises(ExoError) as caught:
            use()
        assert caught.value.kind is ErrorKind.CLOSED
    with pytest.raises(ExoError) as caught:
        await node.leave()
    assert caught.value.kind is ErrorKind.CLOSED
    async with asyncio.timeout(10):
        async for _ in states:
            pass


@pytest.mark.parametrize(
    "options",
    [
        {"metrics": "nowhere"},
        {"confirmed_link": "http://example.org"},
        {"discovery_port": 1 << 16},
        {"policy": Policy(memory_cap=-1)},
    ],
)
async def test_options_that_can_never_work_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ExoError) as caught:
        await ExoNode.join(**{**NOBODY, **options})
    assert caught.value.kind is ErrorKind.INVALID_ARGUMENT
