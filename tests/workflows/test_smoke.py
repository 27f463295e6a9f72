"""The test on an emulator, beside an `adb` and a peer that play their parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    import subprocess

    from conftest import Copy

SCREEN = """<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation="0">
<node text="Join 10.0.2.2?" bounds="[0,0][100,40]" /><node text="{button}" bounds="[100,200][300,260]" />
{more}</hierarchy>UI hierchary dumped to: /dev/tty"""
JOINED = '<node text="Joined" bounds="[0,40][100,80]" />'

# The phone: shows the question, joins when its button is pressed. $STORY changes one thing.
PHONE = """
room="{root}"
case "$*" in
    "shell getprop ro.kernel.qemu") echo 1 ;;
    "shell am start"*) [ "$STORY" != eager ] || {{ touch "$room/heard" && sleep 1; }} ;;
    "shell input tap 200 230") [ "$STORY" = deaf ] || touch "$room/pressed" ;;
    "exec-out uiautomator dump"*) if [ -e "$room/pressed" ]; then cat "$room/joined.xml"; else cat "$room/asking.xml"; fi ;;
    "logcat -d") if [ "$STORY" = crash ]; then echo "E AndroidRuntime: FATAL EXCEPTION: main"; else echo fine; fi ;;
    "install -r"*) [ "$STORY" != full ] || {{ echo "no room" >&2; exit 1; }} ;;
esac
"""
PEER = """
echo '{{"say": "ready", "node": "me"}}'
echo '{{"say": "indexed", "node": "me"}}'
while sleep 0.1; do
    [ ! -e "{root}/pressed" ] && [ ! -e "{root}/heard" ] || echo '{{"say": "indexed", "node": "a-phone"}}'
done
"""


def smoke(copy: Copy, story: str, button: str = "Join this cluster") -> subprocess.CompletedProcess[str]:
    copy.fake("adb", PHONE.format(root=copy.root))
    copy.fake("peer", PEER.format(root=copy.root))
    (copy.root / "asking.xml").write_text(SCREEN.format(button=button, more=""))
    (copy.root / "joined.xml").write_text(SCREEN.format(button="Leave", more=JOINED))
    (copy.root / "sample.apk").write_text("an app")
    (copy.root / "tests").mkdir()
    peer = str(copy.programs / "peer")
    return copy.run("./scripts/smoke", "sample.apk", STORY=story, EXO_PEER_PYTHON=peer, EXO_SMOKE_PATIENCE="4")


def test_an_app_that_asks_and_joins_passes(copy: Copy) -> None:
    said = smoke(copy, "good")
    assert said.returncode == 0, said.stderr
    assert "the app asked, and joined as a-phone" in said.stdout
    assert "-d 'exo://10.0.2.2:52414?api=52415' dev.exo.mobile.sample" in copy.called


@pytest.mark.parametrize(
    ("story", "words"),
    [
        ("eager", "the app joined before anybody agreed"),
        ("deaf", "it did not come to this: the peer hears of the phone"),
        ("crash", "the app crashed"),
        ("full", "failed: no room"),
    ],
)
def test_an_app_that_does_not_fails_and_says_how(copy: Copy, story: str, words: str) -> None:
    # An eager app joins while its question is still on the screen.
    said = smoke(copy, story)
    assert said.returncode == 1
    assert words in said.stderr


def test_an_app_that_never_asks_fails(copy: Copy) -> None:
    assert "the app shows the link and asks" in smoke(copy, "good", button="OK").stderr


def test_an_app_that_is_not_there_is_named(copy: Copy) -> None:
    assert "there is no app nowhere.apk" in copy.run("./scripts/smoke", "nowhere.apk").stderr
