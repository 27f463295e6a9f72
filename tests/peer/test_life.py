"""A judge that outlives what would have ended exo is no judge."""

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from peer.life import EXIT_CRASHED
from peer.room import Room

TESTS = Path(__file__).parents[1]

FAILING = {
    "a callback of the loop": "asyncio.get_running_loop().call_soon_threadsafe(fail)",
    "a task that nobody awaits": "kept = life.spawn(fail_later())",
    "a thread": "threading.Thread(target=fail).start()",
    "a callback of zenoh": "threading.Thread(target=life.mortal(fail), args=[0]).start()",
}


def run(statement: str) -> subprocess.CompletedProcess:
    program = f"""
import asyncio, threading
from peer import life
def fail(*_): raise ValueError("at heart")
async def fail_later(): fail()
async def main():
    life.guard()
    {statement}
    await asyncio.sleep(1)
    print("it lives")
asyncio.run(main())
"""
    return subprocess.run([sys.executable, "-c", program], cwd=TESTS, capture_output=True, text=True, timeout=30)


@pytest.mark.parametrize("where", FAILING)
def test_an_exception_ends_it_wherever_it_was_raised(where: str) -> None:
    done = run(FAILING[where])
    assert done.returncode == EXIT_CRASHED, done.stderr
    assert "at heart" in done.stdout and "it lives" not in done.stdout


def test_a_task_that_is_cancelled_ends_nothing() -> None:
    done = run("life.spawn(asyncio.sleep(5)).cancel()")
    assert (done.returncode, done.stdout) == (0, "it lives\n"), done.stderr


def test_a_full_room_turns_away_and_says_so_and_places_come_back() -> None:
    told: list[int] = []
    room = Room(3, told.append)
    assert [room.enter() for _ in range(8)] == [True] * 3 + [False] * 5
    assert told == [1, 2, 4]
    room.leave()
    assert room.enter() and not room.enter()


def test_a_room_counts_rightly_from_many_threads() -> None:
    room = Room(1 << 20, lambda _: None)

    def visit() -> None:
        for _ in range(5000):
            assert room.enter()
            room.leave()

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=visit) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(before)
    assert room.inside == 0
