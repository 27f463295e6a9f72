"""What the project has that a workflow may name: parts of the tests, packages, steps of a release."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def parts() -> set[str]:
    """What `./scripts/test` runs when it is told nothing."""
    (listed,) = re.findall(r"^PARTS='([\w ]+)'$", (ROOT / "scripts/test").read_text(), re.MULTILINE)
    return set(listed.split())


def setups() -> set[str]:
    return set(re.findall(r"^setup_(\w+)\(\)", (ROOT / "scripts/setup").read_text(), re.MULTILINE))


def packages() -> set[str]:
    """Those that some file in scripts/lib makes."""
    texts = [file.read_text() for file in (ROOT / "scripts/lib").glob("package_*.sh")]
    return {name for text in texts for name in re.findall(r"^package_(\w+)\(\)", text, re.MULTILINE)}


def release_steps() -> set[str]:
    return set(re.findall(r"^#   ./scripts/release (\w+)", (ROOT / "scripts/release").read_text(), re.MULTILINE))


def secrets_described() -> set[str]:
    """The first column of the table of secrets, each with the environment that has it and a word on what it is."""
    described = r"^\| `([A-Z][A-Z0-9_]+)` \| `[a-z-]+` \| \S.+ \|$"
    return set(re.findall(described, (ROOT / "docs/releasing.md").read_text(), re.MULTILINE))
