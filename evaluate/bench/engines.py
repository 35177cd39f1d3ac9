"""The same benchmark on SQLite and on PostgreSQL: are the answers the same?

    python evaluate/bench/engines.py LOCOMO.json [--url postgres://…?schema=NEW] [--recipe default] [--cache DIR]
                                     [--json OUT]

Each conversation is imported into a namespace of its own on both engines, by the importer that users have. Every
question is asked on both: told are the figures of each, and for how many questions the candidates (ids and scores to
the last bit) and the context are equal. Without --url the embedded server is started.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

from rich.console import Console
from rich.progress import track

from engramma import Memory
from engramma.evaluate.answers import QuestionFigures, ask_benchmark_question, summary
from engramma.evaluate.cache import CachedEmbedder
from engramma.evaluate.stores import remember
from engramma.evaluate.task import BenchmarkStore, Task, TaskReading
from engramma.evaluate.tasks import locomo
from engramma.language.fence import unfenced
from engramma.models.embed import Embedder
from engramma.models.load import load
from engramma.store import engine

ENGINES = ("sqlite", "postgres")
SHOWN = ("turn_recall@10", "turn_mrr", "session_any@1", "session_any@5", "session_all@10", "coverage")


@contextmanager
def server(url: str | None, work: Path) -> Iterator[str]:
    if url is not None:
        yield url
        return
    from engramma.store.postgres import server
    from engramma.store.postgres.address import socket_address

    place = server.find_server_place(work / "server")
    server.hold_server(place)
    try:
        yield socket_address(str(place.sockets), server.PORT, server.USER, "postgres")
    finally:
        server.release_server(place)


def filled(task: Task, folder: Path, embedder: Embedder, name: str) -> float:
    """Import every conversation; returns the seconds that it took without embedding, which a cache has done."""
    begun = time.perf_counter()
    for store in track(task.each, f"remembering on {name}"):
        remember(store, folder, embedder, lambda _: None)
    return time.perf_counter() - begun


def compared(task: Task, folders: dict[str, Path], embedder: Embedder, recipe: str) -> dict[str, Any]:
    """Every question on both engines, one right after the other."""
    answers: dict[str, list[QuestionFigures]] = {name: [] for name in ENGINES}
    times: dict[str, list[float]] = {name: [] for name in ENGINES}
    same_ids = same_scores = same_context = 0
    with_difference = []
    embedder.embed([question.text for question in task.questions], "query")
    for store in track(task.each, "asking"):
        texts = texts_of(store)
        opened = {name: Memory.open(folder, store.name, embedder=embedder) for name, folder in folders.items()}
        for question in (one for one in task.questions if one.store == store.name):
            found = {}
            for name, memory in opened.items():
                begun = time.perf_counter()
                found[name] = memory.recall(question.text, k=50, recipe=recipe)
                times[name].append(time.perf_counter() - begun)
                answers[name].append(ask_benchmark_question(memory, question, recipe, 50, texts, False))
            one, other = (found[name] for name in ENGINES)
            ids = [[c.segment_id for c in each.candidates] for each in (one, other)]
            same_ids += ids[0] == ids[1]
            same_scores += [c.score for c in one.candidates] == [c.score for c in other.candidates]
            same_context += unfenced(one.context) == unfenced(other.context)
            if ids[0] != ids[1]:
                with_difference.append(question.id)
        for memory in opened.values():
            memory.close()
    groups = {name: summary(found, task.groups, task.corrected)["groups"] for name, found in answers.items()}
    headline = task.groups[0]
    return {
        "questions": len(task.questions),
        "same_ids_in_the_same_order": same_ids,
        "same_scores_to_the_last_bit": same_scores,
        "same_context": same_context,
        "others": with_difference[:20],
        "figures": {
            group: {name: {figure: groups[name][group][figure] for figure in SHOWN} for name in ENGINES}
            for group in (headline, "all")
        },
        "largest_difference_in_points": max(
            abs(groups["sqlite"][group][figure] - groups["postgres"][group][figure]) * 100
            for group in groups["sqlite"]
            for figure in SHOWN
        ),
        "recall_ms": {name: round(median(found) * 1000, 2) for name, found in times.items()},
    }


def texts_of(store: BenchmarkStore) -> dict[str, Any]:
    return {str(turn.id): turn for talk in store.conversations for session in talk.sessions for turn in session.turns}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--url")
    parser.add_argument("--recipe", default="default")
    parser.add_argument("--cache", type=Path, help="a folder of vectors that an earlier run left")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    task = locomo.read(options.data, TaskReading())
    with tempfile.TemporaryDirectory() as made, server(options.url, Path(made)) as url:
        work = Path(made)
        embedder = CachedEmbedder(load(), (options.cache or work) / "vectors")
        folders = {name: work / name for name in ENGINES}
        for folder in folders.values():
            folder.mkdir()
        os.environ["ENGRAMMA_STORE"] = str(work / "local")
        engine.choose(folders["postgres"], url)
        seconds = {name: round(filled(task, folder, embedder, name), 1) for name, folder in folders.items()}
        figures = {**compared(task, folders, embedder, options.recipe), "import_s": seconds}
    Console().print_json(json.dumps(figures))
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
