"""The LAN of each scenario, the promise that all of them keep at the end, and what the run tells when it is over."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from namespaces import record
from namespaces.absent import no_namespaces
from namespaces.lan import Lan, NoNamespaces
from namespaces.scene import Scene


HEADINGS = {
    "measured": "measured",
    "late": "later than the deadline, within the patience for a busy machine",
    "again": "measured once more, because the machine was busy",
}
# By test. Reports reach the process that prints the summary, whichever process ran the test.
told: dict[str, list[tuple[str, str]]] = {}


@pytest.fixture(autouse=True)
def _tell(request: pytest.FixtureRequest) -> Iterator[None]:
    record.take()
    yield
    request.node.user_properties.extend(record.take())


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == "teardown" and report.user_properties:
        told[report.nodeid] = report.user_properties


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for kind, heading in HEADINGS.items():
        lines = [
            f"{nodeid.rpartition('/')[2]}: {text}"
            for nodeid, properties in sorted(told.items())
            for what, text in properties
            if what == kind
        ]
        if lines:
            terminalreporter.section(heading)
            for line in lines:
                terminalreporter.line(line)


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    if not shutil.which("nft"):
        pytest.fail("there is no `nft`: apt-get install nftables")
    try:
        lan = Lan().__enter__()
    except NoNamespaces as why:
        no_namespaces(why)
    scene = Scene(lan, tmp_path)
    try:
        yield scene
        scene.assert_everybody_well()
    finally:
        scene.close()
        lan.__exit__()
