"""The real client and the real disk against a server that lies. Whatever it does, names are true."""

import json
import os
import signal
import subprocess
import time

import pytest

from .hostile_server import (
    INDEX,
    MODEL,
    OTHER_SHARD,
    SHARD,
    HostileServer,
    cut_after,
    endless,
    flip,
    ignores_the_range,
    redirect,
    says_length,
    silent_after,
    slow,
    status,
    tiny_model,
    web_page,
    wrong_range,
)

FETCH = os.environ["EXO_FETCH"]
NEEDED = ["chat_template.jinja", "config.json", SHARD, OTHER_SHARD, INDEX, "tokenizer.json"]


@pytest.fixture
def server():
    with HostileServer() as server:
        yield server


class Store:
    def __init__(self, root, server):
        self.root, self.server = root, server
        self.directory = root / "org--tiny"

    def start(self, stall=2, attempts=4, model=MODEL, token=None):
        words = [FETCH, model, self.server.address, str(self.root), str(stall), str(attempts)]
        environment = {**os.environ, "NO_PROXY": "*", "no_proxy": "*"} | ({"HF_TOKEN": token} if token else {})
        return subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment)

    def fetch(self, **how):
        """The lines that the program said; the last is the outcome."""
        process = self.start(**how)
        said, _ = process.communicate(timeout=60)
        self.assert_names_are_true()
        lines = [json.loads(line) for line in said.splitlines()]
        assert (process.returncode == 0) == ("done" in lines[-1])
        return lines

    def outcome(self, **how):
        return self.fetch(**how)[-1]

    def part(self, name):
        return self.directory / f"{name}.partial"

    def assert_names_are_true(self):
        for path in self.directory.glob("*"):
            if path.suffix != ".partial":
                assert path.read_bytes() == self.server.files[path.name], path.name

    def assert_complete(self):
        assert sorted(path.name for path in self.directory.glob("*")) == sorted(NEEDED)


@pytest.fixture
def store(tmp_path, server):
    return Store(tmp_path, server)


def test_a_model_comes_whole_and_is_not_fetched_twice(store, server):
    lines = store.fetch()
    assert lines[-1] == {"done": str(store.directory)}
    store.assert_complete()
    size = sum(len(server.files[name]) for name in NEEDED)
    assert lines[-2] == {"bytes": size, "total": size, "fresh": size, "files_done": 6, "files": 6}
    server.asked.clear()
    assert "done" in store.outcome()
    assert [name for name, _ in server.asked] == ["list"]


def test_a_cut_is_continued(store, server):
    server.script[SHARD] = [cut_after(700_000), cut_after(300_000)]
    assert "done" in store.outcome()
    store.assert_complete()
    assert server.times_asked(SHARD) == 3
    # The kernel may drop bytes that were sent and not read when a connection is reset.
    assert all(asked.startswith("bytes=") for asked in server.ranges(SHARD)[1:])


def test_a_program_that_was_killed_goes_on_from_its_part(store, server):
    server.script[SHARD] = [slow(400_000)]
    process = store.start()
    while not store.part(SHARD).exists() or store.part(SHARD).stat().st_size < 200_000:
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    store.assert_names_are_true()
    had = store.part(SHARD).stat().st_size
    assert "done" in store.outcome()
    assert server.ranges(SHARD) == [None, f"bytes={had}-"]


def test_two_programs_do_not_fetch_the_same_model(store, server):
    server.script[SHARD] = [slow(400_000)]
    first = store.start()
    while not store.part(SHARD).exists():
        time.sleep(0.02)
    assert store.outcome()["kind"] == "Busy"
    first.kill()
    first.communicate()


def test_trouble_passes(store, server):
    server.script[SHARD] = [status(503), status(500)]
    server.script["list"] = [status(502)]
    server.script["config.json"] = [status(429, Retry_After=1)]
    assert "done" in store.outcome()


