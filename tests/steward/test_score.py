"""Every formula and threshold of the steward on numbers worked out by hand."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from engramma.language.times import to_micros
from engramma.steward.consolidate import consolidations, join_sentences
from engramma.steward.merge import Alike, find_similar_pairs, merges, signal
from engramma.steward.plan import Seen, StewardRules, StewardStep, Vetoes, within_limits
from engramma.steward.prune import expiries, prunings
from engramma.steward.score import DAY, half_life, quality_score

NOW = to_micros(datetime(2026, 6, 1, tzinfo=UTC))
RULES = StewardRules(
    now=NOW,
    prune_below=0.05,
    grace_days=90.0,
    merge_floor=0.88,
    consolidate_days=7.0,
    archive_after_days=None,
    longest_text=10_000,
    limits={},
)
NONE = Vetoes({})


def note(key: int, days: float = 0.0, **values) -> Seen:
    """A note made so many days before now."""
    given = {"tags": (), "strength": 0.5, "quality": 0.5, "expires_at": None, "hits": 0, "last_at": None, "repeats": 0}
    known = {"id": f"note_{key}", "tie": key, "speaker": "user", "by_hand": False, **given, **values}
    return Seen(key=key, made_at=NOW - int(days * DAY), **known)


def pairs(*found: tuple[int, int, float]) -> Alike:
    ordered = sorted(found, key=lambda pair: (-pair[2], pair[0], pair[1]))
    one, other, cosines = zip(*ordered, strict=True) if ordered else ((), (), ())
    return Alike(np.array(one, np.int64), np.array(other, np.int64), np.array(cosines, np.float64))


# --- the score ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hits", "most", "days", "half", "expected"),
    [
        (0, 0, 0, 30, 0.0),  # nobody was ever recalled
        (0, 7, 0, 30, 0.0),  # log2(1) = 0
        (7, 7, 0, 30, 1.0),  # the most recalled, just now
        (7, 7, 30, 30, 0.5),  # a half-life later
        (7, 7, 90, 30, 0.125),  # three of them
        (1, 7, 0, 30, 1 / 3),  # log2(2) / log2(8)
        (3, 15, 60, 30, 0.125),  # log2(4) / log2(16) = 1/2, two half-lives: 1/4
        (1, 1023, 30, 60, 0.1 * 2**-0.5),  # 1/10, half a half-life
    ],
)
def test_the_score_is_worked_out(hits, most, days, half, expected):
    assert quality_score(hits, most, days, half) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("quality", "days"), [(0.0, 30), (0.5, 60), (1.0, 90), (0.25, 45)])
def test_the_half_life_grows_with_the_content(quality, days):
    assert half_life(quality) == days


# --- what goes -----------------------------------------------------------------------------------------------


def test_a_note_expires_at_the_very_moment():
    notes = [note(1, expires_at=NOW + 1), note(2, expires_at=NOW), note(3, expires_at=NOW - DAY), note(4)]
    assert [step.ids for step in expiries(notes, RULES, NONE)] == [("note_3",), ("note_2",)]
    assert expiries(notes, RULES, NONE)[0].reason == "kept until 2026-05-31 00:00 UTC"


def test_a_note_is_pruned_below_the_floor_and_past_its_grace():
    # quality 0.5: half-life 60 days. hits 1 of 1: the score is 0.5 ** (days / 60), and 0.05 after 259.3 days.
    notes = [
        note(1, days=259, hits=1),  # 0.0502
        note(2, days=260, hits=1),  # 0.0496
        note(3, days=300, hits=1, last_at=NOW - 100 * DAY),  # active 100 days ago: 0.3150
        note(4, days=89.9),  # 0, within the grace
        note(5, days=90),  # 0
        note(6, days=400, strength=0.9),
        note(7, days=400, strength=0.89),
        note(8, days=400, tags=("pinned",)),
        note(9, days=400, by_hand=True),
    ]
    steps = prunings(notes, 1, RULES, NONE)
    assert [step.keys[0] for step in steps] == [7, 5, 2]  # the lowest first, of equals the oldest
    assert steps[-1].reason == (
        "score 0.0496 below 0.05: recalled 1 times (the most: 1), active 260.0 days ago, half-life 60.0 days"
    )


def test_nothing_is_pruned_where_nothing_was_ever_recalled():
    assert prunings([note(1, days=1000)], 0, RULES, NONE) == []


# --- near-duplicates -----------------------------------------------------------------------------------------


def test_alike_finds_every_pair_from_the_floor_on():
    angles = np.deg2rad([0, 28, 29, 90, 118])  # cos 28° = 0.8829, cos 29° = 0.8746
    vectors = np.zeros((5, 8), dtype=np.float16)
    vectors[:, 0], vectors[:, 1] = np.cos(angles), np.sin(angles)
    found = find_similar_pairs(vectors, 0.88)
    assert list(zip(found.one.tolist(), found.other.tolist(), strict=True)) == [(1, 2), (0, 1), (3, 4)]
    assert found.cosines == pytest.approx([np.cos(np.deg2rad(1)), *[np.cos(np.deg2rad(28))] * 2], abs=2e-3)


def test_alike_is_the_same_in_blocks_of_any_size_and_keeps_the_strongest(monkeypatch):
    vectors = np.random.default_rng(1).standard_normal((300, 16))
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float16)
    exact = vectors.astype(np.float64) @ vectors.astype(np.float64).T
    expected = sorted(
        (-min(exact[a, b], 1.0), a, b) for a in range(300) for b in range(a + 1, 300) if exact[a, b] >= 0.5
    )
    assert len(expected) > 300
    for block in (7, 1_024):
        for most in (100, 10_000):
            monkeypatch.setattr("engramma.steward.merge.BLOCK", block)
            monkeypatch.setattr("engramma.steward.merge.EXACT_BLOCK", 64)
            found = find_similar_pairs(vectors, 0.5, most)
            triples = zip((-found.cosines).tolist(), found.one.tolist(), found.other.tolist(), strict=True)
            assert list(triples) == expected[:most]


def test_the_one_with_more_signal_stays():
    plain = note(9)
    better = [
        replace(plain, tags=("pinned",)),
        replace(plain, hits=2),
        replace(plain, strength=0.6, hits=1),
        replace(plain, hits=1, repeats=3),
        replace(plain, hits=1, quality=0.7, repeats=2),
        replace(plain, hits=1, made_at=plain.made_at - 1, repeats=2),
        replace(plain, hits=1, repeats=2, tie=1),
        replace(plain, hits=1, repeats=2),
        replace(plain, hits=1),
        plain,
    ]
    shuffled = [better[n] for n in (7, 2, 9, 0, 5, 1, 8, 3, 6, 4)]
    assert sorted(shuffled, key=signal) == better


def test_notes_merge_from_0_88_on_with_the_same_facts_into_the_one_with_more_signal():
    notes = [note(1), note(2, hits=3), note(3), note(4), note(5), note(6)]
    texts = {
        1: "tea is green",
        2: "green tea it is",
        3: "it is green",
        4: "port 8080 open",
        5: "port 8081 open",
        6: "x",
    }
    found = merges(notes, pairs((0, 1, 0.88), (1, 2, 0.8799), (3, 4, 0.95), (2, 5, 0.9)), texts, RULES, NONE)
    assert [(s.keys, s.into.key, s.similarity) for s in found] == [((6,), 3, 0.9), ((1,), 2, 0.88)]
    assert found[1].reason == "cosine 0.8800 (from 0.88) and the same facts; kept note_2: more recalls (3 against 0)"


def test_of_a_whole_family_one_stays():
    notes = [note(n, days=n) for n in range(5)]  # the oldest, 4, has the most signal
    every = [(a, b, 0.9) for a in range(5) for b in range(a + 1, 5)]
    found = merges(notes, pairs(*every), dict.fromkeys(range(5), "the same"), RULES, NONE)
    assert sorted((s.keys[0], s.into.key) for s in found) == [(0, 4), (1, 4), (2, 4), (3, 4)]
    chain = merges(
        notes, pairs((0, 1, 0.9), (1, 2, 0.9), (2, 3, 0.9), (3, 4, 0.9)), dict.fromkeys(range(5), "x"), RULES, NONE
    )
    assert sorted((s.keys[0], s.into.key) for s in chain) == [(1, 2), (3, 4)]  # 0 is like nothing that stays


@pytest.mark.parametrize(
    "lost",
    [
        {"speaker": "Ana"},  # another one's words
        {"tags": ("pinned",)},
        {"by_hand": True},
    ],
)
def test_what_is_held_or_of_another_speaker_does_not_go(lost):
    tags = lost.get("tags", ())
    notes = [note(1, hits=5, tags=tags), note(2, **lost)]
    assert merges(notes, pairs((0, 1, 0.95)), {1: "same", 2: "same"}, RULES, NONE) == []


def test_a_note_is_not_replaced_by_one_that_ends_earlier():
    lasting, passing = note(1), note(2, hits=5, expires_at=NOW + DAY)
    assert merges([lasting, passing], pairs((0, 1, 0.95)), {1: "same", 2: "same"}, RULES, NONE) == []
    later = replace(passing, expires_at=None)
    assert len(merges([lasting, later], pairs((0, 1, 0.95)), {1: "same", 2: "same"}, RULES, NONE)) == 1


def test_what_was_undone_is_not_done_again():
    vetoes = Vetoes(
        {"merge": frozenset([frozenset(["note_1", "note_2"])]), "prune": frozenset([frozenset(["note_5"])])}
    )
    assert merges([note(1), note(2)], pairs((0, 1, 0.95)), {1: "same", 2: "same"}, RULES, vetoes) == []
    assert prunings([note(5, days=400)], 1, RULES, vetoes) == []


# --- consolidation -------------------------------------------------------------------------------------------

TEXTS = {n: f"text {chr(97 + n)}" for n in range(9)}


def groups(notes, found, texts=TEXTS, vetoes=NONE, taken=frozenset()):
    return [step.keys for step in consolidations(notes, found, texts, set(taken), RULES, vetoes)]


def all_pairs(size: int, cosine: float) -> Alike:
    return pairs(*((a, b, cosine) for a in range(size) for b in range(a + 1, size)))


def test_three_similar_notes_of_a_week_become_one():
    notes = [note(0, 9), note(1, 7), note(2, 2)]
    assert groups(notes, all_pairs(3, 0.8)) == [(0, 1, 2)]
    assert groups(notes, all_pairs(3, 0.7999)) == []
    assert groups(notes[:2], all_pairs(2, 0.85)) == []
    assert groups([note(0, 9.01), *notes[1:]], all_pairs(3, 0.85)) == []  # seven days and a quarter of an hour
    assert groups(notes, pairs((0, 1, 0.85), (1, 2, 0.85))) == []  # 0 and 2 are not similar


def test_what_would_merge_is_not_consolidated_but_other_facts_are():
    notes = [note(0, 3), note(1, 2), note(2, 1)]
    same = dict.fromkeys(range(3), "the port is open")
    assert groups(notes, all_pairs(3, 0.87), same) == [(0, 1, 2)]
    assert groups(notes, all_pairs(3, 0.88), same) == []
    assert groups(notes, all_pairs(3, 0.95), {0: "port 1", 1: "port 2", 2: "port 3"}) == [(0, 1, 2)]


def test_held_passing_vetoed_and_taken_notes_are_no_sources():
    notes = [note(n, 5 - n) for n in range(4)]
    alikes = all_pairs(4, 0.85)
    assert groups(notes, alikes) == [(0, 1, 2, 3)]
    assert groups([replace(notes[0], tags=("pinned",)), *notes[1:]], alikes) == [(1, 2, 3)]
    assert groups([replace(notes[0], expires_at=NOW + DAY), *notes[1:]], alikes) == [(1, 2, 3)]
    assert groups([replace(notes[0], speaker="Ana"), *notes[1:]], alikes) == [(1, 2, 3)]
    assert groups(notes, alikes, taken={0}) == [(1, 2, 3)]
    assert groups(notes, alikes, vetoes=Vetoes({"consolidate": frozenset([frozenset(["note_1", "note_2"])])})) == []


def test_the_canonical_note_is_made_of_its_sources():
    notes = [
        note(0, 5, tags=("a",), hits=2, last_at=NOW - DAY, strength=0.3),
        note(1, 4, tags=("b", "a"), hits=1, last_at=NOW, strength=0.7),
        note(2, 3),
    ]
    texts = {0: "The tea is green. It was cheap!", 1: "Was it cheap? It  was CHEAP! Yes.", 2: "the tea is green."}
    (step,) = consolidations(notes, all_pairs(3, 0.85), texts, set(), RULES, NONE)
    assert step.into.text == "The tea is green. It was cheap!\nWas it cheap? Yes."
    assert (step.into.tags, step.into.strength, step.into.hits) == (("a", "b"), 0.7, 3)
    assert (step.into.said_at, step.into.last_at) == (notes[2].made_at, NOW)
    assert step.reason == "3 notes within 2.0 days (at most 7), cosines 0.8500 to 0.8500 (from 0.8)"


def test_sentences_stay_as_they_are():
    assert join_sentences(["One.  Two\nThree", "two", "Four… five"]) == "One. Two Three\nFour… five"


def test_a_group_stays_within_its_limits():
    notes = [note(n, 5 - n / 10) for n in range(25)]
    texts = dict.fromkeys(range(25), "port")
    found = [(a, b, 0.85) for a in range(25) for b in range(a + 1, 25)]
    assert [len(keys) for keys in groups(notes, pairs(*found), texts)] == [20, 5]
    short = replace(RULES, longest_text=14)  # three texts of four and two line ends
    steps = consolidations(notes[:7], pairs(*(p for p in found if p[1] < 7)), texts, set(), short, NONE)
    assert [step.keys for step in steps] == [(0, 1, 2), (3, 4, 5)]


def test_limits_take_the_first_of_each_kind():
    steps = [StewardStep(kind, "", (n,), (str(n),)) for kind in ("merge", "prune") for n in range(3)]
    kept, left = within_limits(steps, {"merge": 2, "prune": 0})
    assert [(s.kind, s.keys[0]) for s in kept] == [("merge", 0), ("merge", 1)]
    assert left == {"prune": 3, "merge": 1}
