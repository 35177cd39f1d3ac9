"""The review queue: what waits for somebody's word, what accepting and refusing do, and that both can be undone."""

from __future__ import annotations

import sqlite3
from datetime import timedelta

import pytest

from engramma import BadInput, Memory, Turn
from engramma.core.names import segment_key
from engramma.people.entities.similar_names import Called, find_similar_names
from engramma.steward import run
from engramma.steward.merge import find_similar_pairs
from engramma.store.migrate import list_migrations, split_statements
from tests.conftest import START
from tests.fakes import HashEmbedder
from tests.steward.helpers import store_notes

pytestmark = pytest.mark.on("postgres", "encrypted")

LATER = START + timedelta(days=60)
PORT = "The old server in the cold cellar under the wooden stairs of the house listens on port {} every day and night."


def lines(*texts: str, at=START, name: str = "t") -> list[Turn]:
    return [Turn("Ann", text, at + timedelta(minutes=n), f"{name}{n}") for n, text in enumerate(texts)]


@pytest.fixture
def memory(tmp_path):
    """Somebody who says she lives in two towns, and has a job in two conversations; notes that are almost alike."""
    with Memory.open(tmp_path / "store", embedder=HashEmbedder()) as opened:
        opened.remember_session("home", "s1", lines("I live in Seattle.", name="a"))
        opened.remember_session("home", "s2", lines("I live in Boston.", at=START + timedelta(days=1), name="b"))
        opened.remember_session("work", "s1", lines("I work as a nurse at Mercy Hospital.", at=LATER, name="c"))
        opened.remember_session("club", "s1", lines("I work as a nurse.", at=LATER + timedelta(days=9), name="d"))
        store_notes(opened, ["The ladder is in the cellar.", "The ladder is in the cellar!"])
        store_notes(opened, [PORT.format(8080), PORT.format(8081)])
        yield opened


def waiting(memory: Memory, kind: str | None = None) -> list[str]:
    return [one.id for one in memory.review.all(kind, limit=200).items]


def only(memory: Memory, kind: str):
    (one,) = memory.review.all(kind).items
    return one


def test_the_queue_names_what_is_wrong_before_what_may_go_a_page_at_a_time(memory):
    whole = memory.review.all()
    assert {"conflict": 1, "differ": 1, "merge": 1, "decision": 1}.items() <= whole.counts.items()
    assert whole.total == sum(whole.counts.values()) == len(whole.items)
    kinds = [one.kind for one in whole.items]
    assert kinds[:3] == ["conflict", "differ", "merge"]
    one_by_one = [memory.review.all(limit=1, offset=n).items[0].id for n in range(whole.total)]
    assert one_by_one == [one.id for one in whole.items]
    assert memory.review.all(limit=1, offset=whole.total).items == ()
    assert [one.kind for one in memory.review.all("merge", limit=1).items] == ["merge"]


def test_a_contradiction_that_is_one_becomes_a_link_and_undone_waits_again(memory):
    one = only(memory, "conflict")
    assert (one.person, one.about) == ("Ann", "home")
    assert [side.label for side in one.sides] == ["lives in Seattle", "lives in Boston"]
    act = memory.review.accept(one.id)
    (link,) = memory.links.all(kind="contradicts")
    assert (link.source, link.target, link.label) == ("seg_home/s2_0", "seg_home/s1_0", "home")
    assert one.id not in waiting(memory)
    memory.undo(act.id)
    assert memory.links.all(kind="contradicts") == []
    assert one.id in waiting(memory)


def test_a_contradiction_that_is_none_does_not_come_back_when_all_is_extracted_anew(memory, tmp_path):
    one = only(memory, "conflict")
    act = memory.review.reject(one.id)
    assert memory.links.all(kind="contradicts") == []
    memory.remember_session("home", "s2", [*lines("So it is.", at=START + timedelta(days=1, hours=1), name="x")])
    with Memory.open(tmp_path / "store", embedder=HashEmbedder()) as again:
        assert again.claims.all("Ann", "lives_in") and waiting(again, "conflict") == []
        again.undo(act.id)
        assert waiting(again, "conflict") == [one.id]


