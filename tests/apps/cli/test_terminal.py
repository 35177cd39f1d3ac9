"""Nothing that is stored speaks to the terminal: every command that shows it, through a real pty."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from engramma import Memory, Turn
from engramma.apps.cli.terminal import UNSAFE, visible, visible_within
from tests.commands import ran
from tests.conftest import START

pty = pytest.importorskip("pty")

# Clipboard, title, clear, an 8-bit CSI, DEL, a mark of direction, and a carriage return that hides what came before.
HOSTILE = "\x1b]52;c;cm0gLXJm\x07\x1b]0;owned\x07\x1b[2J\x9b31m\x7f\u202egnp.exe\u2066\x08\rshown instead"
NAME = "Mal\x1b[8mlory\u202e"
OWN = re.compile(r"\x1b\[(\?25[lh]|2K|1A|(?!8m)[\d;]*m)|\r(?!shown)")  # what a bar draws itself with

CALL = """
import sys
from functools import cache
from unittest.mock import patch
import typer.main
from engramma.apps.cli import main
from engramma.apps.cli.common import chosen
typer.main.get_command = cache(typer.main.get_command)
for words in {commands!r}:
    print("$", *map(ascii, words), flush=True)
    chosen.store, chosen.namespace, chosen.json = None, None, False
    with patch.object(sys, "argv", ["engramma", *words]):
        try:
            main.run()
        except SystemExit:
            pass
    sys.stdout.flush(); sys.stderr.flush()
