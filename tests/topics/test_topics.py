"""Topics of a memory: found, named, stable, kept apart, and used."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from datetime import timedelta

import pytest

from engramma import BadInput, Memory
from engramma.core.names import known_key
from engramma.recall.recipes import RECIPES
from engramma.store.store import RETIRED
from engramma.topics.topic_store import name_again
from tests.commands import ran
from tests.conftest import START, talk
from tests.fakes import HashEmbedder

pytestmark = pytest.mark.on("postgres", "encrypted")

BREAD = ("sourdough", "starter", "flour", "oven", "crust", "dough")
BOAT = ("sailing", "harbour", "anchor", "rudder", "regatta", "mast")
CHESS = ("chess", "opening", "gambit", "rook", "bishop", "endgame")


def about(words: tuple[str, ...], number: int) -> str:
    """A sentence of four of the six words, so that any two of them share at least two."""
    chosen = [words[(number + step) % len(words)] for step in range(4)]
    return f"Ana: the {chosen[0]} and {chosen[1]} with {chosen[2]} then {chosen[3]}"


def fill(memory: Memory, subjects=(BREAD, BOAT, CHESS), days=range(8), prefix="s") -> None:
    for day in days:
        for place, words in enumerate(subjects):
            memory.remember_session("c", f"{prefix}{day}-{place}", talk(about(words, day), day=day))


def test_what_hangs_together_becomes_a_topic_named_by_its_words(memory):
    fill(memory)
    found = memory.topics.find()
    assert [t.size for t in found] == [8, 8, 8]
    assert all(len(t.terms) == 4 and t.name == ", ".join(t.terms) for t in found)
    by_words = {next(w for w in (BREAD, BOAT, CHESS) if t.terms[0] in w): t for t in found}
    assert set(by_words) == {BREAD, BOAT, CHESS}
    for words, topic in by_words.items():
        assert set(topic.terms) <= set(words)
        assert all(any(word in s.text for word in words) for s in memory.topics.get(topic.id)[1])
        assert (topic.first_said_at, topic.last_said_at) == tuple(
            START + timedelta(days=day, minutes=1) for day in (0, 7)
        )
    assert found == memory.topics.all()


def test_strongest_are_the_segments_most_linked_with_the_others(memory):
    fill(memory)
    for topic in memory.topics.find():
        _, segments = memory.topics.get(topic.id)
        ids = {s.id for s in segments}
        weights = [
            round(sum(w for kind, w, other in memory.segment(s.id)[1] if kind == "semantic" and other in ids), 6)
            for s in segments
        ]
        assert weights == sorted(weights, reverse=True) and len(segments) == topic.size
        assert topic.strongest == tuple(s.id for s in segments[:3])


@pytest.mark.not_on("postgres")
def test_with_nothing_new_nothing_changes(memory):
    fill(memory)
    found, before = memory.topics.find(), memory._core.store.all("topic_members_all")
    changes = memory._core.store.database._held().connection.total_changes
    assert memory.topics.find() == found
    assert memory._core.store.all("topic_members_all") == before
    assert memory._core.store.database._held().connection.total_changes == changes


def test_the_same_talk_in_another_order_gives_the_same_topics(memory, tmp_path):
    fill(memory)
    with Memory.open(tmp_path / "other", embedder=HashEmbedder()) as other:
        for place, words in reversed(list(enumerate((BREAD, BOAT, CHESS)))):
            for day in (5, 2, 7, 0, 3, 6, 1, 4):
                other.remember_session("c", f"s{day}-{place}", talk(about(words, day), day=day))
        found, again = memory.topics.find(), other.topics.find()
        assert [replace(t, made_at=START) for t in found] == [replace(t, made_at=START) for t in again]
        assert [memory.topics.get(t.id)[1] for t in found] == [other.topics.get(t.id)[1] for t in again]


def test_ids_and_birth_last_when_a_few_segments_come(memory):
    fill(memory)
    before = {t.id: t.made_at for t in memory.topics.find()}
    fill(memory, days=range(20, 22))
    after = memory.topics.find()
    assert {t.id: t.made_at for t in after} == before and [t.size for t in after] == [10, 10, 10]
    fill(memory, (("tulip", "garden", "spade", "compost", "hedge", "seedling"),), range(30, 36), prefix="g")
    grown = memory.topics.find()
    assert {t.id for t in grown} > set(before) and len(grown) == 4
    (new,) = [t for t in grown if t.id not in before]
    assert new.id > max(before) and new.made_at > max(before.values()) and new.size == 6


def test_new_segments_join_the_topic_of_their_neighbours_without_the_extra(memory, monkeypatch):
    fill(memory)
    found = {t.id: t for t in memory.topics.find()}
    monkeypatch.setitem(sys.modules, "graspologic_native", None)
    fill(memory, (BOAT,), [40])
    memory.remember_session("c", "alone", talk("Ben: nothing of that kind", day=41))
    assert memory.topics.join() == 1 and memory.topics.join() == 0
    (joined,) = [t for t in memory.topics.all() if t.size > found[t.id].size]
    assert joined.terms[0] in BOAT and joined.size == 9 and joined.last_said_at > found[joined.id].last_said_at
    with pytest.raises(BadInput, match=r"pip install 'engramma\[topics\]'"):
        memory.topics.find()
    assert len(memory.topics.all()) == 3  # what was found before stays


def test_joining_before_anything_was_found_does_nothing(memory):
    assert memory.topics.find() == [] and memory.topics.join() == 0
    fill(memory)
    assert memory.topics.join() == 0 and memory.topics.all() == []


def test_segments_without_edges_and_groups_of_two_are_in_no_topic(memory):
    fill(memory, (BREAD,))
    memory.remember_session("c", "alone", talk("Ben: quite another matter", day=50))
    for day in (51, 52):
        memory.remember_session("c", f"pair{day}", talk("Ben: lunar eclipse tonight", day=day))
    (topic,) = memory.topics.find()
    assert topic.size == 8 and len(memory.graph()[0]) == 11


def test_what_is_retired_or_forgotten_leaves_at_once_and_comes_back_with_an_undo(memory):
    fill(memory)
    found = memory.topics.find()
    gone = [known_key(memory._core, s.id) for s in memory.topics.get(found[0].id)[1][:2]]
    with memory._core.store.transaction():
        memory._core.store.set_states({gone[0]: RETIRED, gone[1]: 4})
    assert {t.id: t.size for t in memory.topics.all()}[found[0].id] == 6
    assert not set(gone) & set(memory._core.store.keys("keys_of_topic", topic=found[0].id).tolist())
    with memory._core.store.transaction():
        memory._core.store.set_states(dict.fromkeys(gone, 0))
    assert memory.topics.all() == found
    with memory._core.store.transaction():
        memory._core.store.set_states(dict.fromkeys(gone, RETIRED))
    assert {t.id: t.size for t in memory.topics.find()}[found[0].id] == 6
    assert not set(gone) & {row["key"] for row in memory._core.store.all("topic_members_all")}


def test_a_topic_whose_segments_are_gone_is_gone(memory):
    fill(memory)
    first, *others = memory.topics.find()
    with memory._core.store.transaction():
        memory._core.store.set_states(
            dict.fromkeys(memory._core.store.keys("keys_of_topic", topic=first.id).tolist(), RETIRED)
        )
    assert [t.id for t in memory.topics.all()] == [t.id for t in others] and memory.topics.get(first.id) is None
    memory.topics.find()
    assert memory._core.store.all("topics_by_keys", keys=json.dumps(list(range(100)))) != []
    fill(memory, (("tulip", "garden", "spade", "compost", "hedge", "seedling"),), range(30, 36))
    assert first.id not in {t.id for t in memory.topics.find()}  # a number is never given twice


def test_typed_links_hold_topics_together(memory):
    lines = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta"]
    for place, line in enumerate(lines):
        memory.remember_session("c", line, talk(f"Ana: {line} {line}s", day=place))
    assert memory.topics.find() == []
    keys = [known_key(memory._core, f"seg_c/{line}_0") for line in lines]
    with memory._core.store.transaction():
        for one, other in ((0, 1), (1, 2), (0, 2)):
            memory._core.store.run("edge_put", src=keys[one], kind="supports", dst=keys[other], weight=0.9)
    (topic,) = memory.topics.find()
    assert {s.session_id for s in memory.topics.get(topic.id)[1]} == {"alpha", "beta", "gamma"}


def test_speakers_are_not_topics_and_words_are_shown_as_written(memory):
    for day in range(6):
        line = f"Ana: Ben bakes the LGBTQ cakes, and Ben's cake number{day} for Potter"
        memory.remember_session("c", f"s{day}", talk(line, "Ben: thanks", day=day))
    found = [t for t in memory.topics.find() if "LGBTQ" in t.terms]
    (topic,) = found
    assert {"LGBTQ", "Potter"} <= set(topic.terms) and {"cake", "cakes"} & set(topic.terms)
    assert not {"Ben", "ben", "Ana", "ana", "the"} & set(topic.terms)


def test_everyday_words_name_no_topic_where_others_do(memory):
    for n in range(4):
        lines = (f"Ann: Good day, the kiln looks fine today, try {n}.", f"Ben: Day {n}: send me the kiln picture.")
        memory.remember_session(f"k{n}", "s", talk(*lines, day=n, prefix=f"k{n}"))
    names = " ".join(topic.name for topic in memory.topics.find())
    assert "kiln" in names
    assert not {"day", "good", "looks", "today", "try", "send"} & set(names.lower().replace(",", "").split())


def test_a_name_holds_no_word_of_what_is_gone(memory):
    fill(memory, (BREAD,))
    for day in range(20, 23):
        memory.remember_session("c", f"secret{day}", talk(about(BREAD, day) + " zanzibar zanzibar", day=day))
    (topic,) = memory.topics.find()
    with memory._core.store.transaction():
        for day in range(20, 23):
            memory._core.store.remove_segment(known_key(memory._core, f"seg_c/secret{day}_0"))
        name_again(memory._core.store, [topic.id])
    (after,) = memory.topics.all()
    assert after.id == topic.id and "zanzibar" not in after.name and set(after.terms) <= set(BREAD)


def test_namespaces_have_topics_of_their_own(memory, tmp_path):
    fill(memory, (BREAD, BOAT))
    found = memory.topics.find()
    with Memory.open(tmp_path / "store", "other", embedder=HashEmbedder()) as other:
        assert other.topics.all() == [] and other.topics.get(found[0].id) is None
        assert len(other._core.store.keys("keys_of_topic", topic=found[0].id)) == 0
        fill(other, (CHESS,))
        (own,) = other.topics.find()
        assert set(own.terms) <= set(CHESS) and own.id not in {t.id for t in found}
        assert memory.topics.all() == found and memory.topics.get(own.id) is None


@pytest.mark.parametrize("wrong", ["1", 0, -3, 2**63, True, None, 1.0])
def test_an_id_that_cannot_be_is_refused(memory, wrong):
    with pytest.raises(BadInput, match="whole number above 0"):
        memory.topics.get(wrong)


def test_per_topic_lets_other_topics_in(memory):
    fill(memory)
    memory.topics.find()
    plan = replace(RECIPES["vector"], per_topic=2)
    query = "sourdough starter flour oven crust anchor gambit"
    topic_of = {s.id: t.id for t in memory.topics.all() for s in memory.topics.get(t.id)[1]}
    plain = [topic_of[c.segment_id] for c in memory.recall(query, 6, "vector").entries]
    spread = [topic_of[c.segment_id] for c in memory.recall(query, 6, plan).entries]
    assert max(map(plain.count, plain)) > 2 and len(spread) == 6
    assert sorted(map(spread.count, set(spread))) == [2, 2, 2]
    many = memory.recall(query, 24, plan).entries
    assert len(many) == 24  # what stands behind is still there
    assert [c.segment_id for c in many[:6]] == [c.segment_id for c in memory.recall(query, 6, plan).entries]
    scores = [c.score for c in many[:6]]
    assert scores == sorted(scores, reverse=True)


def test_per_topic_must_be_a_whole_number(memory):
    with pytest.raises(BadInput, match="per_topic must be a whole number from 1"):
        memory.recall("x", recipe=replace(RECIPES["vector"], per_topic=0))


@pytest.mark.not_on("postgres", "encrypted")
def test_the_command_line_finds_lists_and_shows(memory, tmp_path):
    def run(*arguments: object) -> subprocess.CompletedProcess[str]:
        return ran("--store", tmp_path / "store", "topics", *arguments)

    fill(memory)
    nothing = run()
    assert nothing.stdout == "" and "engramma topics --find" in nothing.stderr
    lines = run("--find").stdout.splitlines()
    found = memory.topics.all()
    assert len(lines) == 3 and all(t.name in line and "█" * 20 in line for t, line in zip(found, lines, strict=True))
    assert "2026-01-05 – 2026-01-12" in lines[0]
    assert "and 2 more" in run("--limit", 1).stderr
    shown = run(found[0].id).stdout
    assert all(s.id in shown and s.text in shown for s in memory.topics.get(found[0].id)[1])
    listed = json.loads(run("--json").stdout)
    assert [t["id"] for t in listed] == [t.id for t in found] and listed[0]["strongest"] == list(found[0].strongest)
    assert len(json.loads(run(found[0].id, "--json").stdout)["segments"]) == 8
    wrong = run(99)
    assert wrong.returncode == 1 and "There is no topic 99" in wrong.stderr
    fill(memory, days=[60])
    assert "3 segments joined a topic" in run("--join").stderr


def test_topics_are_computed_so_an_export_that_is_imported_has_the_same(tmp_path):
    def found(memory):
        memory.topics.find()
        return [(one.name, sorted(part.id for part in memory.topics.get(one.id)[1])) for one in memory.topics.all()]

    with Memory.open(tmp_path / "a", embedder=HashEmbedder()) as memory:
        fill(memory)
        before = found(memory)
        (tmp_path / "export.jsonl").write_text("".join(memory.export()), encoding="utf-8")
    with Memory.open(tmp_path / "b", embedder=HashEmbedder()) as other:
        other.import_(tmp_path / "export.jsonl")
        assert found(other) == before and before