def test_near_duplicates_are_merged_by_a_word_and_come_apart_again(memory):
    one = only(memory, "merge")
    stays, goes = one.sides
    assert stays.stays and not goes.stays
    act = memory.review.accept(one.id)
    assert act.kind == "merge" and memory.notes.get(goes.segment).state == "retired"
    assert [link.target for link in memory.links.all(stays.segment, "supersedes")] == [goes.segment]
    memory.undo(act.id)
    assert memory.notes.get(goes.segment).state == "live" and memory.links.all(stays.segment, "supersedes") == []
    assert waiting(memory, "merge") == [one.id]
    assert not [
        step for step in memory.steward.run().acts if step.kind == "merge"
    ]  # what was undone is done by hand only


def test_what_was_refused_neither_comes_back_nor_is_done_by_the_steward(memory):
    one = only(memory, "merge")
    assert [step.kind for step in memory.steward.run().acts] == ["merge"]
    act = memory.review.reject(one.id)
    assert waiting(memory, "merge") == [] and memory.steward.run(apply=True).acts == ()
    memory.undo(act.id)
    assert waiting(memory, "merge") == [one.id]
    assert [step.kind for step in memory.steward.run().acts] == ["merge"]


def test_of_two_notes_with_other_facts_the_newer_may_stand(memory):
    one = only(memory, "differ")
    assert [side.text for side in one.sides] == [PORT.format(8081), PORT.format(8080)]
    assert not [step for step in memory.steward.run().acts if one.sides[1].segment in step.ids]
    act = memory.review.accept(one.id)
    assert memory.notes.get(one.sides[1].segment).state == "retired"
    memory.undo(act.id)
    refused = memory.review.reject(one.id)
    assert waiting(memory, "differ") == []
    memory.undo(refused.id)
    assert waiting(memory, "differ") == [one.id]


def test_low_scores_are_let_go_or_kept(memory):
    old = store_notes(memory, ["An umbrella stands behind the piano."])[0]
    with memory._core.store.transaction():
        key = segment_key(memory._core, old)
        memory._core.store.run("use_add", key=segment_key(memory._core, memory.notes.all()[0].id), hits=50, at=0)
    found = {one.sides[0].segment: one for one in memory.review.all("prune", limit=200).items}
    assert old in found and key is not None and "score" in found[old].reason
    act = memory.review.accept(found[old].id)
    assert act.kind == "prune" and memory.notes.get(old).state == "retired"
    memory.undo(act.id)
    assert memory.notes.get(old).state == "live"
    memory.review.reject(found[old].id)
    assert found[old].id not in waiting(memory, "prune")
    assert old not in [id for step in memory.steward.run(apply=True).acts for id in step.ids]


def test_a_decision_is_confirmed_or_turned_round(memory):
    one = only(memory, "decision")
    assert (one.person, one.about) == ("Ann", "job") and one.sides
    act = memory.review.reject(one.id)
    stands = [each for each in memory.people.decisions("Ann") if each.by == "user"]
    assert [each.verdict for each in stands] == [{"MERGE": "SEPARATE", "SEPARATE": "MERGE"}[one.verdict]]
    assert waiting(memory, "decision") == []
    memory.undo(act.id)
    assert not [each for each in memory.people.decisions("Ann") if each.by == "user"]
    (again,) = memory.review.all("decision").items
    memory.review.accept(again.id)
    assert [each.verdict for each in memory.people.decisions("Ann") if each.by == "user"] == [one.verdict]
    assert waiting(memory, "decision") == []


def test_names_that_may_be_one_are_merged_by_a_word_and_told_apart_again(memory):
    memory.remember_session("kin", "s1", lines("My sister Johanna Berg is a baker.", at=LATER, name="k"))
    memory.remember_session("town", "s1", lines("Johanna lives in Oslo.", at=LATER, name="o"))
    one = next(one for one in memory.review.all("entity").items if "Johanna" in one.reason)
    assert one.sides[0].label.startswith("Johanna Berg (person") and one.sides[1].label.startswith("Johanna (person")
    act = memory.review.accept(one.id)
    assert memory.claims.entity("Johanna").entity.name == memory.claims.entity("Johanna Berg").entity.name
    assert one.id not in waiting(memory, "entity")
    memory.undo(act.id)
    assert memory.claims.entity("Johanna").entity.key != memory.claims.entity("Johanna Berg").entity.key
    assert one.id in waiting(memory, "entity")
    memory.review.reject(one.id)
    assert one.id not in waiting(memory, "entity")


