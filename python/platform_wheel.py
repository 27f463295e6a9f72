"""The wheel holds a library of one kind of machine, for any Python: its tag says so."""

import os
import sysconfig
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PlatformWheel(BuildHookInterface[Any]):
    """Names the platform in the wheel's tag: the one that the library was built for, or this very machine's."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        platform = os.environ.get("EXO_WHEEL_PLATFORM") or sysconfig.get_platform()
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform.replace('-', '_').replace('.', '_')}"
