"""An embedder that is away: words answer, what is said is stored, and all of it is embedded when it is back."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import pytest

from engramma import Memory, Turn
from engramma.admin.doctor import doctor
from engramma.admin.reindex import reindex
from engramma.admin.stats import compute_stats
from engramma.errors import EmbedderAway, EmbedderMismatch, ModelError
from engramma.ingest.backlog import NAME
from engramma.ingest.waiting_segments import finish_pending
from engramma.models import outage
from engramma.models.lazy import Identity, LazyEmbedder
from tests.conftest import talk
from tests.fakes import HashEmbedder

from .server import EmbeddingServer
from .states import DAYS, caught_up, recalled, remember_days, whole

pytestmark = pytest.mark.long

QUERY = "how did the violin lesson go"


@pytest.fixture(params=["ollama", "openai"])
def spec(request, embedding):
    return getattr(embedding, request.param)


def test_words_answer_and_say_so_while_the_server_is_stopped(tmp_path, embedding, spec):
    with Memory.open(tmp_path, embedder=spec) as memory:
        remember_days(memory, range(DAYS))
    embedding.stop()
    with Memory.open(tmp_path) as memory:
        for recipe in ("default", "pmg", "pocketpaw", "pgmemory", "takizen", "vector"):
            found = memory.recall(QUERY, recipe=recipe)
            assert "violin" in found.entries[0].text
            assert embedding.base in found.trace.degraded
            assert any("words only" in note for note in found.trace.notes)
    embedding.start()
    with Memory.open(tmp_path) as memory:
        until_embedded(memory)


def until_embedded(memory: Memory) -> None:
    """It recovers by itself: a try that failed at once is followed by another within a second or two."""
    deadline = time.monotonic() + 30
    while memory.recall(QUERY).trace.degraded is not None:
        assert time.monotonic() < deadline


def test_bm25_never_asks_the_embedder(tmp_path, embedding, spec):
    with Memory.open(tmp_path, embedder=spec) as memory:
        remember_days(memory, range(2))
        before = recalled(memory, QUERY, "bm25")
    asked = embedding.asked
    with Memory.open(tmp_path) as memory:
        found = memory.recall(QUERY, recipe="bm25", active_context=["Ann: a violin lesson"])
        assert [(c.segment_id, c.score) for c in found.candidates] == before
        assert found.trace.degraded is None
    assert embedding.asked == asked


def test_what_is_said_in_an_outage_is_stored_found_by_words_and_chained(tmp_path, embedding, spec):
    with Memory.open(tmp_path, embedder=spec) as memory:
        remember_days(memory, range(3))
    embedding.stop()
    with Memory.open(tmp_path) as memory:
        report = memory.remember_session("talk9", "s9", talk("Ann: the quince jelly is ready", "Ben: quince it is"))
        assert (report.turns, report.waiting) == (2, report.segments)
        assert report.edges == 2 * (report.segments - 1)
        with memory.session("live", "one") as live:
            live.add("Ann", "a walrus came by the pier")
        note = memory.remember("The walrus is called Otto.")
        assert note.is_new and note.is_waiting
        assert "quince" in memory.recall("quince jelly").entries[0].text
        assert {"Otto" in c.text for c in memory.recall("walrus Otto", k=1).entries} == {True}
        assert memory.backlog().segments == report.segments + 2
        assert (tmp_path / "archive" / "default" / "talk9" / "s9.txt").exists()
        assert {check.name for check in doctor(memory._core) if not check.ok} == {NAME, "embedder works"}


@pytest.mark.parametrize("rounds", [1, 3])
def test_after_catching_up_the_store_is_the_one_that_knew_no_outage(tmp_path, embedding, spec, rounds):
    with Memory.open(tmp_path / "steady", embedder=spec) as steady:
        remember_days(steady, range(DAYS))
        expected = whole(steady)
        asked = recalled(steady, QUERY)
    with Memory.open(tmp_path / "tried", embedder=spec) as memory:
        step = DAYS // (2 * rounds)
        for start in range(0, DAYS, 2 * step):
            remember_days(memory, range(start, start + step))
            embedding.stop()
            remember_days(memory, range(start + step, start + 2 * step))
            assert memory.backlog().segments
            embedding.start()
        assert recalled(memory, QUERY) != []  # embeds some in passing
        caught_up(memory)
        assert whole(memory) == expected
        assert recalled(memory, QUERY) == asked
        assert all(check.ok for check in doctor(memory._core))


def test_turns_said_one_by_one_over_an_outage_give_the_same_graph(tmp_path, embedding):
    def speak(memory: Memory, cut: bool) -> None:
        remember_days(memory, range(2))
        start = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
        with memory.session("chat", "c1") as live:
            for n in range(6):
                if cut and n in (1, 4):
                    embedding.stop()
                if cut and n == 3:
                    embedding.start()
                role = "user" if n % 2 == 0 else "assistant"
                live.add(role, f"the violin lesson, part {n}", start + timedelta(minutes=n), f"t{n}", role)
        if cut:
            embedding.start()

    with Memory.open(tmp_path / "steady", embedder=embedding.ollama) as steady:
        speak(steady, cut=False)
        expected = whole(steady)
    with Memory.open(tmp_path / "tried", embedder=embedding.ollama) as memory:
        speak(memory, cut=True)
        caught_up(memory)
        assert whole(memory) == expected


def test_a_closed_session_that_goes_on_in_an_outage_gives_the_same_graph(tmp_path, embedding):
    def speak(memory: Memory, cut: bool) -> None:
        remember_days(memory, range(3))
        first = talk("Ann: the crane again", "Ben: its cable", "Ann: greased", prefix="a")
        memory.remember_session("talk0", "grown", first)
        if cut:
            embedding.stop()
        memory.remember_session("talk0", "grown", [*first, *talk("Ben: and the violin", day=1, prefix="b")])
        if cut:
            embedding.start()

    with Memory.open(tmp_path / "steady", embedder=embedding.ollama) as steady:
        speak(steady, cut=False)
        expected = whole(steady)
    with Memory.open(tmp_path / "tried", embedder=embedding.ollama) as memory:
        speak(memory, cut=True)
        caught_up(memory)
        assert whole(memory) == expected


@pytest.mark.parametrize("mood", ["broken", "garbage", "mute", "drips"])
def test_an_unwell_server_costs_a_short_while_once(tmp_path, embedding, spec, mood, hurry):
    with Memory.open(tmp_path, embedder=spec) as memory:
        remember_days(memory, range(2))
        embedding.mood = mood
        began = time.monotonic()
        assert "violin" in memory.recall(QUERY).entries[0].text
        assert time.monotonic() - began < 3.0  # 0.6 s for the question; the rest is a loaded machine's
        asked = embedding.asked
        if mood != "garbage":  # which fails at once: asking again costs nothing
            for _ in range(3):
                assert memory.recall(QUERY).trace.degraded is not None
            assert embedding.asked == asked
        assert memory.remember("Stored all the same.").is_waiting
        embedding.mood = "well"
        outage.end_outage(tmp_path)  # it was slow: the next try would be a while later
        caught_up(memory)


def test_one_process_keeps_others_from_waiting(tmp_path, embedding, hurry):
    with Memory.open(tmp_path, embedder=embedding.ollama) as memory:
        remember_days(memory, range(2))
        embedding.mood = "mute"
        memory.recall(QUERY)
    asked = embedding.asked
    with Memory.open(tmp_path) as other:
        assert other.recall(QUERY).trace.degraded is not None
    assert embedding.asked == asked


def test_a_refused_connection_is_tried_again_soon(tmp_path, embedding):
    with Memory.open(tmp_path, embedder=embedding.ollama) as memory:
        remember_days(memory, range(2))
        embedding.stop()
        assert memory.recall(QUERY).trace.degraded is not None
        embedding.start()
        until_embedded(memory)
        assert memory.backlog().away_since is None


def test_a_new_store_takes_notes_before_its_embedder_was_ever_reached(tmp_path, embedding, spec):
    embedding.stop()
    with Memory.open(tmp_path, embedder=spec) as memory:
        assert memory.remember("The first note of all.").is_waiting
        memory.remember_session("talk", "s1", talk("Ann: a first session", "Ben: indeed"))
        assert memory.recall("first note").entries
        assert compute_stats(memory._core)["backlog"]["segments"] == 3
    with Memory.open(tmp_path) as memory:  # the store knows whom to ask, nobody else has to say it
        assert memory.recall("first session", recipe="bm25").entries
        embedding.start()
        caught_up(memory)
        assert memory.recall("first session").trace.degraded is None
        assert compute_stats(memory._core)["embedder"]["dimension"] == embedding.model.dimension
        assert all(check.ok for check in doctor(memory._core))


def test_nothing_that_does_not_embed_needs_the_server(tmp_path, embedding, spec):
    with Memory.open(tmp_path / "a", embedder=spec) as memory:
        remember_days(memory, range(3))
        memory._core.thresholds(memory._core.default_plan)
    embedding.stop()
    asked = embedding.asked
    with Memory.open(tmp_path / "a") as memory:
        assert compute_stats(memory._core)["turns"] == 9
        assert len(memory.sessions()) == 3
        assert memory.turns("talk0", "s0")
        assert list(memory.conversations())
        assert memory.forget(speaker="Ben").turns == 3
        assert memory.purge(conversation="talk1").turns
        assert doctor(memory._core)
    assert embedding.asked == asked


def test_another_server_in_the_place_of_the_stores_gets_nothing(tmp_path, embedding):
    other = EmbeddingServer().start()
    try:
        with Memory.open(tmp_path, embedder=embedding.openai) as memory:
            remember_days(memory, range(2))
        embedding.stop()
        with pytest.raises(EmbedderMismatch):
            Memory.open(tmp_path, embedder=other.openai)
        asked = list(other.texts)
        with Memory.open(tmp_path) as memory:
            memory.remember("A secret of this store.")
            memory.recall("secret")
            finish_pending(memory._core)
        assert other.texts == asked == ["dimension"]
    finally:
        other.stop()


def test_a_name_that_means_no_model_is_refused(tmp_path):
    with pytest.raises(ModelError, match="there is no embedder"):
        Memory.open(tmp_path, embedder="nonsense")


def test_one_text_that_the_server_refuses_keeps_no_other_waiting(tmp_path, embedding):
    with Memory.open(tmp_path, embedder=embedding.ollama) as memory:
        remember_days(memory, range(1))
        embedding.poison = "ZZZ"
        memory.remember_session("talk", "bad", [Turn("Ann", "ZZZ is too much", datetime(2026, 5, 1, tzinfo=UTC))])
        embedding.stop()
        memory.remember_session("talk", "good", [Turn("Ann", "fine words", datetime(2026, 5, 2, tzinfo=UTC))])
        embedding.start()
        outage.end_outage(tmp_path)
        finish_pending(memory._core)
        assert memory.backlog().segments == 1
        assert memory.backlog().away_since is None
        assert "ZZZ" in memory.recall("ZZZ too much", recipe="bm25").entries[0].text
        embedding.poison = ""
        caught_up(memory)


def test_reindex_and_doctor_embed_what_waits(tmp_path, embedding):
    with Memory.open(tmp_path, embedder=embedding.ollama) as memory:
        remember_days(memory, range(2))
        embedding.stop()
        memory.remember("One that waits.")
        live = memory.session("open", "o1")
        live.add("Ann", "an open session waits, too")
        embedding.start()
        from engramma.models.load import load

        reindex(memory._core, load(embedding.ollama), embedding.ollama)
        assert memory.backlog().segments == 0
        embedding.stop()
        memory.remember("Another that waits for long.")
        assert memory.backlog().segments == 1
        embedding.start()
        assert all(check.ok for check in doctor(memory._core, fix=True))
        assert memory.backlog().segments == 0


def test_what_one_model_failed_at_keeps_nobody_from_another(tmp_path):
    outage.note_outage(tmp_path, "one", "out of memory", 6.0)
    noted = outage.read_outage(tmp_path)
    assert noted is not None and noted.embedder == "one" and not noted.is_over(noted.tried + 1)
    tried = []

    def load():
        tried.append(True)
        return HashEmbedder()

    def lazy(name):
        return LazyEmbedder(
            name, None, load, lambda model: Identity(name, model.sha256, model.dimension, 0.4), tmp_path
        )

    with pytest.raises(EmbedderAway, match="out of memory"):
        lazy("one").reach()
    lazy("another").reach()
    assert tried == [True]
