"""The LAN of each scenario, and what all of them promise at the end."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from .exo import Exo
from .lan import Host, Lan, NoNamespaces
from .phone import Phone
from .processes import Process


class Scene:
    """A LAN, the processes on it, and the directory of their logs."""

    def __init__(self, lan: Lan, directory: Path):
        self.lan, self.directory = lan, directory
        self.processes: list[Process] = []
        self.expendable: set[Process] = set()

    def host(self, name: str, ipv4: str | None = "") -> Host:
        return self.lan.hosts.get(name) or self.lan.host(name, ipv4)

    def exo(self, name: str = "mac", *flags: str) -> Exo:
        exo = Exo(self.host(name), self.directory, *flags)
        self.processes.append(exo)
        return exo

    def phone(self, name: str = "pixel", *flags: str, command: str = "join", on: Host | None = None) -> Phone:
        phone = Phone(on or self.host(name), self.directory, *flags, command=command, name=name)
        self.processes.append(phone)
        return phone

    def run(self, host: Host, name: str, command: list[str]) -> Process:
        process = Process(host, name, command, self.directory)
        self.processes.append(process)
        return process

    def kill(self, process: Process) -> None:
        """Without a goodbye. It is no longer asked whether it is well."""
        process.kill()
        self.expendable.add(process)

    def close(self) -> None:
        for process in self.processes:
            if process.is_running():
                process.thaw()
                process.kill()

    def assert_everybody_well(self) -> None:
        for process in self.processes:
            if process in self.expendable:
                assert process.popen.returncode != 86, process.tail()
            elif isinstance(process, Exo):
                process.assert_unharmed()


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    if "EXO_PHONE" not in os.environ:
        pytest.fail("EXO_PHONE is not set: build exo-phone and set it to the path of the program")
    if not shutil.which("nft"):
        pytest.fail("there is no `nft`: apt-get install nftables")
    try:
        with Lan() as lan:
            scene = Scene(lan, tmp_path)
            try:
                yield scene
                scene.assert_everybody_well()
            finally:
                scene.close()
    except NoNamespaces as why:
        message = f"network namespaces can't be made here (root is needed): {why}"
        pytest.fail(message) if os.environ.get("CI") == "true" else pytest.skip(message)
