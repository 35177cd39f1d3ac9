"""An export carries notes, repeats and links, and an import brings them back."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest

from engramma import Memory, Turn
from engramma.admin.doctor import doctor
from engramma.core.names import segment_key
from engramma.store.store import RETIRED, encode_keys
from engramma.transfer.export import export_lines
from engramma.transfer.imports import import_file

pytestmark = pytest.mark.on("postgres", "encrypted")

START = datetime(2026, 3, 1, 9, tzinfo=UTC)


@pytest.fixture
def filled(tmp_path):
    with Memory.open(tmp_path / "store") as memory:
        turns = [
            Turn("Ann", "The boiler was repaired by Mister Smith.", START, "a"),
            Turn("Ben", "No, the boiler is still broken.", START + timedelta(minutes=1), "b"),
        ]
        memory.remember_session("home", "s1", turns)
        first = memory.remember(
            "Mister Smith repaired the boiler in March.",
            tags=["home", "boiler"],
            ttl=timedelta(days=900),
            source="letter",
            session="inbox",
            strength=0.8,
            at=START + timedelta(days=1),
        ).note
        memory.remember("Mister Smith repaired the boiler in March!", at=START + timedelta(days=2), source="phone")
        old = memory.remember("Oranges are cheap this week.", at=START + timedelta(days=3)).note
        memory.links.add(first.id, "supports", "seg_home/s1_0", weight=0.7, label="a letter says so", author="Ann")
        memory.links.add("seg_home/s1_1", "contradicts", first.id)
        with memory._core.store.transaction():
            memory._core.store.set_states({segment_key(memory._core, old.id): RETIRED})
            memory._core.store.run("use_add", key=segment_key(memory._core, first.id), hits=3, at=1_780_000_000_000_000)
        yield memory


def written(memory, path):
    path.write_text("".join(export_lines(memory._core)), "utf-8")
    return path


def test_what_stands_beside_the_talk_comes_back_with_an_import(filled, tmp_path):
    path = written(filled, tmp_path / "all.jsonl")
    with Memory.open(tmp_path / "other") as other:
        report = import_file(other._core, path)
        assert report.problems == ()
        assert written(other, tmp_path / "again.jsonl").read_bytes() == path.read_bytes()
        assert other.notes.all(all_states=True) == filled.notes.all(all_states=True)
        assert [other.notes.repeats(note.id) for note in other.notes.all()] == [
            filled.notes.repeats(note.id) for note in filled.notes.all()
        ]
        assert other.links.all() == filled.links.all()
        assert [check for check in doctor(other._core) if not check.ok] == []
        import_file(other._core, path)
        assert written(other, tmp_path / "thrice.jsonl").read_bytes() == path.read_bytes()


def test_a_file_neither_hides_nor_changes_a_note_that_stood_here(filled, tmp_path):
    path = written(filled, tmp_path / "all.jsonl")
    before = filled.notes.all(all_states=True)
    lines = (
        path.read_text("utf-8").replace('"state":"live"', '"state":"retired"').replace('"strength":0.8', '"strength":0')
    )
    path.write_text(lines.replace('"expires_at":null', '"expires_at":"2020-01-01T00:00:00Z"'), "utf-8")
    assert import_file(filled._core, path).problems == ()
    assert filled.notes.all(all_states=True) == before


def test_a_file_neither_retires_what_is_no_note_nor_brings_back_what_is_forgotten(filled, tmp_path):
    path, core = written(filled, tmp_path / "all.jsonl"), filled._core
    head, *lines = path.read_text("utf-8").splitlines(keepends=True)
    line = next(line for line in lines if '"type":"note"' in line and '"live"' in line)
    id = json.loads(line)["id"]
    filled.forget([id])
    keys = encode_keys([segment_key(core, one) for one in (id, "seg_home/s1_0")])
    before = [dict(row) for row in core.store.all("states_by_keys", keys=keys)]
    path.write_text(head + "".join(line.replace(id, one).replace("live", "archived") for one in (id, "seg_home/s1_0")))
    assert ["it is no note" in problem.reason for problem in import_file(core, path).problems][:1] == [True]
    assert [dict(row) for row in core.store.all("states_by_keys", keys=keys)] == before


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('{"type":"note","id":"note_missing","tags":[],"strength":0.5}', "no segment"),
        ('{"type":"note","id":"ID","tags":"x","strength":7}', "strength"),
        ('{"type":"note","id":"ID","tags":[]}', "strength is missing"),
        ('{"type":"link","source":"ID","kind":"semantic","target":"seg_home/s1_0","author":"a"}', "by hand"),
        ('{"type":"link","source":"ID","kind":"supports","target":"ID","author":"a"}', "weight"),
        ('{"type":"repeat","note":"ID","id":"r","speaker":"","text":"t","said_at":"2026-01-01T00:00:00Z"}', "speaker"),
        ('{"type":"repeat","note":"ID","id":"r","speaker":"A","text":5}', "not a string"),
    ],
)
def test_a_line_that_cannot_be_taken_is_told_and_the_rest_is_kept(filled, tmp_path, line, told):
    path = written(filled, tmp_path / "all.jsonl")
    id = filled.notes.all()[0].id
    path.write_text(path.read_text("utf-8") + line.replace("ID", id) + "\n", "utf-8")
    with Memory.open(tmp_path / "other") as other:
        report = import_file(other._core, path)
        assert len(report.problems) == 1 and told in report.problems[0].reason
        assert other.notes.all() == filled.notes.all()


def test_who_the_user_is_comes_along_once(filled, tmp_path):
    turns = [Turn("user", "I work at Volvo.", START, "u"), Turn("assistant", "Good.", START, "v")]
    filled.remember_session("chat", "s1", turns)
    filled.people.me("Nora Lindqvist")
    path = written(filled, tmp_path / "me.jsonl")
    assert path.read_text("utf-8").splitlines()[-1] == '{"type":"me","name":"Nora Lindqvist"}'
    with Memory.open(tmp_path / "other") as other:
        assert import_file(other._core, path).problems == ()
        assert other.user_name == "Nora Lindqvist"
        import_file(other._core, path)
        assert [act.kind for act in other.acts.all()] == ["entity"]
    with Memory.open(tmp_path / "somebody") as other:
        other.remember_session("chat", "s1", turns)
        other.people.me("Ben Berg")
        (problem,) = import_file(other._core, path).problems
        assert "this me was not imported: You are Ben Berg here." in problem.reason
        assert other.user_name == "Ben Berg"


def test_a_conversation_of_which_nothing_is_left_is_not_exported(tmp_path):
    with Memory.open(tmp_path / "store") as memory:
        memory.remember_session("home", "s1", [Turn("Ann", "The boiler is broken.", START, "a")])
        note = memory.remember("Oranges are cheap this week.").note
        memory.forget([note.id])
        path = written(memory, tmp_path / "left.jsonl")
    assert "engramma:notes" not in path.read_text("utf-8")
    with Memory.open(tmp_path / "other") as other:
        assert import_file(other._core, path).problems == ()
