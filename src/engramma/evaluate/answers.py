"""One question asked of one memory: its rankings, what its context holds, and how long it took."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from ..memory import Memory
from ..recall import parse_context
from ..recall.recipes import Plan
from ..records import Recall, Turn
from .metrics import means, ranking_figures, summarize_values
from .task import BenchmarkQuestion, Gold

BUDGETS = (500, 1000, 2000, 4000, 8000)
EMBED_STAGE = "embed"

Figures = dict[str, float]


@dataclass(frozen=True, slots=True)
class QuestionFigures:
    """A question's figures; `corrected` by the corrected gold; milliseconds without the query's embedding."""

    question: BenchmarkQuestion
    figures: Figures
    corrected: Figures = field(default_factory=dict)
    recall_ms: float | None = None
    stages_ms: Mapping[str, float] = field(default_factory=dict)


def ask_benchmark_question(
    memory: Memory,
    question: BenchmarkQuestion,
    recipe: str | Plan,
    k: int,
    texts: Mapping[str, Turn],
    context: bool = True,
) -> QuestionFigures:
    """Rank with a large k; look at the context, the tokens and the clock as a user would ask."""
    recall = partial(memory.recall, question.text, recipe=recipe, asked_at=question.asked_at)
    start = time.perf_counter()
    usual = recall()  # first, while nothing about this question is at hand
    passed = (time.perf_counter() - start) * 1000
    deep = recall(k=k)
    blocks = {"": usual}
    if context:
        blocks |= {f"@{size}": recall(budget_tokens=size) for size in BUDGETS}
    turns, sessions = rankings(deep)
    golds = [question.gold, question.corrected]
    raw, mended = (measure_question(gold, turns, sessions, blocks, texts) if gold else {} for gold in golds)
    raw["refused"] = float(not usual.candidates)
    raw |= {f"tokens{size}": float(block.tokens) for size, block in blocks.items()}
    stages = dict(usual.trace.timings_ms)
    return QuestionFigures(question, raw, mended, passed - stages.get(EMBED_STAGE, 0.0), stages)


def rankings(found: Recall) -> tuple[list[str], list[str]]:
    """Turns and sessions, best first: entries, then expanded; a segment's turns take a place each."""
    ordered = [c for role in ("entry", "expanded") for c in found.candidates if c.role == role]
    turns = dict.fromkeys(turn for candidate in ordered for turn in candidate.turn_ids)
    return list(turns), list(dict.fromkeys(candidate.session_id for candidate in ordered))


def measure_question(
    gold: Gold,
    turns: Sequence[str],
    sessions: Sequence[str],
    blocks: Mapping[str, Recall] | None = None,
    texts: Mapping[str, Turn] | None = None,
) -> Figures:
    """Every measure of one question; those of turns or sessions only where there is gold of that kind."""
    found: Figures = {}
    if gold.turns:
        found |= ranking_figures("turn", turns, gold.turns)
        for size, block in (blocks or {}).items():
            found[f"coverage{size}"] = coverage(block, gold.turns, texts or {})
    if gold.sessions:
        found |= ranking_figures("session", sessions, gold.sessions)
    return found


def coverage(found: Recall, gold: Collection[str], texts: Mapping[str, Turn]) -> float:
    """The share of the evidence turns whose words stand in the block, whole and with their speaker."""
    candidates = {turn for candidate in found.candidates for turn in candidate.turn_ids}
    entries = parse_context(found.context) if found.candidates else []
    shown = {(one.speaker, one.text) for entry in entries for one in entry.said if not one.is_cut}
    there = [name in candidates and (texts[name].speaker, texts[name].text) in shown for name in sorted(gold)]
    return sum(there) / len(there)


def summary(answers: Sequence[QuestionFigures], groups: Sequence[str], corrected: bool) -> dict[str, Any]:
    """Means a group, with the number of questions they are over; and the spread of the times."""
    summed: dict[str, Any] = {"groups": group_answers(answers, groups, "figures")}
    if corrected:
        summed["corrected"] = group_answers(answers, groups, "corrected")
    times = [a.recall_ms for a in answers if a.recall_ms is not None]
    if times:
        stages = dict.fromkeys(stage for a in answers for stage in a.stages_ms)
        summed["recall_ms"] = rounded(summarize_values(times))
        summed["stages_ms"] = {
            stage: rounded(summarize_values([a.stages_ms.get(stage, 0.0) for a in answers]))
            for stage in stages
            if stage != EMBED_STAGE
        }
    return summed


def group_answers(answers: Sequence[QuestionFigures], groups: Sequence[str], which: str) -> dict[str, Any]:
    found = {}
    for group in groups:
        own = [a for a in answers if group in a.question.groups]
        if own:
            rows = [getattr(a, which) for a in own]
            counts = {kind: sum(f"{kind}_mrr" in row for row in rows) for kind in ("turn", "session")}
            counted = {f"n_{kind}": count for kind, count in counts.items() if count not in (0, len(own))}
            found[group] = {"n": len(own), **counted, **rounded(means(rows))}
    return found


def rounded(values: Mapping[str, float], digits: int = 4) -> dict[str, float]:
    return {name: round(value, digits) for name, value in values.items()}
