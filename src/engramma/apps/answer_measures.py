"""Shows what an answer's confidence is made of, a measure a line, with what it means."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..records.people import Answer

# What may stand in an answer's trace; the order is that of the steps: whose it is, then how well the quote answers.
MEANINGS = {
    "known": "how likely it was said at all of whom the question asks, 0 to 1",
    "about": "how much of what was found is about them, 0 to 1",
    "near": "how close in meaning their nearest turn is; more is closer",
    "missing": "how rare the question's rarest word is that nobody says around their turns, 0 to 1",
    "told": "how well the best turn about them answers, to the reader; more is better",
    "others": "how much better others' turns answer, asked by their names; below 0 worse",
    "changed": "how much better the best turn answers without the words that it lacks",
    "own": "how much the quoted turn is about them, 0 to 1",
    "relevance": "how well the quote answers, to the reader; more is better",
    "null": "how much the reader takes its turn for no answer; below 0 for one",
    "lead": "how far the reader sees it ahead of the next turn",
    "recalled": "how well recall found it; more is better",
    "share": "which part of the question's words its turn has, 0 to 1",
    "unsaid": "how rare the question's rarest word is that its turn lacks, 0 to 1",
    "shapeless": "1 if the quote has nothing of the kind that is asked for, such as a day",
}
LEAST = "threshold"  # of `known`


def measure_lines(answer: Answer) -> Iterator[str]:
    """The confidence, and what it is made of."""
    figures = {name: value for name, value in answer.trace.items() if isinstance(value, int | float)}
    least = figures.pop(LEAST, None)
    yield f"confidence   {answer.confidence:.2f}  how likely the quote answers the question as it is asked, 0 to 1"
    for name in (*(name for name in MEANINGS if name in figures), *(name for name in figures if name not in MEANINGS)):
        told = MEANINGS.get(name, "")
        if name == "known" and least is not None:
            told += f"; below {least:.2f} there is no answer where somebody is named"
        yield f"  {name:<10} {figures[name]:5.2f}  {told}".rstrip()
