"""What graph expansion is worth at a fixed budget: the share of evidence turns inside a context of so many tokens.

    python evaluate/bench/expansion.py locomo.json [--cache DIR] [--json OUT] [--budgets 500 1000 2000 4000]

One store a conversation. Each plan is `default` with its expansion changed, and is asked every question once; the
candidates are then put into a context of each budget, as a recall with that budget would. An expansion brings more
text, so the last rows spend the same on something else: more entries, alone and with their neighbours.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress

from engramma import Memory, Turn
from engramma.apps.render import as_json
from engramma.evaluate.answers import coverage, rounded
from engramma.evaluate.cache import CachedEmbedder
from engramma.evaluate.metrics import means
from engramma.evaluate.report import cell, recorded, stacked, start_table
from engramma.evaluate.runner import EACH
from engramma.evaluate.stores import build_stores, open_workplace
from engramma.evaluate.task import BenchmarkQuestion, Task, TaskReading
from engramma.evaluate.tasks import locomo
from engramma.models.load import load
from engramma.recall.assemble import assemble
from engramma.recall.recipes import RECIPES, Plan

BUDGETS = (500, 1000, 2000, 4000)
K = 10

Figures = dict[str, float]


@dataclass(frozen=True, slots=True)
class Way:
    """What is put in the place of the expansion of `default`."""

    lateral: int
    vertical: int
    hops: int = 1
    k: int = K

    @property
    def plan(self) -> Plan:
        return replace(RECIPES["default"], lateral=self.lateral, vertical=self.vertical, hops=self.hops)


WAYS = {
    "no expansion": Way(0, 0),
    "lateral only": Way(1, 0),
    "vertical only": Way(0, 1),
    "both (default)": Way(1, 1),
    "both, two hops": Way(1, 1, hops=2),
    "lateral only, two hops": Way(1, 0, hops=2),
    "no expansion, k = 20": Way(0, 0, k=20),
    "no expansion, k = 40": Way(0, 0, k=40),  # ten entries with all their neighbours are forty segments at most
    "both, k = 20": Way(1, 1, k=20),
    "both, k = 40": Way(1, 1, k=40),
}


def measure(task: Task, budgets: Sequence[int], cache: Path | None, progress: Progress) -> dict[str, Any]:
    """Every question asked in every way, summed up by way and group."""
    found: dict[str, list[tuple[BenchmarkQuestion, Figures]]] = defaultdict(list)
    with open_workplace(cache) as place:
        embedder = CachedEmbedder(load(), place / "vectors")
        remembered = progress.add_task("remember", total=sum(store.turns for store in task.each))
        built = build_stores(task, EACH, task.each, embedder, place, lambda count: progress.advance(remembered, count))
        embedder.embed([question.text for question in task.questions], "query")
        asked = progress.add_task("ask", total=len(WAYS) * len(task.questions))
        for store in task.each:
            own = [question for question in task.questions if question.store == store.name]
            texts = {str(t.id): t for talk in store.conversations for s in talk.sessions for t in s.turns}
            with Memory.open(built.folder, store.name, embedder=embedder) as memory:
                for label, way in WAYS.items():
                    for question in own:
                        found[label].append((question, figures(memory, way, question, texts, budgets)))
                        progress.advance(asked)
    return {
        "task": "expansion",
        "title": "Expansion at a fixed budget (LoCoMo, one store per conversation)",
        "dataset": {"file": task.file, "sha256": task.sha256, "limit": task.limit},
        "questions": len(task.questions),
        "groups": list(task.groups),
        "embedder": {"name": embedder.name, "sha256": embedder.sha256},
        "budgets": list(budgets),
        "texts_embedded": embedder.embedded,
        "ways": {label: {**asdict(WAYS[label]), "groups": grouped(task, rows)} for label, rows in found.items()},
    }


def figures(
    memory: Memory, way: Way, question: BenchmarkQuestion, texts: Mapping[str, Turn], budgets: Sequence[int]
) -> Figures:
    """One question: coverage and tokens at each budget, and what the expansion brought and took."""
    recall = memory.recall(question.text, k=way.k, recipe=way.plan, asked_at=question.asked_at)
    figures = {"candidates": float(len(recall.candidates)), "expand_ms": recall.trace.timings_ms["expand"]}
    for size in budgets:
        made = assemble(recall.candidates, size)
        shown = replace(recall, context=made.text, tokens=made.tokens)
        covered = coverage(shown, question.gold.turns, texts)
        figures |= {f"coverage@{size}": covered, f"tokens@{size}": float(made.tokens)}
    return figures


def grouped(task: Task, rows: Sequence[tuple[BenchmarkQuestion, Figures]]) -> dict[str, Any]:
    by_group = {group: [row for question, row in rows if group in question.groups] for group in task.groups}
    return {group: {"n": len(own), **rounded(means(own))} for group, own in by_group.items() if own}


def show(record: Mapping[str, Any], console: Console) -> None:
    ways, budgets = record["ways"], record["budgets"]
    first = record["groups"][0]
    heads = [head for size in budgets for head in (f"{size:,}\ntokens", "mean\ntokens")]
    table = start_table(f"evidence turns inside the context, {first}, %", "expansion", *heads)
    for label, way in ways.items():
        row = way["groups"][first]
        pairs = [(cell(row[f"coverage@{size}"]), f"{row[f'tokens@{size}']:,.0f}") for size in budgets]
        table.add_row(label, *(text for pair in pairs for text in pair))
    console.print(table)
    for size in budgets:
        sample = next(iter(ways.values()))["groups"]
        table = start_table(
            f"by category at {size:,} tokens, %", "expansion", *(stacked(g, sample[g]["n"]) for g in sample)
        )
        for label, way in ways.items():
            table.add_row(label, *(cell(way["groups"][group][f"coverage@{size}"]) for group in sample))
        console.print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path, help="a LoCoMo file")
    parser.add_argument("--cache", type=Path, help="keep stores and vectors here, as `engramma eval --cache` does")
    parser.add_argument("--json", type=Path, help="write every figure to this file")
    parser.add_argument("--budgets", type=int, nargs="+", default=list(BUDGETS), help="tokens of a context")
    parser.add_argument("--limit", type=int, help="only the first N questions, to try things")
    options = parser.parse_args()
    task = locomo.read(options.path, TaskReading(options.limit))
    with Progress(console=Console(stderr=True)) as progress:
        result = measure(task, options.budgets, options.cache, progress)
    record = recorded(result, sys.argv[1:], "python evaluate/bench/expansion.py")
    if options.json:
        options.json.write_text(as_json(record) + "\n", encoding="utf-8")
    show(record, Console(width=150))


if __name__ == "__main__":
    main()
