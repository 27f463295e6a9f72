"""What actionlint and zizmor cannot know: that workflows type what people type, and that all of it is there."""

import os
import re
import shlex
from typing import Any

import pytest
from project import ROOT, packages, parts, release_steps, secrets_described, setups
from workflow import WORKFLOWS, Workflow

EACH = pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda workflow: workflow.name)

# What a job may do beyond reading the source, and who may do it.
MAY = {
    "candidate/draft": {"contents": "write", "id-token": "write", "attestations": "write"},
    "release/candidate": {"contents": "write", "attestations": "read"},
    "release/pypi": {"contents": "read", "id-token": "write"},
    "release/public": {"contents": "write"},
}


def test_the_workflows_that_we_promise_are_there() -> None:
    assert {workflow.name for workflow in WORKFLOWS} >= {"linux", "android", "apple", "cross-device", "candidate", "release"}


@EACH
def test_every_action_is_pinned_by_its_commit_and_says_its_version(workflow: Workflow) -> None:
    used = re.findall(r"uses: *(.+)$", workflow.text, re.MULTILINE)
    loose = [use for use in used if not re.fullmatch(r"[\w.-]+(/[\w.-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+", use)]
    assert used
    assert not loose, f"write owner/name@<40 hex digits> # vX.Y.Z: {loose}"


def test_an_action_has_one_version_everywhere() -> None:
    seen: dict[str, set[str]] = {}
    for workflow in WORKFLOWS:
        for name, version in re.findall(r"uses: *([^@\s]+)@(.+)$", workflow.text, re.MULTILINE):
            seen.setdefault(name, set()).add(version)
    assert not {name: versions for name, versions in seen.items() if len(versions) > 1}


@EACH
def test_a_step_is_one_command_because_logic_belongs_into_scripts(workflow: Workflow) -> None:
    typed = workflow.commands()
    assert typed
    # A pipe, a list, a loop, or an expression of GitHub's inside of a command.
    clever = [(job, command) for job, command in typed if re.search(r"\n.|&&|[|;<>`]|\$\(|\$\{\{", command.strip())]
    assert not clever


@EACH
def test_every_script_that_is_called_is_there(workflow: Workflow) -> None:
    for job, command in workflow.commands():
        program = shlex.split(command)[0]
        if "/" in program and not program.startswith(".tools/"):
            assert os.access(ROOT / program, os.X_OK), f"{job} calls {program}, which is no program of this project"


@EACH
def test_every_part_package_and_step_that_is_named_is_known(workflow: Workflow) -> None:
    for job, command in workflow.commands():
        program, *words = shlex.split(command)
        names = [word for word in words if not word.startswith("-")]
        match program.removeprefix("./"):
            case "scripts/test" if names[:1] == ["sim"]:
                continue
            case "scripts/test":
                unknown = set(names) - parts()
            case "scripts/setup":
                unknown = set(names) - setups()
            case "scripts/package":
                unknown = set(names[:1]) - packages()
            case "scripts/release":
                unknown = set(names[:1]) - release_steps()
            case _:
                continue
        assert not unknown, f"{job}: {command}: no such thing: {unknown}"


def test_every_part_of_the_tests_is_run_by_some_workflow() -> None:
    typed = [shlex.split(command) for workflow in WORKFLOWS for _, command in workflow.commands()]
    run = {word for program, *words in typed if program == "./scripts/test" for word in words}
    assert not parts() - run


@EACH
def test_every_secret_that_is_used_is_described(workflow: Workflow) -> None:
    used = set(re.findall(r"secrets\.(\w+)", workflow.text))
    assert not used - secrets_described(), "docs/releasing.md has a table of secrets"


def test_every_secret_that_is_described_is_used() -> None:
    used = {name for workflow in WORKFLOWS for name in re.findall(r"secrets\.(\w+)", workflow.text)}
    assert used
    assert not secrets_described() - used


@EACH
def test_a_job_may_do_what_it_needs_and_no_more(workflow: Workflow) -> None:
    assert workflow.tree["permissions"] == {}
    for job, body in workflow.jobs.items():
        assert body["permissions"] == MAY.get(f"{workflow.name}/{job}", {"contents": "read"}), job


@EACH
def test_nothing_runs_for_ever_and_nothing_runs_twice(workflow: Workflow) -> None:
    assert workflow.tree["concurrency"]["group"]
    for job, body in workflow.jobs.items():
        assert 0 < body["timeout-minutes"] <= 180, job


@EACH
def test_a_checkout_leaves_no_key_behind(workflow: Workflow) -> None:
    checkouts = [(job, step) for job, step in workflow.steps() if "actions/checkout@" in step.get("uses", "")]
    assert checkouts
    for job, step in checkouts:
        assert step["with"]["persist-credentials"] is False, job


def asks_a_person(body: dict[str, Any]) -> bool:
    return "environment" in body


@EACH
def test_secrets_are_only_where_a_second_person_was_asked(workflow: Workflow) -> None:
    for job, body in workflow.jobs.items():
        assert asks_a_person(body) or "secrets." not in str(body), f"{workflow.name}/{job} has secrets and no environment"


def test_what_ships_is_built_without_a_cache() -> None:
    for workflow in WORKFLOWS:
        if workflow.name in {"candidate", "release"}:
            assert "cache" not in str([step.get("uses") for _, step in workflow.steps()])
