"""The steward: its plan, its acts, and that taking them all back gives the store as it was, to the byte."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import pytest

from engramma import BadInput, Config, Memory, Turn
from engramma.core.names import known_key
from engramma.notes.note_records import links_at
from engramma.recall.count import count_recalled
from engramma.recall.recipes import RECIPES
from tests.conftest import START
from tests.crash.processes import unwell
from tests.fakes import FamilyEmbedder, HashEmbedder
from tests.rows import ask
from tests.steward.helpers import content, count, differences

pytestmark = pytest.mark.on("postgres", "encrypted")

LATER = START + timedelta(days=100)
PAIR = ("the kettle in the kitchen leaks", "in the kitchen the kettle leaks")
GROUP = ("tea at four with Ana", "tea at five with Ben", "tea at six with Cleo")
FAMILIES = [(0.90, PAIR), (0.84, GROUP), (0.5, ("a lonely thought", "another thought"))]


@pytest.fixture
def kin(tmp_path):
    """A memory whose notes are as similar as FAMILIES says."""
    with Memory.open(tmp_path / "store", embedder=FamilyEmbedder(FAMILIES)) as memory:
        yield memory


def remember_all(memory: Memory, *texts: str, **values) -> list[str]:
    return [
        memory.remember(text, at=START + timedelta(hours=number), **values).note.id for number, text in enumerate(texts)
    ]


def states(memory: Memory) -> dict[str, str]:
    return {note.text: note.state for note in memory.notes.all(all_states=True)}


# --- each kind of act, done and undone -----------------------------------------------------------------------


def test_a_dry_run_changes_nothing(kin):
    remember_all(kin, *PAIR, *GROUP)
    before = content(kin)
    report = kin.steward.run(now=START + timedelta(days=1))
    assert (report.counts["merge"], report.counts["consolidate"]) == (1, 1)
    assert (report.notes, report.notes_left, report.is_applied) == (5, 2, False)
    assert all(act.act is None for act in report.acts)
    assert differences(content(kin), before) == []
    assert kin.acts.all() == []


def test_two_notes_become_one_and_the_other_stays_in_the_store(kin):
    kept, lost = remember_all(kin, *PAIR)
    before = content(kin)
    (act,) = kin.steward.run(now=LATER, apply=True).acts
    assert (act.kind, act.ids, act.into) == ("merge", (lost,), kept)
    assert act.reason == f"cosine 0.9000 (from 0.88) and the same facts; kept {kept}: it is older"
    assert states(kin) == {PAIR[0]: "live", PAIR[1]: "retired"}
    (link,) = (link for link in links_at(kin._core, [known_key(kin._core, kept)]) if link.kind == "supersedes")
    assert (link.source, link.target, link.author, link.weight) == (kept, lost, "steward", 0.9)
    assert [c.text for c in kin.recall(PAIR[1], recipe="vector").entries] == [PAIR[0]]
    assert unwell(kin) == []
    kin._core.recalled.clear()
    undone = kin.undo(act.act)
    assert undone.undone_at is not None
    assert differences(content(kin), before) == []
    assert {c.text for c in kin.recall(PAIR[1], recipe="vector").entries} == set(PAIR)


def test_recalls_decide_which_note_stays(kin):
    kept, lost = remember_all(kin, *PAIR)
    count(kin, lost, hits=2)
    (act,) = kin.steward.run(now=START + timedelta(days=1)).acts
    assert (act.ids, act.into) == ((kept,), lost)


def test_a_merge_that_was_undone_is_not_done_again(kin):
    remember_all(kin, *PAIR)
    (act,) = kin.steward.run(now=LATER, apply=True).acts
    kin.undo(act.act)
    assert kin.steward.run(now=LATER, apply=True).acts == ()


def test_similar_notes_become_one_made_of_their_words(kin):
    ids = remember_all(kin, *GROUP, tags=["tea"])
    count(kin, ids[1], hits=4, days=2)
    before = content(kin)
    (act,) = kin.steward.run(now=START + timedelta(days=3), apply=True).acts
    assert (act.kind, act.ids) == ("consolidate", tuple(ids))
    assert unwell(kin) == []
    (note,) = kin.notes.all()
    assert (note.id, note.text, note.speaker) == (act.into, "\n".join(GROUP), "steward")
    assert (note.tags, note.recalls, note.created) == (("tea",), 4, START + timedelta(hours=2))
    links = [link for link in links_at(kin._core, [known_key(kin._core, note.id)]) if link.kind == "supersedes"]
    assert {link.target for link in links} == set(ids)
    assert all(link.provenance == act.reason and link.label == "source" for link in links)
    assert [c.segment_id for c in kin.recall(GROUP[0], recipe="vector").entries] == [note.id]
    kin._core.recalled.clear()
    kin.undo(act.act)
    assert unwell(kin) == []
    assert differences(content(kin), before) == []


def test_a_canonical_note_is_unknown_before_it_was_made(kin):
    remember_all(kin, *GROUP)
    before = datetime.now(UTC)
    kin.steward.run(now=START + timedelta(days=3), apply=True)
    then = kin.recall(GROUP[0], recipe="vector", as_of=before)
    assert {c.text for c in then.entries} == set(GROUP)
    now = kin.recall(GROUP[0], recipe="vector", as_of=datetime.now(UTC))
    assert [c.text for c in now.entries] == ["\n".join(GROUP)]


def test_undoing_a_consolidation_waits_for_what_rests_on_it(kin):
    remember_all(kin, *GROUP)
    (made,) = kin.steward.run(now=START + timedelta(days=3), apply=True).acts
    count(kin, remember_all(kin, "something that is recalled")[0], hits=1, days=3)
    (pruned,) = kin.steward.run(now=START + timedelta(days=95), apply=True, limits={"prune": 1, "consolidate": 0}).acts
    assert pruned.ids == (made.into,)
    with pytest.raises(BadInput, match=rf"later acts depend on: {pruned.act} \(prune\)"):
        kin.undo(made.act)
    kin.undo(pruned.act)
    kin.undo(made.act)
    assert kin.notes.get(made.into) is None
    assert unwell(kin) == []


def test_what_repeats_a_canonical_note_is_kept_when_it_goes(kin):
    ids = remember_all(kin, *GROUP)
    (made,) = kin.steward.run(now=START + timedelta(days=3), apply=True).acts
    again = kin.remember("\n".join(GROUP), at=START + timedelta(days=4))
    assert again.note.id == made.into and not again.is_new
    kin.undo(made.act)
    assert [repeat.text for repeat in kin.notes.repeats(ids[-1])] == ["\n".join(GROUP)]


def test_a_note_expires_and_comes_back(kin):
    (id,) = remember_all(kin, "a lonely thought", ttl=timedelta(days=1))
    assert kin.steward.run(now=START + timedelta(hours=23)).acts == ()
    before = content(kin)
    (act,) = kin.steward.run(now=START + timedelta(days=1), apply=True).acts
    assert (act.kind, kin.notes.get(id).state) == ("expire", "retired")
    kin.undo(act.act)
    assert differences(content(kin), before) == []


def test_a_note_that_nothing_speaks_for_is_laid_aside(kin):
    old, pinned, strong = (
        remember_all(kin, "a lonely thought"),
        *(
            [kin.remember(text, at=START, **values).note.id]
            for text, values in (("pinned one", {"tags": ["pinned"]}), ("strong one", {"strength": 0.9}))
        ),
    )
    recalled = kin.remember("recalled one", at=START).note.id
    count(kin, recalled, hits=1, days=80)
    before = content(kin)
    (act,) = kin.steward.run(now=START + timedelta(days=90, hours=1), apply=True).acts
    assert (act.kind, act.ids) == ("prune", tuple(old))
    assert act.reason.startswith("score 0.0000 below 0.05: recalled 0 times (the most: 1), active 90.0 days ago")
    kin.undo(act.act)
    assert differences(content(kin), before) == []
    assert pinned and strong


@pytest.mark.not_on("encrypted")
def test_old_talk_and_old_notes_are_archived_whole(tmp_path):
    config = Config(archive_after_days=30)
    with Memory.open(tmp_path / "store", embedder=HashEmbedder(), config=config) as memory:
        turns = [Turn("Ana", f"line {n} of the garden", START + timedelta(minutes=n), f"t{n}") for n in range(3)]
        memory.remember_session("talk", "one", turns)
        memory.remember_session("talk", "two", [Turn("Ana", "the garden again", START + timedelta(days=20), "u")])
        memory.remember("a note on the garden", at=START)
        memory.remember("a pinned note on the lake", at=START, tags=["pinned"])
        before = content(memory)
        report = memory.steward.run(now=START + timedelta(days=31), apply=True)
        assert sorted(len(act.ids) for act in report.acts) == [1, 3]
        assert unwell(memory) == []
        found = memory.recall("line of the garden", recipe="vector")
        assert [c.text for c in found.entries] == ["the garden again", "a pinned note on the lake"]
        found = memory.recall("line of the garden", recipe="vector", archived=True)
        assert len(found.entries) == 6
        memory._core.recalled.clear()
        assert len(memory.acts.undo_all("archive")) == 2
        assert differences(content(memory), before) == []
        assert memory.steward.run(now=START + timedelta(days=31)).acts == ()  # it was undone: nobody wants it


def test_turns_and_documents_are_never_merged(tmp_path):
    with Memory.open(tmp_path / "store", embedder=FamilyEmbedder(FAMILIES)) as memory:
        for number, text in enumerate((*PAIR, *GROUP)):
            memory.remember_session("talk", f"s{number}", [Turn("user", text, START + timedelta(hours=number), "t")])
        assert memory.steward.run(now=LATER, apply=True).acts == ()


# --- undo ------------------------------------------------------------------------------------------------------


def test_what_cannot_be_undone_is_refused_with_a_reason(kin):
    remember_all(kin, *PAIR)
    (act,) = kin.steward.run(now=LATER, apply=True).acts
    kin.undo(act.act)
    with pytest.raises(BadInput, match="was already undone"):
        kin.undo(act.act)
    with pytest.raises(BadInput, match="There is no act 99"):
        kin.undo(99)
    for wrong in (0, -1, True, "1", 2**63, None):
        with pytest.raises(BadInput):
            kin.undo(wrong)
    with pytest.raises(BadInput, match="no acts of kind"):
        kin.acts.undo_all("purge")


def test_acts_of_another_namespace_are_unknown(tmp_path):
    embedder = FamilyEmbedder(FAMILIES)
    with Memory.open(tmp_path / "store", "one", embedder=embedder) as one:
        remember_all(one, *PAIR)
        (act,) = one.steward.run(now=LATER, apply=True).acts
        with Memory.open(tmp_path / "store", "two", embedder=embedder) as two:
            assert two.acts.all() == []
            with pytest.raises(BadInput, match="There is no act"):
                two.undo(act.act)


def test_undo_all_takes_a_kind_or_a_time(kin):
    remember_all(kin, *PAIR, *GROUP)
    kin.steward.run(now=START + timedelta(days=1), apply=True)
    assert [act.kind for act in kin.acts.all()] == ["consolidate", "merge"]
    assert kin.acts.undo_all(since=datetime.now(UTC) + timedelta(hours=1)) == []
    assert [act.kind for act in kin.acts.undo_all("merge")] == ["merge"]
    assert [act.kind for act in kin.acts.undo_all()] == ["consolidate"]
    assert all(act.undone_at is not None for act in kin.acts.all())


def test_what_was_forgotten_meanwhile_stays_forgotten(kin):
    _, lost = remember_all(kin, *PAIR)
    (act,) = kin.steward.run(now=LATER, apply=True).acts
    kin.forget(ids=[lost])
    kin.undo(act.act)
    assert kin.notes.get(lost) is None
    assert [c.text for c in kin.recall(PAIR[1], recipe="vector").entries] == [PAIR[0]]
    assert unwell(kin) == []


def test_a_step_is_skipped_when_its_notes_changed_meanwhile(kin, monkeypatch):
    _, lost = remember_all(kin, *PAIR)
    original = kin.steward.act

    def late(step):
        count(kin, lost, hits=1)  # another process counts a recall between plan and act
        return original(step)

    monkeypatch.setattr(kin.steward, "act", late)
    report = kin.steward.run(now=LATER, apply=True)
    assert (report.acts, report.skipped) == ((), 1)
    assert set(states(kin).values()) == {"live"}


@pytest.mark.parametrize("limits", [-1, True, 1.5, {"burn": 1}, {"merge": -1}])
def test_limits_are_checked(kin, limits):
    with pytest.raises(BadInput):
        kin.steward.run(limits=limits)


def test_now_needs_a_zone(kin):
    with pytest.raises(BadInput):
        kin.steward.run(now=datetime(2026, 1, 1))


# --- recalls are counted -----------------------------------------------------------------------------------------


def test_recalled_notes_are_counted_in_the_store(tmp_path):
    store = tmp_path / "store"
    with Memory.open(store, embedder=HashEmbedder()) as memory:
        id = memory.remember("the printer in the kitchen", at=START).note.id
        memory.remember_session("c", "s", [Turn("Ana", "the printer in the cellar", START, "t")])
        for _ in range(3):
            assert memory.recall("the printer in the kitchen", recipe="vector").entries
        assert memory.notes.get(id).recalls == 0  # not yet
        begun = datetime.now(UTC)
        memory.recall("the printer in the kitchen", recipe="vector")
    with Memory.open(store, embedder=HashEmbedder()) as memory:
        assert memory.notes.get(id).recalls == 4
        assert memory.notes.get(id).last_recalled >= begun
        assert ask(memory, "SELECT hits FROM uses") == [(4,)]


def test_twenty_recalls_are_written_at_once_and_the_steward_sees_all(memory):
    id = memory.remember("the printer in the kitchen", at=START).note.id
    for number in range(1, 26):
        memory.recall("the printer in the kitchen", recipe="vector")
        assert memory.notes.get(id).recalls == (20 if number >= 20 else 0)
    memory.steward.run()
    assert memory.notes.get(id).recalls == 25


def test_counting_never_waits_for_a_writer(tmp_path):
    with (
        Memory.open(tmp_path / "store", embedder=HashEmbedder()) as memory,
        Memory.open(tmp_path / "store", embedder=HashEmbedder()) as other,
    ):
        id = memory.remember("the printer in the kitchen", at=START).note.id
        with other._core.store.transaction():
            begun = time.perf_counter()
            for _ in range(25):
                assert memory.recall("the printer in the kitchen", recipe="vector").entries
            assert time.perf_counter() - begun < 20  # a writer would be waited for a minute
            assert memory.notes.get(id).recalls == 0
        count_recalled(memory._core)
        assert memory.notes.get(id).recalls == 25


def test_recalling_no_note_writes_nothing(memory):
    memory.remember_session("c", "s", [Turn("Ana", "the printer in the cellar", START, "t")])
    before = content(memory)
    for recipe in RECIPES:
        memory.recall("the printer in the cellar", recipe=recipe)
    count_recalled(memory._core)
    after = content(memory)
    assert differences({**after, "meta": None}, {**before, "meta": None}) == []
