"""What a caller of Memory may rely on."""

from __future__ import annotations

import shutil
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest

from engramma import BadInput, BadTurn, EmbedderMismatch, Memory, SessionClosed, Turn
from engramma.admin.doctor import doctor
from engramma.recall.recipes import RECIPES
from engramma.transfer.export import export_lines
from tests.conftest import START, talk
from tests.fakes import HashEmbedder

pytestmark = pytest.mark.on("postgres", "encrypted")


def healthy(memory):
    return [check for check in doctor(memory._core) if not check.ok] == []


def test_what_was_said_comes_back_word_for_word_under_the_callers_ids(memory):
    odd = "  two\r\nlines\tand\u2028more \U0001f600 “quoted” {json} \\n "
    memory.remember_session("any id/with % signs", "s 1", [Turn("Ana María", odd, START, "D1:1 ✓")])
    (turn,) = memory.turns("any id/with % signs", "s 1")
    assert (turn.speaker, turn.text, turn.said_at, turn.id) == ("Ana María", odd, START, "D1:1 ✓")
    (found,) = memory.recall("two lines", recipe="vector").candidates
    assert found.turn_ids == ("D1:1 ✓",) and found.text == odd and found.speakers == ("Ana María",)


def test_the_same_turns_again_change_nothing_and_more_turns_extend(memory):
    turns = talk("Ana: I have a cat", "Ben: I have a dog", "Ana: and a bird")
    first = memory.remember_session("c", "s", turns[:2])
    assert (first.turns, first.segments) == (2, 2)
    again = memory.remember_session("c", "s", turns[:2])
    assert (again.turns, again.edges, again.known_turns) == (0, 0, 2)
    more = memory.remember_session("c", "s", turns)
    assert (more.turns, more.known_turns) == (1, 2)
    only_new = memory.remember_session("c", "s", talk("Ben: a fish", day=1, prefix="x"))
    assert only_new.turns == 1 and len(memory.turns("c", "s")) == 4
    assert healthy(memory)


def test_roles_are_inferred_and_an_exchange_is_one_segment(memory):
    memory.remember_session("c", "s", talk("user: what is a cat", "assistant: a small animal", "user: thanks"))
    assert [t.role for t in memory.turns("c", "s")] == ["user", "assistant", "user"]
    found = memory.recall("cat", k=1, recipe="vector").candidates[0]
    assert found.turn_ids == ("t1", "t2") and found.speakers == ("user", "assistant")
    assert found.text == "user: what is a cat\nassistant: a small animal"


def test_an_answer_that_comes_later_joins_its_question(memory):
    memory.remember_session("c", "old", talk("user: tell me of trains", "assistant: trains are long"))
    with memory.session("c", "live") as live:
        live.add("user", "how long are trains", START + timedelta(days=1))
        live.add("assistant", "quite long", START + timedelta(days=1, seconds=5))
    segments, _ = memory.graph()
    assert [s.turn_ids for s in segments if s.session_id == "live"] and len(segments) == 2
    memory.remember_session(
        "c", "live", [Turn("assistant", "trains can be 2 km", START + timedelta(days=1, seconds=9), "late")]
    )
    segments, _ = memory.graph()
    assert len(segments) == 2 and segments[1].turn_ids[-1] == "late"
    assert healthy(memory)


def test_times_with_any_offset_are_kept_as_the_same_instant(memory):
    local = datetime(2026, 3, 1, 1, 30, tzinfo=timezone(timedelta(hours=9)))
    memory.remember_session(
        "c", "s", [Turn("Ana", "hi", local, "a"), Turn("Ana", "ho", "2026-03-01T02:00:00+09:00", "b")]
    )
    assert [t.said_at for t in memory.turns("c", "s")] == [local, datetime(2026, 2, 28, 17, 0, tzinfo=UTC)]


def test_turns_without_ids_get_stable_ones(memory):
    turns = [Turn("Ana", "same words", START), Turn("Ana", "same words", START)]
    memory.remember_session("c", "s", turns)
    memory.remember_session("c", "s", turns)
    assert len({t.id for t in memory.turns("c", "s")}) == 2


def test_the_same_id_with_other_words_is_refused_and_the_first_words_stay(memory):
    memory.remember_session("c", "s", talk("Ana: yes"))
    with pytest.raises(BadTurn, match="never rewritten"):
        memory.remember_session("c", "s", talk("Ana: no"))
    assert memory.turns("c", "s")[0].text == "yes"


