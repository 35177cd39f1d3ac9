"""Questions that cannot be answered as asked are refused with a reason, or answered with a note."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from engramma import BadInput, Memory, UnknownRecipe
from engramma.recall.recipes import RECIPES
from tests.bad_input.conftest import nothing_lost, with_pixel
from tests.conftest import talk
from tests.fakes import HashEmbedder

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """As `kept`, for all who only ask: each of them makes sure that nothing has changed."""
    with Memory.open(tmp_path_factory.mktemp("asked"), embedder=HashEmbedder()) as memory:
        yield with_pixel(memory)


@pytest.fixture(scope="module")
def empty(tmp_path_factory):
    """A memory without a turn, for all who only ask."""
    with Memory.open(tmp_path_factory.mktemp("empty"), embedder=HashEmbedder()) as memory:
        yield memory


def test_a_query_behind_a_page_of_blanks_is_asked(asked):
    assert asked.ask("\n" * 20_000 + "where is the cat Pixel?").evidence
    assert asked.recall("\n" * 20_000 + "where is the cat Pixel?", recipe="vector").candidates


def test_blanks_within_a_question_are_read_at_once(asked):
    """A minute and more with patterns that go through a row of blanks from each of them."""
    for begin in ("Who is my cat", "What is my cat called", "Where is Pixel", "Is Pixel with Ana"):
        assert asked.ask(begin + " " * 19_000 + "x").verdict
        assert asked.ask(begin + "\n" * 19_000 + "?").verdict


def test_a_query_of_100_000_characters_is_answered_with_a_note(asked):
    with nothing_lost(asked):
        found = asked.recall("where is the cat Pixel " + "and so on " * 10_000, recipe="vector")
    assert found.candidates and "100,023 characters; the first 20,000 were used" in found.trace.notes[0]


@pytest.mark.parametrize("query", ["", "   ", "\n\t", None, 7, b"bytes"])
def test_an_empty_query_is_refused(asked, query):
    with nothing_lost(asked), pytest.raises(BadInput, match=r"query is empty. Ask something"):
        asked.recall(query)


@pytest.mark.parametrize("k", [0, -1, 10_001, 10**9, "3", 2.5])
def test_a_k_out_of_bounds_is_refused(asked, k):
    with nothing_lost(asked), pytest.raises(BadInput, match="k must be a number from 1 to 10,000, not"):
        asked.recall("Pixel", k=k)


@pytest.mark.parametrize("bound", [{"topic": 2**63}, {"topic": "1"}, {"topic": 1.5}, {"budget_tokens": "1"}])
def test_a_number_that_is_none_is_refused_on_every_engine(asked, bound):
    with nothing_lost(asked), pytest.raises(BadInput, match=r"whole number above 0|must be a number"):
        asked.recall("where is the cat Pixel?", **bound)
    with pytest.raises(BadInput, match="limit must be a number"):
        asked.acts.all(2**63)


def test_the_largest_k_brings_what_there_is(asked):
    assert len(asked.recall("Pixel", k=10_000, recipe="vector").candidates) == 3


@pytest.mark.parametrize("recipe", ["", "magic", "Default", None, 3])
def test_an_unknown_recipe_is_refused_with_the_known_ones(asked, recipe):
    with (
        nothing_lost(asked),
        pytest.raises(UnknownRecipe, match=f"Known: {', '.join(RECIPES)}"),
    ):
        asked.recall("Pixel", recipe=recipe)


@pytest.mark.parametrize("query", ["Pixel \ud83d", "Pixel \0", "\udcff"])
def test_characters_that_cannot_be_written_do_not_keep_a_query_from_being_answered(asked, query):
    with nothing_lost(asked):
        assert asked.recall(query, recipe="vector").candidates


NO_FLOOR = replace(RECIPES["default"], thresholds="none")  # what `default` does when it answers
PLANS = {**RECIPES, "default without a floor": NO_FLOOR}
HOSTILE = {
    "operators of full text search": "cat AND OR NOT NEAR(pixel roof, 5) * ^ col:pixel {a b} : +name -fine",
    "an unfinished phrase": 'pixel "unfinished',
    "quotes": "\"'`\"\"'' \"pixel\" 'roof'",
    "SQL": "'; DROP TABLE turns; -- Pixel",
    "emoji": "😀👩‍👩‍👧🇵🇹",
    "only punctuation": '?!... --- ((( ;;; """ ***',
    "only function words": "what is it that you have been and who are they",
    "a NUL inside": "where\0is\0Pixel",
    "half a character": "Pixel \ud83d",
    "Chinese": "猫咪叫什么名字？昨天在屋顶上",
    "Thai": "แมวชื่ออะไร",
    "Arabic, with marks": "مَا اسْمُ القِطَّةِ؟",
    "accents without letters": "\u0301" * 500,
    "a word without end": "x" * 30_000,
    "100 kB of words": " ".join(f"word{number}" for number in range(12_000)),
    "100 kB of one word": "Pixel " * 17_000,
    "dates that are none": "on 99/99/9999, the 31st of February, year 0, 10^400 weeks ago and last last week",
    "the ends of the calendar": "in the year 1, in 9999, 9998 years ago, in 99999 days",
    "a form": "%s %d {0} {name} $1 \\x00 \\",
}


@pytest.mark.parametrize("recipe", PLANS.values(), ids=list(PLANS))
@pytest.mark.parametrize("query", HOSTILE.values(), ids=list(HOSTILE))
def test_no_query_breaks_a_recipe(asked, query, recipe):
    with nothing_lost(asked):
        found = asked.recall(query, recipe=recipe, active_context=["a fine name"])
    assert found.query == query and found.context
    assert all(0 <= rank.rank <= 100 for c in found.candidates for rank in c.channels.values())


