"""What is kept of segments' words between recalls changes nothing: not after writes, forgetting, purging or masking by
another process, not across namespaces, and not for who looks at another day."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from engramma import Config, Memory, Turn
from engramma.core import place_table
from engramma.recall import text_evidence
from tests.conftest import talk
from tests.fakes import HashEmbedder

pytestmark = pytest.mark.on("postgres", "encrypted")

QUESTIONS = (
    "What did Ada say about the kiln?",
    "When did Ben buy the glaze?",
    "Who of them has a cat, and is it always hungry?",
    "How hot was the kiln on day 3?",
    "What about Überraschung und 猫?",
)
SAID = (
    "Ada: The kiln was hot, and the glaze ran on day {n}",
    "Ben: Did you buy the glaze yesterday?",
    "Ada: No, Ben_ has it; from now on, always ask Ben about it",
    "Cleo: My cat sleeps beside the kiln {n}. Eine Überraschung!",
    "Ben: 猫が好き and the cat is hungry",
    "Ada: We fired forty bowls in October",
)


@pytest.fixture
def pair(tmp_path):
    """One memory that recalls and one, of another process as far as it knows, that writes."""
    embedder = HashEmbedder()
    with (
        Memory.open(tmp_path / "m", embedder=embedder) as reader,
        Memory.open(tmp_path / "m", embedder=embedder) as writer,
    ):
        for n in range(6):
            lines = [line.format(n=n) for line in SAID]
            writer.remember_session(f"talk {n % 2}", f"day {n}", talk(*lines, day=n, prefix=f"{n}-"))
        writer.remember_session("chat", "one", chat())
        yield reader, writer


def chat():
    at = datetime(2024, 3, 20, tzinfo=UTC)
    lines = (("user", "Always answer in French. How is the kiln?"), ("assistant", "The kiln is hot. " * 9))
    return [Turn(speaker, text, at + timedelta(minutes=n), f"c{n}") for n, (speaker, text) in enumerate(lines * 3)]


def shown(memory, **bounds):
    found = [memory.recall(question, **bounds) for question in QUESTIONS]
    return [(one.candidates, one.context) for one in found]


def holds(memory, **bounds):
    """Hold what a warm memory finds against one that keeps nothing."""
    warm = [shown(memory, **bounds) for _ in range(3)][-1]
    assert memory._core.places._table is not None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(place_table, "MOST_KEPT", -1)
        assert shown(memory, **bounds) == warm
    return warm


def learnt(memory):
    return memory._core.places._table.learnt


def test_a_kept_namespace_finds_what_a_read_one_does(pair):
    reader, _ = pair
    holds(reader)
    assert len(learnt(reader).by_segment) > 20 and learnt(reader).by_session
    assert not any(isinstance(part, str) for one in learnt(reader).by_segment.values() for part in one)


def test_bounds_and_other_days_find_the_same(pair):
    reader, _ = pair
    day = datetime(2024, 3, 4, tzinfo=UTC)
    for bounds in (
        {"speaker": "Ada"},
        {"until": day},
        {"as_of": day},
        {"archived": True},
        {"budget_tokens": 200},
        {"active_context": ["The kiln was hot"]},
        {"conversation": "talk 1"},
        {"recipe": "best"},
    ):
        holds(reader, **bounds)


def test_what_another_process_writes_forgets_and_purges_is_followed(pair):
    reader, writer = pair
    before = holds(reader)
    writer.remember_session("talk 1", "day 9", talk("Ada: The kiln is cold", "Dan: So is the glaze", day=9, prefix="n"))
    assert holds(reader) != before
    act = writer.forget(query="hungry").act
    forgotten = holds(reader)
    writer.undo(act)
    assert holds(reader) != forgotten
    gone = [key for key in learnt(reader).by_segment if key > 0]
    writer.purge(query="glaze ran")
    purged = holds(reader)
    assert not any("glaze ran" in one.text for found, _ in purged for one in found)
    assert set(gone) - learnt(reader).by_segment.keys()


def test_a_purge_takes_the_words_that_are_kept_with_it(pair):
    reader, _ = pair
    holds(reader)
    assert "überraschung" in learnt(reader).shelf[text_evidence.BOOK].words
    reader.purge(query="Eine Überraschung")
    holds(reader)
    assert "kiln" in learnt(reader).shelf[text_evidence.BOOK].words
    assert "überraschung" not in learnt(reader).shelf[text_evidence.BOOK].words


def test_what_another_process_masks_is_read_again(tmp_path):
    embedder, secret = HashEmbedder(), "AKIA" + "QX7RZ2WLM4TB9DKP"
    with Memory.open(tmp_path / "m", embedder=embedder, config=Config(redact={"enabled": False})) as reader:
        lines = ("Ada: The kiln's key is here", f"Ben: Which, {secret}?", "Ada: Yes, of the kiln", "Ben: All is well")
        reader.remember_session("c", "s", talk(*lines, prefix="a"))
        before = holds(reader)
        assert any(secret in context for _, context in before)
        known = dict(learnt(reader).by_segment)
        with Memory.open(tmp_path / "m", embedder=embedder) as masking:
            masking.redact_stored(apply=True)
        after = holds(reader)
        assert not any(secret in context for _, context in after)
        assert any(learnt(reader).by_segment.get(key) is not one for key, one in known.items())


def test_a_namespace_learns_nothing_of_another(tmp_path):
    embedder = HashEmbedder()
    with (
        Memory.open(tmp_path / "m", "one", embedder=embedder) as one,
        Memory.open(tmp_path / "m", "two", embedder=embedder) as two,
    ):
        one.remember_session("c", "s", talk("Ada: Of the kiln", "Ben: And glaze", "Ada: And more", prefix="a"))
        two.remember_session("c", "s", talk("Ada: Of the cat", "Ben: And milk", "Ada: And more", prefix="b"))
        for memory in (one, two, one, two):
            holds(memory)
        assert not learnt(one).by_segment.keys() & learnt(two).by_segment.keys()
        assert "kiln" not in learnt(two).shelf[text_evidence.BOOK].words


def test_a_full_book_begins_anew_and_finds_the_same(pair, monkeypatch):
    reader, _ = pair
    before = holds(reader)
    monkeypatch.setattr(text_evidence, "MOST_WORDS", 5)
    learnt(reader).shelf.clear()
    for _ in range(4):
        assert shown(reader) == before
    assert len(learnt(reader).shelf[text_evidence.BOOK].words) < 200


def test_words_so_faint_that_they_round_to_nothing_rank_as_before(pair):
    reader, _ = pair
    for question in ("kiln", "the kiln and the glaze of Ada and Ben", "hungry cat"):
        warm = [reader.recall(question) for _ in range(3)][-1]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(place_table, "MOST_KEPT", -1)
            assert reader.recall(question).candidates == warm.candidates