def test_a_closed_session_object_takes_no_more_but_can_be_opened_again(memory):
    live = memory.session("c", "s")
    live.add("Ana", "one", START)
    live.close()
    live.close()
    with pytest.raises(SessionClosed, match="Open it again"):
        live.add("Ana", "two", START)
    again = memory.session("c", "s")
    again.add("Ana", "two", START + timedelta(minutes=1))
    again.close()
    assert [t.text for t in memory.turns("c", "s")] == ["one", "two"]
    assert healthy(memory)


def test_silence_ends_a_sitting(memory):
    live = memory.session("c")
    live.add("Ana", "morning", START)
    live.add("Ana", "still here", START + timedelta(minutes=20))
    live.add("Ana", "evening", START + timedelta(hours=9))
    sizes = [(row.turns, row.closed) for row in memory.sessions()]
    assert sizes == [(2, 1), (1, 0)]
    continued = memory.session("c")
    continued.add("Ana", "and still evening", START + timedelta(hours=9, minutes=5))
    assert continued.id == live.id


def test_idle_sessions_are_closed_on_request(memory):
    memory.session("c", "old").add("Ana", "hi", START)
    memory.session("c", "new").add("Ana", "ho", START + timedelta(hours=5))
    memory.close_idle(now=datetime.min.replace(tzinfo=UTC))
    assert not any(row.closed for row in memory.sessions())
    memory.close_idle(now=START + timedelta(hours=5, minutes=10))
    assert {row.id: row.closed for row in memory.sessions()} == {"old": 1, "new": 0}


def test_a_session_that_a_clock_gone_wrong_left_far_ahead_is_closed_and_the_talk_goes_on(memory):
    memory.session("c").add("Ana", "hi", datetime(2250, 1, 1, tzinfo=UTC))
    memory.close_idle(now=START)
    memory.session("c").add("Ana", "ho", START)
    assert [(row.turns, row.closed) for row in memory.sessions()] == [(1, 0), (1, 1)]


def test_recall_can_be_kept_to_one_conversation(memory):
    memory.remember_session("a", "s", talk("Ana: my cat is grey", "Ana: he sleeps"))
    memory.remember_session("b", "s", talk("Ben: my cat is black", day=1))
    for recipe in ("vector", "pmg", "default"):
        found = memory.recall("cat is", recipe=recipe, conversation="b").candidates
        assert {c.conversation_id for c in found} == {"b"}
    assert memory.recall("cat", recipe="vector", conversation="nobody").candidates == ()


def test_namespaces_do_not_see_each_other(tmp_path):
    for name in ("mine", "yours"):
        with Memory.open(tmp_path / "s", name, embedder=HashEmbedder()) as memory:
            memory.remember_session("c", "s", talk(f"Ana: the secret of {name}"))
    with Memory.open(tmp_path / "s", "mine", embedder=HashEmbedder()) as memory:
        assert [c.text for c in memory.recall("the secret of yours", recipe="vector").candidates] == [
            "the secret of mine"
        ]
        assert "yours" not in "".join(export_lines(memory._core))
        assert memory.graph()[1] == []


def test_namespaces_with_the_same_words_do_not_see_each_other(tmp_path):
    """By words, meaning, names or times: another namespace neither shows up nor changes a score."""
    lines = ("Ana: the red train to Lisbon leaves in March", "Ben: I will bring soup", "Ana: soup on a train")
    question = "the red train to Lisbon leaves in March, with soup for Ana"
    plans = (*RECIPES.values(), *(replace(RECIPES[name], thresholds="none") for name in ("default", "pmg")))

    def asked():
        with Memory.open(tmp_path / "s", "mine", embedder=HashEmbedder()) as memory:
            return [memory.recall(question, recipe=plan).candidates for plan in plans]

    with Memory.open(tmp_path / "s", "mine", embedder=HashEmbedder()) as memory:
        memory.remember_session("c", "mine", talk(*lines))
    alone = asked()
    assert all(alone)
    with Memory.open(tmp_path / "s", "yours", embedder=HashEmbedder()) as memory:
        for day in range(5):
            memory.remember_session("c", f"yours{day}", talk(*lines, day=day))
    assert asked() == alone


def test_a_store_refuses_another_embedder_and_says_how_to_change(tmp_path):
    with Memory.open(tmp_path / "s", embedder=HashEmbedder()) as memory:
        memory.remember_session("c", "s", talk("Ana: hello"))
    with pytest.raises(EmbedderMismatch, match="engramma reindex"):
        Memory.open(tmp_path / "s", embedder=HashEmbedder("other"))


