"""The wheel holds a library of this very machine's kind, for any Python: its tag says so."""

import sysconfig
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PlatformWheel(BuildHookInterface[Any]):
    """Names the platform in the wheel's tag."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform}"
