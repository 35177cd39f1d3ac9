"""Every id that a command prints is one that `show` takes, and `forget` where it is a segment's or a turn's."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from engramma import Memory, Turn
from engramma.core.names import turn_names
from engramma.language.times import parse_time
from tests.commands import ran

pytestmark = pytest.mark.long

CHAT, TALK = "6f0c1e2a-7d41", "by the lake/2026"
SAID = parse_time("2026-01-18T17:00:00Z")


@pytest.fixture
def run(tmp_path: Path):
    with Memory.open(tmp_path / "store") as memory:
        turns = [
            Turn("Mira", "I live in Vienna and my brother Ben works as a baker.", SAID, id="m1"),
            Turn("Ben", "My password is hunter2swordfish, do not tell.", SAID, id="m2"),
        ]
        memory.remember_session(CHAT, "one", turns)
        memory.remember_session(TALK, "s 1", [Turn("Mira", "The boiler man is called Tomos Reed.", SAID, id="x/1")])
        memory.remember_session("titled", "two", [Turn("Mira", "The heron is back.", SAID)], title="Birds")
    (tmp_path / "tides.md").write_text("# Tides\n\nThe tide table hangs by the door.\n", encoding="utf-8")

    def call(*arguments: object, code: int = 0) -> str:
        result = ran("--store", tmp_path / "store", *arguments, cwd=tmp_path)
        assert result.returncode == code, (arguments, result.stdout, result.stderr)
        return result.stdout + result.stderr

    call("ingest", "tides.md")
    call("remember", "The spare key is under the blue pot.")
    return call


# A command, and the ids in what it prints.
PRINTED = [
    (("sessions",), r"17:00  (?:\".*?\"  )?(.+?)  \d+ turn"),
    (("recall", "Where does Mira live?"), r"(\S+-\d+|note_\w+)$"),
    (("recall", "Where does Mira live?", "--explain"), r"^\d+\. (\S+)  "),
    (("recall", "Where does Mira live?", "--full"), r"\| (\w{8}-\d+)\]$"),
    (("match", "Where does Mira live?"), r"^\d\.\d+  (\S+)  "),
    (("ask", "Who is the boiler man?"), r"\] (by the lake/2026 \S+), Mira:"),
    (("ask", "Where does Mira live?"), r"\] (6f0c1e2a-7d41 \S+), Mira:"),
    (("ask", "Where is the spare key?"), r"\] (note_\w+), "),
    (("redactions",), r"\d\d:\d\d  (.*), Ben: "),
    (("redactions",), r", turn (\S+), "),
    (("claims", "Mira"), r"\[([^\[\]]+?/[^,]+), Mira, "),
    (("entity", "Vienna"), r"  (6f0c1e2a-7d41), Mira said$"),
    (("notes",), r"^(note_\w+)"),
    (("show", "titled"), r"^(titled/two) "),
]


@pytest.mark.parametrize(("command", "pattern"), PRINTED)
def test_show_takes_what_a_command_prints(run, command: tuple[str, ...], pattern: str) -> None:
    printed = run(*command)
    ids = re.findall(pattern, printed, re.MULTILINE)
    assert ids, printed
    for id in ids:
        assert run("show", "--", id).strip()


def test_show_takes_what_remember_links_and_show_itself_print(run) -> None:
    turn, place = re.findall(r"turn (\S+) of (.+)\.$", run("remember", "Tea at five.", "-c", "tea"), re.M)[0]
    segments = re.findall(r"^\d\.\d+  (seg_\S+)  ", run("match", "Vienna"), re.MULTILINE)
    run("link", segments[0], "supports", segments[1])
    linked = re.findall(r"(seg_\S+)", run("links"))
    near = re.findall(r"^\d\.\d+  (\S+)  ", run("neighbors", segments[0]), re.MULTILINE)
    within = re.findall(r"turns (.+)$", run("show", segments[0]), re.MULTILINE)[0].split(", ")
    assert linked and near and within
    for id in (turn, place, f"{place}/{turn}", *linked, *near, *within):
        assert run("show", id).strip()


@pytest.mark.parametrize(
    ("name", "id"),
    [
        ("m2", "m2"),
        (f"{CHAT}/m2", "m2"),
        (f"{CHAT}/one/m2", "m2"),
        (f"{CHAT} m2", "m2"),
        (f"{CHAT}, turn m2", "m2"),
        ("x/1", "x/1"),
        (f"{TALK}/x/1", "x/1"),
        (f"{TALK}/s 1/x/1", "x/1"),
        (f"{TALK} x/1", "x/1"),
    ],
)
def test_a_turn_is_shown_and_forgotten_by_its_id(run, name: str, id: str) -> None:
    found = json.loads(run("show", name, "--json"))
    assert id in found["segment"]["turn_ids"]
    assert "would go: 1 turn in" in run("forget", name)
    assert "would go: 1 turn in" in run("purge", name)


def test_an_id_of_several_turns_says_what_to_type(run, tmp_path: Path) -> None:
    with Memory.open(tmp_path / "store") as memory:
        memory.remember_session("other", "one", [Turn("Ben", "The ferry is late.", SAID, id="m1")])
    printed = run("show", "m1", code=1)
    assert "is the id of 2 turns" in printed
    for name in re.findall(r"^  (\S+)$", printed, re.MULTILINE):
        assert run("show", name).strip()


def test_what_is_no_id_of_anything_says_so(run) -> None:
    assert "There is no segment, turn, session or conversation 'm9'" in run("show", "m9", code=1)
    assert "There is no segment or turn 'other/m1'" in run("forget", "other/m1", code=1)


def test_a_title_that_was_printed_cut_is_found(run, tmp_path: Path) -> None:
    with Memory.open(tmp_path / "store") as memory:
        title = "What the harbour master said about the mooring of small boats in winter storms"
        memory.remember_session("h", "one", [Turn("Ben", "The ferry is late.", SAID)], title=title)
    shown = re.findall('"(What the harbour.*…)"', run("sessions"))
    assert "The ferry is late" in run("show", shown[0])


def test_a_name_of_a_thousand_slashes_is_not_tried_in_a_million_ways() -> None:
    assert len(list(turn_names("/" * 1_000))) < 1_000
    assert ("by the lake", "2026", "t3") in turn_names("by the lake/2026/t3")
