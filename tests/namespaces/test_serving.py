"""A phone answers exo's own chat completions, and keeps its place when something goes wrong."""

import time

from peer.worker import model_card

from . import record
from .processes import eventually
from .scene import Scene
from .serving import (
    MODEL,
    Chat,
    a_phone,
    an_exo,
    ask,
    counted,
    offers,
    put,
    runners,
    serving,
    wait_until_offered,
    wait_until_ready,
)

MANY = 1000
# What a thousand answers may leave behind: the allocator's, not ours.
FLAT = 6 << 20


def test_a_question_is_answered_by_the_phone(scene: Scene) -> None:
    exo, phone = serving(scene)
    chat = Chat(exo, "count to 40")
    chat.wait()
    assert chat.text() == counted(40)
    usage = chat.usage()
    assert (usage["prompt_tokens"], usage["completion_tokens"], usage["total_tokens"]) == (3, 40, 43)
    assert any(line.startswith(": prefill_progress") for line in chat.lines)
    assert any(line.startswith(": generation_stats") for line in chat.lines)
    record.measured(f"first token after {1000 * chat.first:.0f} ms, {len(list(chat.data()))} events for 40 tokens")
    assert len(list(chat.data())) <= 14, "tokens travel together"
    eventually("the runner rests", lambda: runners(exo) == ["RunnerReady"], 3, exo.tail)
    state = exo.state()
    assert not [task for task in state["tasks"].values() if "TextGeneration" in task]
    assert any("DownloadCompleted" in it for it in state["downloads"][phone.node_id])
    assert list(exo.said(say="unheard chunk")) == []


def test_a_question_that_wants_probabilities_gets_a_piece_for_each_token(scene: Scene) -> None:
    exo, _ = serving(scene)
    chat = Chat(exo, "count to 20", logprobs=True, top_logprobs=1)
    chat.wait()
    assert chat.text() == counted(20) and len(list(chat.data())) == 20


def test_two_questions_at_once_are_both_answered(scene: Scene) -> None:
    exo, _ = serving(scene)
    chats = [Chat(exo, "count to 60"), Chat(exo, "count to 80")]
    for chat, most in zip(chats, (60, 80), strict=True):
        chat.wait()
        assert chat.text() == counted(most)


def test_hanging_up_stops_the_phone(scene: Scene) -> None:
    exo, _ = serving(scene)
    chat = Chat(exo, "count to 100000")
    chat.wait_for("5")
    chat.hang_up()
    exo.wait_for_line(5, say="hung up")

    def chunks() -> int:
        return sum(line["tag"] == "ChunkGenerated" for line in exo.indexed())

    eventually("the runner rests", lambda: runners(exo) == ["RunnerReady"], 5, exo.tail)
    before = chunks()
    again = ask(exo, "hello there")
    assert again["choices"][0]["message"]["content"] == "You said: hello there"
    assert chunks() - before <= 4, "nothing but the new answer"


def test_an_instance_that_is_deleted_in_the_middle_leaves_no_runner(scene: Scene) -> None:
    exo, phone = serving(scene)
    chat = Chat(exo, "count to 100000")
    chat.wait_for("5")
    (instance,) = exo.state()["instances"]
    assert exo.ask("DELETE", f"/instance/{instance}")[0] == 200
    chat.wait(5)
    eventually("the runner is gone", lambda: runners(exo) == [], 5, exo.tail)
    put(exo, phone)
    wait_until_ready(exo, phone)
    assert ask(exo, "hi")["choices"][0]["message"]["content"] == "You said: hi"


def test_a_master_that_is_killed_in_the_middle_ends_the_answer_with_a_word(scene: Scene) -> None:
    master, other = an_exo(scene, "one", "--node-id", "c0"), an_exo(scene, "two", "--node-id", "1f")
    eventually("they are one", lambda: all(it.master() == "c0" and it.knows("1f") for it in (master, other)), 15)
    phone = a_phone(scene, "token=20,load=50", "--only", "link", "--link", f"exo://{other.host.ipv4}")
    wait_until_offered(other, phone)
    put(other, phone)
    wait_until_ready(other, phone)
    chat = Chat(other, "count to 100000")
    chat.wait_for("5")
    killed = time.monotonic()
    scene.kill(master)
    chat.wait(20)
    record.measured(f"the answer ended {time.monotonic() - killed:.1f} s after the master's death")
    assert "another master" in (chat.error() or ""), chat.tail()
    wait_until_offered(other, phone)
    assert runners(other) == [], "a runner of the old session is no ghost in the new one"
    put(other, phone)
    wait_until_ready(other, phone)
    assert ask(other, "hi")["choices"][0]["message"]["content"] == "You said: hi"


