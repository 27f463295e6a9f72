"""Instances of a model, the runners that serve them, and the links between instances."""

from collections.abc import Mapping
from typing import Annotated, Self

from pydantic import Field, model_validator

from .base import Id, Strict, Tagged
from .cards import ShardMetadata


class Host(Strict):
    ip: str
    port: Annotated[int, Field(ge=0, le=65535)]


class ShardAssignments(Strict):
    model_id: Id
    runner_to_shard: Mapping[Id, ShardMetadata]
    node_to_runner: Mapping[Id, Id]

    @model_validator(mode="after")
    def _every_runner_has_a_shard(self) -> Self:
        if homeless := set(self.node_to_runner.values()) - set(self.runner_to_shard):
            raise ValueError(f"runners without a shard: {sorted(homeless)}")
        return self


class AnyInstance(Tagged):
    instance_id: Id
    shard_assignments: ShardAssignments


class MlxRingInstance(AnyInstance):
    hosts_by_node: dict[Id, list[Host]]
    ephemeral_port: int


class MlxJacclInstance(AnyInstance):
    jaccl_devices: list[list[str | None]]
    jaccl_coordinators: dict[Id, str]


Instance = MlxRingInstance | MlxJacclInstance


class BoundInstance(Strict):
    instance: Instance
    bound_runner_id: Id
    bound_node_id: Id

    @model_validator(mode="after")
    def _the_runner_is_bound(self) -> Self:
        if self.bound_runner_id not in self.instance.shard_assignments.runner_to_shard:
            raise ValueError(f"runner {self.bound_runner_id} has no shard in this instance")
        return self


class InstanceLink(Strict):
    link_id: Id
    prefill_instances: list[Id]
    decode_instances: list[Id]