def test_only_names_that_are_hard_to_tell_apart_are_asked_about():
    named = [
        "Jonas",
        "Jonass",
        "Ann",
        "Anna Weber",
        "Ann Weber",
        "Ann Berg",
        "kid",
        "kids",
        "Émile",
        "Emile",
        "Bo",
        "Bob",
    ]
    found = find_similar_names([Called(n, "person", name, 0, 20 - n) for n, name in enumerate(named)])
    pairs = {(pair.kept.name, pair.other.name) for pair in found}
    assert pairs == {("Jonas", "Jonass"), ("Anna Weber", "Ann Weber"), ("Émile", "Emile")}
    again = find_similar_names([Called(n + 90, "person", name, 0, n) for n, name in enumerate(reversed(named))])
    assert {pair.item for pair in again} == {pair.item for pair in found}
    releases = [Called(1, "project", "Release 24", 0, 3), Called(2, "project", "Release 25", 0, 2)]
    assert find_similar_names(releases) == []


def test_what_is_no_proposal_is_refused_with_a_word_of_what_to_do(memory):
    for wrong in ("", "merge", "merge-x", "merge-99999999999999999999", "nothing-1", None, 3):
        with pytest.raises(BadInput, match="A proposal's id"):
            memory.review.accept(wrong)
    for kind in ("merge", "conflict", "decision", "differ"):
        with pytest.raises(BadInput, match="is no longer waiting"):
            memory.review.reject(f"{kind}-12345")
    with pytest.raises(BadInput):
        memory.review.all("everything")
    one = only(memory, "merge")
    memory.review.accept(one.id)
    with pytest.raises(BadInput, match="is no longer waiting"):
        memory.review.accept(one.id)


def test_nothing_of_what_is_purged_stays_in_the_queue(memory):
    one = only(memory, "conflict")
    memory.review.reject(one.id)
    memory.purge(conversation="home")
    assert waiting(memory, "conflict") == []
    assert memory._core.store.all("conflicts_open", limit=9, offset=0) == []


def test_after_a_word_only_what_is_new_is_compared(memory, monkeypatch):
    one = only(memory, "differ")
    memory.review.accept(only(memory, "merge").id)
    calls = []
    monkeypatch.setattr(run, "find_similar_pairs", lambda *given: calls.append(given) or find_similar_pairs(*given))
    assert [each.id for each in memory.review.all("differ").items] == [one.id] and not calls
    less = memory.steward._compared
    memory.steward._compared = memory.review._planned = None
    memory.review.all()
    anew = memory.steward._compared
    assert len(calls) == 1 and less.keys == anew.keys
    for name in ("one", "other", "cosines"):
        assert getattr(less.pairs, name).tolist() == getattr(anew.pairs, name).tolist()
    store_notes(memory, ["The ladder is in the cellar, they say."])
    memory.review.all()
    assert len(calls) == 2


CLAIMED = """
INSERT INTO claims (ns, key, id, session, block, turn, start, length, subject, relation, object, value, fact, said_at,
  negated, modality, confidence, method)
VALUES (1, ?, ?, 1, 0, 1, 0, 9, 7, ?, 0, 'Oslo', 1, 0, 0, 'fact', 1.0, 'rules')
"""


@pytest.mark.not_on("postgres", "encrypted")
def test_a_store_of_an_earlier_version_is_looked_at_for_conflicts():
    database = sqlite3.connect(":memory:")
    for number, sql in list_migrations():
        if number == 9:
            database.executemany(CLAIMED, [(1, "x", "lives_in"), (2, "y", "likes")])
            database.execute("DELETE FROM unsettled")  # it was reconciled
        for statement in split_statements(sql) if number <= 9 else ():
            database.execute(statement)
    assert database.execute("SELECT person, relation FROM unsettled").fetchall() == [(7, "lives_in")]
    database.close()
