"""The LAN of each scenario, and the promise that all of them keep at the end."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from namespaces.lan import Lan, NoNamespaces
from namespaces.scene import Scene


@pytest.fixture
def scene(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Scene]:
    if not shutil.which("nft"):
        pytest.fail("there is no `nft`: apt-get install nftables")
    try:
        lan = Lan().__enter__()
    except NoNamespaces as why:
        message = f"{request.node.name}: network namespaces can't be made here (they need root): {why}"
        pytest.fail(message) if os.environ.get("CI") == "true" else pytest.skip(message)
    scene = Scene(lan, tmp_path)
    try:
        yield scene
        scene.assert_everybody_well()
    finally:
        scene.close()
        lan.__exit__()
