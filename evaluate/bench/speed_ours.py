"""One measurement of Engramma in a process of its own, as speed.py asks for it; prints JSON.

    python evaluate/bench/speed_ours.py talk|file|alone WORK STORE

`talk` remembers session by session and asks the questions; `file` imports the same talk as a file; `alone` embeds what
both embed, session by session and then in groups as an import does, and stores nothing.
"""

from __future__ import annotations

import json
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from speed_talk import laid_out, peak_mb

from engramma import Conversation, Memory, Turn, sources
from engramma.ingest.segment import segment
from engramma.ingest.validate import sifted_turns
from engramma.language.text import labelled
from engramma.models.load import load
from engramma.models.segments import embed_segments
from engramma.transfer.imports import GROUP_TURNS, import_file

RECIPES = ("default", "vector", "bm25")
WARM = 3  # recalls of each recipe before they are timed
WARM_UP = [Turn("Ana", "Hello, is anybody there?", datetime(2020, 1, 1, tzinfo=UTC), "w1")]


def conversations(work: Path) -> list[Conversation]:
    read = sources.read_source(work / "talk.json", idle_gap=timedelta(minutes=30))
    return [one for one in read if isinstance(one, Conversation)]


def alone(work: Path, store: Path) -> dict[str, Any]:
    """Seconds of embedding what an import of the talk embeds."""
    model, sessions = load(), list[list[tuple[str, ...]]]()
    model.embed(["warm up", "and again"])
    for talk in conversations(work):
        for session in talk.sessions:
            turns, _ = sifted_turns(session.turns, 2**22)
            spans = [turns[span.first : span.last + 1] for span in segment(turns)]
            sessions.append([tuple(labelled([(t.speaker, t.text)]) for t in own) for own in spans])
    began, cpu = time.perf_counter(), time.process_time()
    for texts in sessions:
        embed_segments(model, texts)
    wall, cpu = time.perf_counter() - began, time.process_time() - cpu
    together = [text for texts in sessions for text in texts]
    began = time.perf_counter()
    for at in range(0, len(together), GROUP_TURNS):
        embed_segments(model, together[at : at + GROUP_TURNS])
    return {"alone_s": wall, "alone_cpu_s": cpu, "alone_in_groups_s": time.perf_counter() - began}


def talk(work: Path, store: Path) -> dict[str, Any]:
    """Session by session, then the questions, with their embedding."""
    said = conversations(work)
    with Memory.open(store) as memory:
        memory.remember_session("warm up", "w", WARM_UP)
        began, cpu = time.perf_counter(), time.process_time()
        for one in said:
            for session in one.sessions:
                memory.remember_session(one.id, session.id, session.turns)
        wall, cpu = time.perf_counter() - began, time.process_time() - cpu
        questions = laid_out(work, "questions")
        for recipe in RECIPES:
            for question in questions[:WARM]:
                memory.recall(question, recipe=recipe)
        took: dict[str, list[float]] = {recipe: [] for recipe in RECIPES}
        spent = dict.fromkeys(RECIPES, 0.0)
        for question in questions:
            for recipe in RECIPES:
                asked, used = time.perf_counter(), time.process_time()
                memory.recall(question, recipe=recipe)
                took[recipe].append((time.perf_counter() - asked) * 1e3)
                spent[recipe] += (time.process_time() - used) * 1e3 / len(questions)
    return {"import_s": wall, "import_cpu_s": cpu, "query_ms": took, "query_cpu_ms": spent, "peak_mb": peak_mb()}


def file(work: Path, store: Path) -> dict[str, Any]:
    """The same talk as a file."""
    with Memory.open(store) as memory:
        memory.remember_session("warm up", "w", WARM_UP)
        began, cpu = time.perf_counter(), time.process_time()
        import_file(memory._core, work / "talk.json")
        return {"file_s": time.perf_counter() - began, "file_cpu_s": time.process_time() - cpu}


if __name__ == "__main__":
    measure = {"alone": alone, "talk": talk, "file": file}[sys.argv[1]]
    print(json.dumps(measure(Path(sys.argv[2]), Path(sys.argv[3]))))
