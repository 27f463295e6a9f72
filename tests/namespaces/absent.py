"""What a test does on a machine that can't run it."""

import os
from typing import NoReturn

import pytest

from .lan import NoNamespaces


def no_namespaces(why: NoNamespaces) -> NoReturn:
    """A failure in CI, elsewhere a skip. It names the test: pytest would count all that say the same as one."""
    test = os.environ.get("PYTEST_CURRENT_TEST", "?").rpartition(" ")[0].rpartition("::")[2]
    message = f"{test}: network namespaces can't be made here (they need root): {why}"
    if os.environ.get("CI") == "true":
        pytest.fail(message)
    pytest.skip(message)