"""


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    path = folder / "store"
    with Memory.open(path) as memory:
        turns = [
            Turn(NAME, f"I moved to Lyon {HOSTILE}", START, "t1"),
            Turn("Ann", f"I live in Lyon. {HOSTILE} My sister is Bea.", START, "t2"),
        ]
        memory.remember_session("talk", "s1", turns, title=f"Title {HOSTILE}")
        note = memory.remember(f"The heron {HOSTILE}", tags=["bird"], source=f"src {HOSTILE}").note
        other = memory.remember("The heron stands in the pond.").note
        memory.links.add(note.id, "related_to", other.id, label=f"label {HOSTILE}")
        memory.forget(query="pond")
    (folder / f"bad{HOSTILE.replace('/', '')[:40]}.txt").write_text(f"Ann: {HOSTILE}\nBob: yes\n", encoding="utf-8")
    (folder / "wrong.json").write_text(f'{{"messages": [{{"role": "{NAME}", "content": ""}}]}}\n', encoding="utf-8")
    (path / "daemon").mkdir(exist_ok=True)
    (path / "daemon" / "daemon.log").write_text(f"line {HOSTILE}\n", encoding="utf-8")
    return path, note.id


def shown(path: Path, commands: list[list[str]]) -> str:
    """What commands write to a terminal, both streams, as a terminal would get it."""
    leader, follower = pty.openpty()
    script = CALL.format(commands=[[*words, "--store", str(path)] for words in commands])
    env = {**os.environ, "TERM": "xterm", "COLUMNS": "200", "PYTHONIOENCODING": "utf-8"}
    with subprocess.Popen([sys.executable, "-c", script], stdin=follower, stdout=follower, stderr=follower, env=env):
        os.close(follower)
        os.write(leader, b"\n" * 8)  # whoever is asked something says nothing
        data = b""
        while True:
            try:
                more = os.read(leader, 65536)
            except OSError:  # the last who had it open is gone
                break
            if not more:
                break
            data += more
    os.close(leader)
    return data.decode("utf-8")


def check(text: str) -> None:
    plain = OWN.sub("", text.replace("\r\n", "\n"))
    found = UNSAFE.search(plain)
    assert found is None, repr(plain[max(0, found.start() - 300) : found.start() + 60])


@pytest.mark.long
def test_no_command_lets_stored_text_speak_to_a_terminal(store):
    path, note = store
    commands = [
        ["recall", "heron Lyon"],
        ["recall", "heron", "--explain"],
        ["recall", "heron", "--json"],
        ["ask", "Where does Ann live?"],
        ["sessions"],
        ["show", "talk"],
        ["show", note],
        ["notes"],
        ["notes", note],
        ["links"],
        ["neighbors", note],
        ["match", "heron"],
        ["people"],
        ["person", "Ann"],
        ["claims"],
        ["claims", "--json"],
        ["entities"],
        ["entity", "Ann"],
        ["graph-query", "Where does Ann live?"],
        ["decisions"],
        ["topics"],
        ["acts"],
        ["audit"],
        ["stats"],
        ["doctor", "--verbose"],
        ["logs"],
        ["forget", "--query", "heron"],
        ["export", "-"],
        ["steward"],
        ["redactions"],
        ["import", str(path.parent)],
        ["import", "--dry-run", str(path.parent)],
        ["import", f"/none{HOSTILE}"],
        ["ingest", f"/none{HOSTILE}"],
        ["show", f"none {HOSTILE}"],
        ["remember", f"one more {HOSTILE}"],
        ["namespace", "create", f"n {HOSTILE}"],
        ["recall", "x", f"--{HOSTILE}"],
        [f"none{HOSTILE}"],
    ]
    seen = shown(path, commands)
    check(seen)
    for words in ("\\x1b]52;c;", "\\u202e", "\\u009b", "\\u007f"):
        assert seen.count(words) > 10, words  # it was there to be seen
    for command in commands:
        assert f"$ {command[0]!a}" in seen


def test_a_pipe_gets_nothing_that_speaks_to_a_terminal_either(store):
    path, note = store
    for words in (["show", note], ["show", "talk"], ["notes"], ["sessions"], ["stats"], ["recall", "heron"], ["links"]):
        piped = ran(*words, "--store", path)
        assert not UNSAFE.search(piped.stdout + piped.stderr), words
    assert "\\x1b]52;c;cm0gLXJm\\x07" in ran("show", note, "--store", path).stdout
    whole = ran("recall", "heron", "--full", "--store", path).stdout
    assert "<U+001B>]52;c;cm0gLXJm<U+0007>" in whole, "quoted, for a model"


def test_programs_get_what_was_stored(store):
    path, note = store
    assert json.loads(ran("show", note, "--json", "--store", path).stdout)["segment"]["text"] == f"The heron {HOSTILE}"
    assert HOSTILE in "".join(
        json.loads(line).get("text", "") for line in ran("export", "--store", path).stdout.splitlines()
    )


def test_json_on_a_terminal_is_the_same_value(store):
    path, note = store
    told = shown(path, [["show", note, "--json"]])
    assert not UNSAFE.search(OWN.sub("", told).replace("\n", ""))
    assert json.loads(told[told.index("{") : told.rindex("}") + 1])["segment"]["text"] == f"The heron {HOSTILE}"


@pytest.mark.long
def test_colours_are_for_a_terminal_that_may_show_them(store, monkeypatch):
    path, _ = store
    assert "\x1b[1;33mheron\x1b[0m" in shown(path, [["recall", "heron"]])
    assert "\x1b" not in ran("recall", "heron", "--store", path).stdout
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in shown(path, [["recall", "heron"]])


def test_bars_are_drawn_and_name_files_visibly():
    name = "a\x1b]0;owned\x07[red]b.md"
    script = (
        "from engramma.apps.cli.common import progress_bar\n"
        "from engramma.apps.cli.terminal import guard\n"
        f"guard()\nwith progress_bar() as bar:\n    bar.add_task({name!r}, total=3); bar.refresh()\n"
    )
    leader, follower = pty.openpty()
    done = subprocess.Popen([sys.executable, "-c", script], stdout=follower, stderr=follower)
    os.close(follower)
    data = b""
    while True:
        try:
            data += os.read(leader, 65536)
        except OSError:
            break
    os.close(leader)
    assert done.wait(60) == 0
    assert b"\x1b]0;owned" not in data and b"\\x1b]0;owned\\x07[red]b.md" in data
    assert b"\x1b[" in data  # the bar itself


def test_every_kind_of_control_becomes_visible():
    assert visible("a\tb\nc\u00e9 \u200d\U0001f469") == "a\tb\nc\u00e9 \u200d\U0001f469"
    every = "".join(map(chr, (*range(9), *range(11, 32), *range(127, 160), 0x202A, 0x2069, 0x200F, 0xE0041)))
    assert UNSAFE.search(visible(every)) is None and visible("\x1b\x9b\U000e0041") == "\\x1b\\u009b\\U000e0041"
    assert visible_within({"a\x1b": ["\x9b", 1, None]}) == {"a\\x1b": ["\\u009b", 1, None]}