@pytest.mark.parametrize("recipe", PLANS.values(), ids=list(PLANS))
@pytest.mark.parametrize("query", HOSTILE.values(), ids=list(HOSTILE))
def test_no_query_breaks_an_empty_memory(empty, query, recipe):
    assert empty.recall(query, recipe=recipe).candidates == ()


@pytest.mark.parametrize("recipe", PLANS.values(), ids=list(PLANS))
def test_a_memory_of_one_turn_answers(memory, recipe):
    memory.remember_session("c", "s", talk("Ana: Pixel"))
    for k in (1, 10_000):
        (only,) = memory.recall("Pixel", k=k, recipe=recipe).candidates
        assert only.text == "Pixel" and only.channels


@pytest.mark.parametrize("recipe", PLANS.values(), ids=list(PLANS))
def test_bounds_that_leave_nothing_give_nothing(kept, recipe):
    assert kept.recall("Pixel", recipe=recipe, conversation="nobody's").candidates == ()
    kept.remember_session("alone", "now", talk("Ana: Pixel again", day=2))
    assert kept.recall("Pixel", recipe=recipe, conversation="alone", exclude_session="now").candidates == ()


def test_a_time_of_asking_without_a_zone_is_refused(asked):
    with nothing_lost(asked), pytest.raises(BadInput, match="asked_at must be a datetime with a time zone"):
        asked.recall("Pixel", asked_at=datetime(2026, 1, 1))
    for year in (1, 9999):
        asked_at = datetime(year, 1, 1, tzinfo=UTC)
        assert asked.recall("Pixel last week, next year", recipe=NO_FLOOR, asked_at=asked_at).candidates


def test_names_that_nobody_used_give_nothing(asked):
    with nothing_lost(asked):
        assert asked.recall("Pixel", conversation="nobody's").candidates == ()
        assert len(asked.recall("Pixel", recipe="vector", exclude_session="nobody's").candidates) == 3


@pytest.mark.parametrize(
    "segment", ["", "seg_", "seg_thread/monday_x", "seg_thread/monday_-1", "monday_0", "seg_a/b_٣"]
)
def test_a_segment_id_that_is_none_finds_nothing(asked, segment):
    assert asked.segment(segment) is None


@pytest.mark.parametrize("digits", [19, 30, 5_000])
def test_a_segment_id_with_an_endless_number_finds_nothing(asked, digits):
    assert asked.segment(f"seg_thread/monday_{'9' * digits}") is None


def test_names_that_are_not_there_are_named(kept):
    with nothing_lost(kept):
        for call in (lambda: kept.turns("thread", "friday"), lambda: kept.close_session("thread", "friday")):
            with pytest.raises(BadInput, match="no session 'friday' in conversation 'thread'"):
                call()


def test_a_budget_smaller_than_anything_still_gives_a_context(kept):
    kept.remember_session("thread", "long", talk("Ana: " + "Pixel " * 500, day=4))
    found = kept.recall("Pixel", budget_tokens=1, recipe="vector")
    assert "\n[…]\n" in found.context


def test_the_command_line_refuses_bad_queries(tmp_path, refused, engramma):
    store = ("--store", tmp_path / "s")
    assert "engramma init" in refused(*store, "recall", "tea"), "and makes no store by asking"
    assert not (tmp_path / "s").exists()
    assert engramma(*store, "remember", "Ana likes tea", "--at", "2026-01-01T10:00:00Z", "--close").code == 0
    before = engramma(*store, "export").out
    assert "Ask something" in refused(*store, "recall", " ")
    assert "from 1 to 10,000" in refused(*store, "recall", "tea", "-k", 0)
    assert "from 1 to 10,000" in refused(*store, "recall", "tea", "-k", 10**9)
    assert ", ".join(RECIPES) in refused(*store, "recall", "tea", "--recipe", "magic")
    assert "lone surrogate" in refused(*store, "recall", "tea", "--conversation", "\udcff")
    assert "lone surrogate" in refused(*store, "recall", "tea", "--exclude-session", "\udcff")
    assert "printable" in refused(*store, "recall", "tea", "-n", "\udcff")
    assert "engramma sessions" in refused(*store, "show", "\udcff")
    assert "lone surrogate" in refused(*store, "show", "seg_\udcff/x_0")
    assert "engramma sessions" in refused(*store, "show", "seg_a/b_" + "9" * 5_000)
    wrong_usage = engramma(*store, "recall", "tea", "-k", "three")
    assert wrong_usage.code == 2 and "-k" in wrong_usage.err
    found = engramma(*store, "recall", "--json", "tea \udcff")
    assert found.code == 0 and json.loads(found.out)["candidates"]
    long = engramma(*store, "recall", "tea " * 25_000)
    assert long.code == 0 and "note: the query has 100,000 characters" in long.err
    assert engramma(*store, "export").out == before


def test_the_store_named_on_the_command_line_wins_over_the_environment(tmp_path, engramma, monkeypatch):
    monkeypatch.setenv("ENGRAMMA_STORE", str(tmp_path / "from the environment"))
    engramma("--store", tmp_path / "named", "init")
    assert (tmp_path / "named").is_dir() and not (tmp_path / "from the environment").exists()
    engramma("init")
    assert (tmp_path / "from the environment").is_dir()
