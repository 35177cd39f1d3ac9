from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from engramma.language.text import estimate_tokens
from engramma.recall.assemble import FRAME_TOKENS, NOTHING, assemble
from engramma.records import Candidate, Path

START = datetime(2026, 1, 1, tzinfo=UTC)


def candidate(number: int, role: str = "entry", text: str = "words " * 20) -> Candidate:
    path = None if role == "entry" else Path("vertical", "chain", "seg_c/s_0", 1.0)
    return Candidate(
        f"seg_c/s_{number}",
        "s",
        "c",
        (f"t{number}",),
        ("Ana",),
        START + timedelta(hours=number),
        text,
        0.5,
        role,
        path,
    )


def test_the_block_is_chronological_and_every_segment_is_labelled():
    block, _, _ = assemble([candidate(2), candidate(0, "expanded"), candidate(1)], None)
    labels = [line for line in block.splitlines() if line.startswith("[")]
    assert labels == [
        "[2026-01-01 00:00 UTC | api | s | c | expanded, vertical]",
        "[2026-01-01 01:00 UTC | api | s | c | entry]",
        "[2026-01-01 02:00 UTC | api | s | c | entry]",
    ]


def test_a_budget_cuts_expanded_neighbours_before_entries():
    given_candidates = [candidate(0), candidate(1), candidate(2, "expanded"), candidate(3, "expanded")]
    tokens = assemble(given_candidates, None)[1] - FRAME_TOKENS
    block, _, left_out = assemble(given_candidates, FRAME_TOKENS + tokens // 2 + 5)
    assert left_out == 2 and block.count("| entry]") == 2 and "expanded" not in block
    block, _, left_out = assemble(given_candidates, FRAME_TOKENS + tokens // 4 + 5)
    assert left_out == 3 and block.count("| entry]") == 1 and "00:00" in block, "the best entry stays"


def test_one_entry_larger_than_the_budget_is_cut_and_says_so():
    block, tokens, _ = assemble([candidate(0, text="x" * 40_000)], 100)
    assert tokens <= 101 and "cut to fit" in block and "seg_c/s_0" in block


def test_nothing_found_says_so():
    assert assemble([], 100)[0] == NOTHING


@given(st.lists(st.sampled_from(["entry", "expanded"]), min_size=1, max_size=20), st.integers(110, 2000))
def test_the_block_keeps_to_its_budget(given_roles, budget):
    ordered = sorted(given_roles)
    block, tokens, _ = assemble([candidate(n, role) for n, role in enumerate(ordered)], budget)
    assert tokens == estimate_tokens(block) <= budget