def test_a_phone_that_is_killed_in_the_middle_cleans_up_when_it_is_back(scene: Scene) -> None:
    exo, phone = serving(scene, "token=20,load=50")
    chat = Chat(exo, "count to 100000")
    chat.wait_for("5")
    scene.kill(phone)
    again = a_phone(scene)
    chat.wait(15)
    assert "restarted" in (chat.error() or ""), chat.tail()
    wait_until_ready(exo, again)
    assert ask(exo, "hi")["choices"][0]["message"]["content"] == "You said: hi"
    left = [task for task in exo.state()["tasks"].values() if next(iter(task.values()))["taskStatus"] in ("Pending", "Running")]
    assert left == []


def test_a_model_that_the_phone_cannot_run_goes_elsewhere_afterwards(scene: Scene) -> None:
    exo = an_exo(scene)
    phone = a_phone(scene, "unsuitable=Model-001")
    wait_until_offered(exo, phone)
    instance = put(exo, phone, model_card(1))
    eventually("it was given back", lambda: instance not in exo.state()["instances"], 5, exo.tail)
    assert not offers(exo, phone.node_id)
    order = [
        (line["tag"], line["node"]) for line in exo.indexed() if line["tag"] in ("RunnerStatusUpdated", "InstanceDeleted")
    ]
    assert order[0][0] == "RunnerStatusUpdated", "the reason is heard before the instance goes"
    (command,) = {it["instance_id"] for it in exo.commands("DeleteInstance")}
    assert command == instance
    exo.ask("POST", "/place_instance", {"model_id": "mlx-community/Model-001-8bit"})
    assert exo.wait_for_line(5, say="placed")["node"] == exo.node_id
    eventually("no runner stays behind", lambda: runners(exo) == [], 5, exo.tail)


def test_an_image_is_refused_without_harm(scene: Scene) -> None:
    exo, phone = serving(scene)
    assert exo.ask("POST", "/v1/images/generations", {"model": MODEL, "prompt": "a cat"})[0] == 200

    def failed() -> bool:
        tasks = [task["ImageGeneration"] for task in exo.state()["tasks"].values() if "ImageGeneration" in task]
        return [task["taskStatus"] for task in tasks] == ["Failed"] and "no images" in tasks[0]["errorMessage"]

    eventually("it is refused", failed, 5, lambda: exo.tail() + phone.tail())
    assert ask(exo, "hi")["choices"][0]["message"]["content"] == "You said: hi"


def test_leaving_ends_an_answer_with_a_word(scene: Scene) -> None:
    exo, phone = serving(scene)
    chat = Chat(exo, "count to 100000")
    chat.wait_for("5")
    assert phone.interrupt() == 0
    chat.wait(5)
    assert "leaves" in (chat.error() or "")
    assert runners(exo) == []


def test_a_thousand_questions_in_a_row_leave_nothing_behind(scene: Scene) -> None:
    exo, phone = serving(scene, "token=0,read=0,load=50")
    began, at_first = time.monotonic(), 0
    for number in range(MANY):
        if number == MANY // 5:
            at_first = phone.own_bytes()
        answer = ask(exo, f"question {number}")
        assert answer["choices"][0]["message"]["content"] == f"You said: question {number}"
    took, grown = time.monotonic() - began, phone.own_bytes() - at_first
    record.measured(
        f"{MANY} answers in {took:.1f} s, {1000 * took / MANY:.0f} ms each; "
        f"memory {at_first / 1e6:.1f} MB after {MANY // 5}, {grown / 1e6:+.1f} MB later"
    )
    assert grown < FLAT
