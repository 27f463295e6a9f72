"""What tests share: an exo on loopback, devices, and a tiny model."""

from __future__ import annotations

import glob
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from exo_on_loopback import Exo
from tiny import MODEL, SHELF

from exo_mobile import BackendKind, Gpu, ModelHost

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from exo_mobile import Model

# The same Vulkan everywhere, unless somebody chose a driver.
LAVAPIPE = next(iter(glob.glob("/usr/share/vulkan/icd.d/lvp_icd*.json")), "")  # noqa: PTH207
if LAVAPIPE:
    os.environ.setdefault("VK_DRIVER_FILES", LAVAPIPE)


@pytest.fixture
def exo(tmp_path: Path) -> Iterator[Exo]:
    with Exo(tmp_path) as exo:
        yield exo
        exo.assert_unharmed()


@pytest.fixture
def alone() -> None:
    """For a node that is not bound to loopback: no route leads out, so nothing that it sends can leave."""
    if sys.platform != "linux":
        pytest.skip("a network of its own needs Linux")
    ways_out = {line.split()[0] for line in Path("/proc/net/route").read_text().splitlines()[1:]}
    ways_out |= {line.split()[-1] for line in Path("/proc/net/ipv6_route").read_text().splitlines()}
    assert ways_out <= {"lo"}, f"there are ways out by {ways_out}: ./scripts/test python gives a network of its own"


@pytest.fixture
async def cpu() -> AsyncIterator[Gpu]:
    async with Gpu.open(backend=BackendKind.CPU) as gpu:
        yield gpu


@pytest.fixture(params=[BackendKind.CPU, BackendKind.VULKAN], ids=["cpu", "vulkan"])
async def gpu(request: pytest.FixtureRequest) -> AsyncIterator[Gpu]:
    if request.param is BackendKind.VULKAN and "VK_DRIVER_FILES" not in os.environ:
        pytest.skip("there is no lavapipe: apt-get install mesa-vulkan-drivers")
    async with Gpu.open(backend=request.param) as gpu:
        yield gpu


@pytest.fixture
async def host() -> AsyncIterator[ModelHost]:
    async with ModelHost.open(SHELF, backend=BackendKind.CPU, context=2048) as host:
        yield host


@pytest.fixture
async def model(host: ModelHost) -> AsyncIterator[Model]:
    async with host.load(MODEL) as model:
        yield model
