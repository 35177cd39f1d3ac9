"""People who disagree, and what stands behind them: talks, notes and typed links in, the context out.

When a change of the output is wanted, run `UPDATE_GOLDEN=1 make test` and read the difference.
"""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from engramma import Memory, Turn
from engramma.language.handles import handle_of
from engramma.recall.recipes import RECIPES
from tests.hostile import untagged

HERE = Path(__file__).parent
TALKS = {
    ("roof", "first-meeting", "2026-03-02T18:00"): [
        ("Nadia", "The architect says the roof carries 300 kilos a square metre, so we can have the deep beds."),
        ("Tomasz", "Then I want apple trees up there, at least three of them."),
        ("Ines", "And a bench that faces west, please."),
    ],
    ("roof", "phone-call", "2026-03-19T09:30"): [
        (
            "Pavel",
            "I met the structural engineer today. She allows 180 kilos per square metre, because of the old beams.",
        ),
        ("Nadia", "Oh. Could you ask her for that in writing?"),
        ("Pavel", "I will. She is back from Porto on Monday."),
    ],
    ("roof", "second-meeting", "2026-04-09T18:00"): [
        ("Tomasz", "Who waters the tomatoes in August, when all of us are away?"),
        ("Ines", "My neighbour Ludmila would, for a basket of them."),
        ("Nadia", "The bench is ordered, it comes in May."),
    ],
}
NOTES = {
    "test": (
        "Ines",
        "2026-03-31T16:10",
        "Load test on the terrace: the first crack showed at 175 kilos a square metre.",
    ),
    "soil": ("Tomasz", "2026-04-02T12:00", "Spread the light soil, twelve centimetres at most, once the mat is dry."),
    "mat": ("Pavel", "2026-04-11T08:00", "Unroll the drainage mat on the swept roof and tape its seams."),
    "foil": ("Nadia", "2026-04-12T20:00", "Sweep the roof and weld the root barrier foil; two dry days are needed."),
}
ARCHITECT, ENGINEER = "seg_roof/first-meeting_0", "seg_roof/phone-call_0"
QUESTIONS = {
    "links-engineer": "What load did the structural engineer allow?",
    "links-architect": "What did the architect say?",
    "links-procedure": "How do I lay the drainage mat?",
}


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.fixture(scope="module")
def roof(tmp_path_factory):
    with Memory.open(tmp_path_factory.mktemp("roof") / "memory") as memory:
        for (conversation, session, begin), lines in TALKS.items():
            turns = [Turn(who, text, at(begin).replace(minute=n)) for n, (who, text) in enumerate(lines)]
            memory.remember_session(conversation, session, turns)
        ids = {
            name: memory.remember(text, speaker=who, at=at(when)).note.id for name, (who, when, text) in NOTES.items()
        }
        memory.links.add(ENGINEER, "contradicts", ARCHITECT, author="Pavel", provenance="phone call of 19 March")
        memory.links.add(ids["test"], "supports", ENGINEER, weight=0.9, author="Ines")
        memory.links.add(ids["foil"], "before", ids["mat"])
        memory.links.add(ids["soil"], "after", ids["mat"])
        yield memory


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_context_is_the_one_we_reviewed(roof, name):
    question = QUESTIONS[name]
    text = f"{question}\n\n{untagged(roof.recall(question, k=2).context)}\n"
    path = HERE / f"{name}.txt"
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def test_both_sides_are_there_with_who_said_it_and_when(roof):
    said = {
        "[2026-03-02 18:00 UTC": "Nadia:\n> The architect says the roof carries 300 kilos",
        "[2026-03-19 09:00 UTC": "Pavel:\n> I met the structural engineer today. She allows 180 kilos",
    }
    for name in ("links-engineer", "links-architect"):
        context = roof.recall(QUESTIONS[name], k=1).context
        blocks = context.split("\n\n")
        first, second = (next(n for n, b in enumerate(blocks) if b.startswith(label)) for label in said)
        assert abs(first - second) == 1, "side by side"
        assert all(text in context for text in said.values())
        assert f"contradicts {handle_of(ARCHITECT)}" in context and f"contradicted by {handle_of(ENGINEER)}" in context


def test_without_the_links_one_side_is_missing(roof):
    bare = roof.recall(QUESTIONS["links-architect"], k=1, recipe=replace(RECIPES["default"], typed=0)).context
    assert "300 kilos" in bare and "180 kilos" not in bare


def test_what_is_taken_away_and_brought_back_gives_the_same_context(roof):
    question = QUESTIONS["links-architect"]
    before = roof.recall(question, k=1).context
    assert roof.links.remove(ENGINEER, "contradicts", ARCHITECT)
    assert "180 kilos" not in roof.recall(question, k=1).context
    roof.undo(roof.acts.all(1)[0].id)
    assert roof.recall(question, k=1).context == before
