"""A note is never rewritten: another one takes its place, its tags change, and both can be undone."""

from __future__ import annotations

from datetime import timedelta

import pytest

from engramma import BadInput
from engramma.admin.doctor import doctor
from tests.conftest import START

pytestmark = pytest.mark.on("postgres", "encrypted")


def unwell(memory) -> list[str]:
    return [check.detail for check in doctor(memory._core) if not check.ok]


def found(memory, query: str) -> set[str]:
    return {c.segment_id for c in memory.recall(query).candidates}


def test_a_revised_note_leaves_recall_and_stays_stored(memory):
    old = memory.remember("The server listens on port 8080", tags=["ops"], at=START, strength=0.9).note
    new, act = memory.notes.revise(old.id, "The server listens on port 9090")
    assert (new.tags, new.strength, new.text) == (("ops",), 0.9, "The server listens on port 9090")
    assert found(memory, "which port does the server listen on") == {new.id}
    assert memory.notes.get(old.id).state == "retired" and memory.notes.get(old.id).text == old.text
    assert [(link.source, link.kind, link.target) for link in memory.links.all(old.id, "supersedes")] == [
        (new.id, "supersedes", old.id)
    ]
    assert unwell(memory) == []
    assert memory.acts.all()[0].id == act


def test_a_revision_too_like_the_old_note_is_not_counted_as_its_repeat(memory):
    old = memory.remember("the meeting is on tuesday in the blue room", at=START).note
    new, _ = memory.notes.revise(old.id, "The meeting is on tuesday in the blue room.")
    assert new.id != old.id and memory.notes.get(old.id).repeats == 0


def test_undoing_a_revision_brings_the_old_note_back(memory):
    old = memory.remember("The server listens on port 8080", at=START).note
    new, act = memory.notes.revise(old.id, "The server listens on port 9090")
    newest, later = memory.notes.revise(new.id, "The server listens on port 7070")
    with pytest.raises(BadInput, match="Undo that first"):
        memory.undo(act)
    memory.undo(later)
    assert found(memory, "which port does the server listen on") == {new.id}
    memory.undo(act)
    assert found(memory, "which port does the server listen on") == {old.id}
    assert memory.notes.get(newest.id).state == "retired"
    assert memory.links.all(old.id, "supersedes") == []
    assert unwell(memory) == []


def test_what_cannot_be_revised_is_refused_with_a_reason(memory):
    old = memory.remember("The server listens on port 8080", at=START).note
    with pytest.raises(BadInput, match="already says exactly this"):
        memory.notes.revise(old.id, old.text)
    new, _ = memory.notes.revise(old.id, "The server listens on port 9090")
    with pytest.raises(BadInput, match=f"{new.id} replaced it"):
        memory.notes.revise(old.id, "The server listens on port 1")
    with pytest.raises(BadInput, match="Only notes can be changed"):
        memory.notes.revise("note_unknown", "x")
    with pytest.raises(BadInput, match="Only notes can be changed"):
        memory.notes.retag("seg_c/s_0", ["x"])


def test_a_revision_keeps_the_day_on_which_the_note_ends(memory):
    old = memory.remember("milk is in the fridge", at=START, ttl=timedelta(days=3650)).note
    assert memory.notes.revise(old.id, "milk is in the cellar")[0].expires_at == old.expires_at


def test_tags_change_and_change_back(memory):
    note = memory.remember("The server listens on port 8080", tags=["ops"], at=START).note
    tagged, act = memory.notes.retag(note.id, ["ops", "ports"])
    assert tagged.tags == ("ops", "ports") and memory.notes.retag(note.id, ["ops", "ports"])[1] is None
    _, later = memory.notes.retag(note.id, [])
    with pytest.raises(BadInput, match="changed since"):
        memory.undo(act)
    memory.undo(later)
    memory.undo(act)
    assert memory.notes.get(note.id).tags == ("ops",)
    with pytest.raises(BadInput, match="at most 50 tags"):
        memory.notes.retag(note.id, [str(n) for n in range(60)])


def test_nothing_of_a_purged_revision_is_left_in_the_log(memory):
    old = memory.remember("The server listens on port 8080", at=START).note
    new, _ = memory.notes.revise(old.id, "The server listens on port 9090")
    memory.purge([new.id, old.id])
    assert not any(old.id in f"{act.reason}{act.detail}" for act in memory.acts.all() if act.kind == "revise")
    assert unwell(memory) == []


def test_tags_of_a_purged_note_are_gone_and_their_act_cannot_be_undone(memory):
    note = memory.remember("The boiler is in the cellar.", tags=["plugha"]).note.id
    _, act = memory.notes.retag(note, ["plughtwo"])
    other = memory.remember("The garden has a pump.").note.id
    revised, revising = memory.notes.revise(other, "The garden has two pumps now.")
    memory.purge([note, other, revised.id])
    for number, why in ((act, "purged"), (revising, "purged")):
        with pytest.raises(BadInput, match=why):
            memory.undo(number)
    assert all("plugh" not in str(one.detail) for one in memory.acts.all())