def test_silence_ends_a_transfer(store, server):
    server.script[SHARD] = [silent_after(500_000)]
    assert "done" in store.outcome(stall=1)
    assert server.ranges(SHARD)[-1] == "bytes=500000-"


def test_a_server_that_stays_silent_is_given_up(store, server):
    server.always["list"] = silent_after(0)
    outcome = store.outcome(stall=1, attempts=2)
    assert outcome["kind"] == "Unreachable" and "silent" in outcome["message"]


@pytest.mark.parametrize(
    ("name", "act", "kind"),
    [
        ("list", status(404), "NotFound"),
        ("list", status(401), "NotAllowed"),
        (SHARD, status(403), "NotAllowed"),
        (SHARD, status(404), "NotFound"),
        (SHARD, flip, "Corrupt"),
        ("config.json", flip, "Corrupt"),
        (SHARD, says_length(1_999_999), "BadAnswer"),
        (SHARD, says_length(2_000_001), "BadAnswer"),
        (SHARD, web_page, "BadAnswer"),
        ("list", web_page, "BadAnswer"),
    ],
)
def test_what_does_not_pass_has_a_kind(store, server, name, act, kind):
    server.always[name] = act
    assert store.outcome()["kind"] == kind
    assert not (store.directory / name).exists()


def test_a_wrong_hash_is_forgiven_once(store, server):
    server.script[SHARD] = [flip]
    assert "done" in store.outcome()


def test_a_body_without_end_is_taken_as_far_as_it_was_promised(store, server):
    server.always[SHARD] = endless
    assert "done" in store.outcome()


@pytest.mark.parametrize("act", [ignores_the_range, wrong_range, status(416)])
def test_a_server_that_cannot_continue_serves_anew(store, server, act):
    store.directory.mkdir()
    store.part(SHARD).write_bytes(server.files[SHARD][:600_000])
    server.script[SHARD] = [act]
    assert "done" in store.outcome()
    store.assert_complete()


def test_a_part_of_another_file_costs_one_download(store, server):
    store.directory.mkdir()
    store.part(SHARD).write_bytes(b"\0" * 600_000)
    assert "done" in store.outcome()
    assert server.ranges(SHARD) == ["bytes=600000-", None]


def test_a_file_that_the_platform_brought_only_needs_its_name(store, server):
    store.directory.mkdir()
    store.part(SHARD).write_bytes(server.files[SHARD])
    assert "done" in store.outcome()
    assert server.times_asked(SHARD) == 0


def test_redirects_are_followed_and_a_token_stays_with_its_host(store, server):
    with HostileServer() as other:
        server.always[SHARD] = redirect(lambda path: other.address + path)
        server.always["config.json"] = redirect(lambda path: path + "?again=1")
        server.files["config.json?again=1"] = server.files["config.json"]
        assert "done" in store.outcome(token="hf_secret")
        assert [headers.get("authorization") for _, headers in other.asked] == [None]
    assert all(headers.get("authorization") == "Bearer hf_secret" for _, headers in server.asked)
    del server.files["config.json?again=1"]


def test_redirects_without_end_are_not_followed_for_ever(store, server):
    server.always[SHARD] = redirect(lambda path: path)
    outcome = store.outcome(attempts=1)
    assert outcome["kind"] == "Unreachable" and "redirect" in outcome["message"], outcome
    assert server.times_asked(SHARD) < 20


def test_a_name_that_leads_elsewhere_is_refused(store, server):
    for model in ["../../etc", "org/..", "org/tiny/..", "/etc"]:
        assert store.outcome(model=model)["kind"] == "InvalidModelId"
    assert server.asked == []


def test_files_that_lead_elsewhere_are_not_written(store, server):
    server.files = {**tiny_model(), "../evil.json": b"x", "tokenizer/../../evil.json": b"x", "/tokenizer.json": b"x"}
    assert "done" in store.outcome()
    assert sorted(path.name for path in store.root.glob("*")) == ["caches", "org--tiny"]
    store.assert_complete()
