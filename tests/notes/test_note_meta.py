"""Metadata of notes: names and texts that are kept, masked, bounded, exported and shown with a note."""

from __future__ import annotations

import pytest

from engramma import BadInput, Memory
from engramma.records.notes import MAX_META_ENTRIES, MAX_META_SIZE
from tests.conftest import START
from tests.fakes import HashEmbedder

pytestmark = pytest.mark.on("postgres", "encrypted")

META = {"ticket": "42", "repository": "engramma/core"}
KEY = "AKIA" + "Q3EGRIHW7ZKLMPXV"


@pytest.fixture
def memory(tmp_path):
    with Memory.open(tmp_path / "store", embedder=HashEmbedder()) as opened:
        yield opened


def test_they_come_back_with_the_note(memory):
    made = memory.remember("The release is on Friday.", meta=META)
    assert made.note.meta == META and memory.notes.get(made.note.id).meta == META
    assert memory.remember("Nothing beside it.").note.meta == {}


def test_secrets_in_them_are_masked(memory):
    note = memory.remember("The key is elsewhere.", meta={"key": KEY}).note
    assert KEY not in str(note.meta) and KEY not in "".join(memory.export())


@pytest.mark.parametrize(
    ("meta", "words"),
    [
        ({f"n{n}": "" for n in range(MAX_META_ENTRIES + 1)}, "at most 50 metadata entries"),
        ({"x" * 101: ""}, "must have 1 to 100 characters"),
        ({" ": "x"}, "must have 1 to 100 characters"),
        ({f"n{n}": "x" * 3_000 for n in range(3)}, f"the limit is {MAX_META_SIZE:,}"),
        ({"n": 7}, "meta must map names to strings"),
        ("no map", "meta must map names to strings"),
    ],
)
def test_what_does_not_belong_there_is_refused_and_nothing_is_stored(memory, meta, words):
    with pytest.raises(BadInput, match=words):
        memory.remember("The release is on Friday.", meta=meta)
    assert memory.notes.all() == []


def test_other_metadata_make_a_note_of_its_own(memory):
    text = "The release is on Friday."
    first = memory.remember(text, meta=META)
    assert not memory.remember(text, meta=META).is_new
    assert memory.remember(text, meta={"ticket": "43"}).is_new, "a repeat has none of its own: they would be lost"
    assert not memory.remember(text).is_new, "nothing is lost"
    assert sum(note.repeats for note in memory.notes.all()) == 2 and memory.notes.get(first.note.id).repeats
    same_time = [memory.remember("x y", at=START, meta={"n": str(n)}).note.id for n in range(2)]
    assert len(set(same_time)) == 2


def test_an_export_has_them(memory, tmp_path):
    memory.remember("The release is on Friday.", meta=META, at=START)
    path = tmp_path / "all.jsonl"
    path.write_text("".join(memory.export()), encoding="utf-8")
    with Memory.open(tmp_path / "other", embedder=HashEmbedder()) as other:
        other.import_(path)
        assert [note.meta for note in other.notes.all()] == [META]
        assert list(other.export()) == list(memory.export())


def test_a_revised_note_keeps_them(memory):
    note = memory.remember("The release is on Friday.", meta=META).note
    assert memory.notes.revise(note.id, "The release is on Monday.")[0].meta == META