@pytest.mark.not_on("postgres")
def test_a_copied_directory_is_the_same_memory(tmp_path):
    with Memory.open(tmp_path / "s", embedder=HashEmbedder()) as memory:
        memory.remember_session("c", "a", talk("Ana: trains are slow", "Ben: they are"))
        memory.remember_session("c", "b", talk("Ana: trains are slow today", day=3))
        before = memory.recall("slow trains", recipe="pmg")
    shutil.copytree(tmp_path / "s", tmp_path / "copy")
    with Memory.open(tmp_path / "copy", embedder=HashEmbedder()) as memory:
        after = memory.recall("slow trains", recipe="pmg")
    assert (after.context, after.candidates) == (before.context, before.candidates)


@pytest.mark.not_on("encrypted")
def test_a_closed_session_is_archived_as_text_people_can_read(memory):
    memory.remember_session("Talk/1", "s", talk("Ana: first line\nsecond line"))
    (path,) = (memory.path / "archive").rglob("*.txt")
    text = path.read_text(encoding="utf-8")
    assert "conversation: Talk/1" in text and "Ana <t1>\nfirst line\nsecond line\n" in text


@pytest.mark.not_on("encrypted")
def test_doctor_rewrites_a_damaged_archive_file(memory):
    memory.remember_session("c", "s", talk("Ana: hello"))
    (path,) = (memory.path / "archive").rglob("*.txt")
    path.write_text("scribble", encoding="utf-8")
    assert not healthy(memory)
    assert [c for c in doctor(memory._core, fix=True) if not c.ok] == []
    assert "hello" in path.read_text(encoding="utf-8")


def test_an_empty_memory_says_so(memory):
    found = memory.recall("anything")
    assert found.candidates == () and found.context == "No memory matches this."
    assert healthy(memory)


def test_bad_bounds_are_refused(memory):
    for k in (0, -1, 10**9, "3"):
        with pytest.raises(BadInput):
            memory.recall("x", k=k)
    with pytest.raises(BadInput):
        memory.recall("   ")


def test_a_query_of_100_000_characters_is_answered_with_a_note(memory):
    memory.remember_session("c", "s", talk("Ana: cats and dogs"))
    found = memory.recall("cats and dogs " * 8000, recipe="vector")
    assert len(found.candidates) == 1 and "characters" in found.trace.notes[0]


@pytest.mark.parametrize("conversation", [None, "c"])
@pytest.mark.parametrize(
    ("recipe", "stage"), [("vector", "nearest_entries"), ("pgmemory", "fused_entries"), ("default", "fused_entries")]
)
def test_a_segment_replaced_during_a_recall_is_still_found(tmp_path, monkeypatch, conversation, recipe, stage):
    """Another process joins an answer to its question just between catching up and searching."""
    from engramma.recall import pipeline

    embedder = HashEmbedder()
    question = Turn("user", "where are the keys", START, "q")
    answer = Turn("assistant", "in the blue bowl", START + timedelta(seconds=5), "a")
    search = getattr(pipeline, stage)
    with (
        Memory.open(tmp_path / "s", embedder=embedder) as reader,
        Memory.open(tmp_path / "s", embedder=embedder) as writer,
    ):
        writer.remember_session("c", "s", [question], close=False)

        def interrupted(*arguments):
            writer.remember_session("c", "s", [question, answer], close=False)
            return search(*arguments)

        monkeypatch.setattr(pipeline, stage, interrupted)
        found = reader.recall("where are the keys", recipe=recipe, conversation=conversation)
        assert [c.turn_ids[0] for c in found.candidates] == ["q"]
        monkeypatch.setattr(pipeline, stage, search)
        assert reader.recall("keys", recipe=recipe).candidates[0].turn_ids == ("q", "a")


def test_a_title_is_kept_up_to_a_length_and_without_half_a_secret(tmp_path):
    secret = "AKIA" + "QX7RZ2WLM4TB9DKP"
    with Memory.open(tmp_path / "store", embedder=HashEmbedder()) as memory:
        title = "How do I boil an egg? " * 13 + secret + " and then some more words"
        memory.remember_session("c", "s", [Turn("Ann", "Six minutes.", START, "t1")], title=title)
        (row,) = memory.sessions()
        assert row.title.startswith("How do I boil an egg? How") and row.title.endswith("…") and len(row.title) <= 300
        assert secret[:8] not in row.title
