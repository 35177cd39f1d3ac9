"""Of a message with many answers, what fits the question is shown, not a line of each."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engramma import Memory, Turn
from engramma.language.text import estimate_tokens
from engramma.recall import parse_context
from engramma.recall.payload import ENOUGH_OF_PART, LEAST_PART, _Part, cut_parts, fitting_parts
from engramma.records import Spoken

BEGAN = datetime(2026, 7, 20, 9, tzinfo=UTC)
ASKED = "Implement credit notes: a negative invoice that refers to the original, with a number range of its own."
TOLD = [
    "The model is in its own table, with the reason and with lines of its own, as agreed.",
    "Numbers begin with CN and are counted by year and by tenant, with the same lock as invoices.",
    "The tax is rounded line by line, half up, so that partial credits never differ by a cent.",
    "The export uses booking key 40, a general reversal, because importers reject negative amounts.",
    "There are 41 new tests, and the whole suite is green after the last change to the template.",
]
REMARKS = [
    f"Let me look at the {name} now." for name in ("models", "ranges", "exporter", "fixtures", "linter", "tests")
]


@pytest.fixture(scope="module")
def memory(tmp_path_factory):
    with Memory.open(tmp_path_factory.mktemp("work") / "store") as memory:
        said = [("user", ASKED), *(("assistant", one) for one in REMARKS * 4), ("assistant", "\n\n".join(TOLD))]
        turns = [Turn(who, text, BEGAN + timedelta(seconds=9 * n), f"t{n}") for n, (who, text) in enumerate(said)]
        memory.remember_session("work", "monday", turns)
        yield memory


@pytest.mark.parametrize("tokens", [250, 400])
def test_the_message_and_the_passage_are_shown_instead_of_every_remark(memory, tokens):
    found = memory.recall("Which booking key does the export of credit notes use?", budget_tokens=tokens)
    assert estimate_tokens(found.context) <= tokens
    [entry] = parse_context(found.context)
    assert entry.said[0].text == ASKED
    assert "booking key 40" in entry.said[-1].text
    assert entry.is_cut and len(entry.said) < 9
    assert any(one.cut_after for one in entry.said[:-1])  # the remarks between


def test_what_fits_is_shown_whole(tmp_path):
    with Memory.open(tmp_path / "store") as memory:
        said = [("user", "Rename the boiler table."), *(("assistant", one) for one in REMARKS), ("assistant", "Done.")]
        memory.remember_session("work", "tuesday", [Turn(who, text, BEGAN) for who, text in said])
        [entry] = parse_context(memory.recall("What is with the boiler table?", budget_tokens=400).context)
        assert [one.text for one in entry.said] == [text for _, text in said] and not entry.is_cut


def part(number: int, size: int, rank: int | None, is_best: bool) -> _Part:
    text = ("word " * (size // 5 + 1))[:size].rstrip() or "w"
    return _Part(Spoken("a", BEGAN, number * 10_000, number * 10_000 + len(text)), text, (0, len(text)), is_best, rank)


@given(st.lists(st.integers(1, 900), min_size=1, max_size=40), st.integers(1, 4_000), st.randoms(use_true_random=False))
def test_parts_are_shown_in_their_order_and_gaps_are_told(sizes, characters, random):
    best = random.randrange(len(sizes))
    ranks = {best: 0, **{n: k + 1 for k, n in enumerate(random.sample(range(len(sizes)), len(sizes) // 3))}}
    parts = [part(n, size, ranks.get(n), n == best) for n, size in enumerate(sizes)]
    told = fitting_parts(parts, characters)
    assert told == sorted(set(told)) and best in told
    if len(parts) <= 2:
        assert told == list(range(len(parts)))
    elif sum(min(len(p.text), 2 * ENOUGH_OF_PART) for p in parts) <= characters:
        assert {0, len(parts) - 1} <= set(told)
        assert all(n in told or len(parts[n].text) < LEAST_PART or ranks.get(n) is None for n in range(len(parts)))
    shown = cut_parts(parts, characters)
    assert shown
    if len(shown) < len(parts):
        assert any(one.is_cut for one in shown)
