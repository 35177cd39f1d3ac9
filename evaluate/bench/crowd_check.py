"""Whether a store holds what a crowd was told it holds, and nothing else: the last part of crowd.py."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from crowd_processes import NAMESPACES, NOTE, Hashed, Said, read_journals

from engramma import Memory
from engramma.admin.doctor import doctor_all
from engramma.ingest.waiting_segments import finish_pending
from engramma.transfer.export import export_lines
from engramma.transfer.imports import import_file

GRAPH_TURNS = 40_000  # a store of more is not built once more to compare the graphs


@dataclass(slots=True)
class Found:
    """What was looked at in the end."""

    acknowledged: int = 0
    stored: int = 0
    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)
    integrity: str = "?"
    doctor: list[str] = field(default_factory=list)
    graph: str = "not compared"

    @property
    def ok(self) -> bool:
        wrong = (self.lost, self.doubled, self.foreign, self.doctor)
        return not any(wrong) and self.integrity == "ok" and "differs" not in self.graph


def check(work: Path, *, graph: bool = True) -> Found:
    """Compare a store with its writers' journals."""
    found = Found()
    kept: dict[str, set[Said]] = {name: set() for name in NAMESPACES}
    begun: dict[str, set[Said]] = {name: set() for name in NAMESPACES}
    for step, namespace, turns in read_journals(work / "journals"):
        (kept if step == "kept" else begun)[namespace].update(turns)
    for name in NAMESPACES:
        if not begun[name]:
            continue
        with Memory.open(work / "store", name, embedder=Hashed()) as memory:
            finish_pending(memory._core)  # what a kill left
            memory.close_idle()
            there = stored(memory)
        found.acknowledged += len(kept[name])
        found.stored += sum(there.values())
        found.lost += [f"{name}: {turn}" for turn in sorted(kept[name] - set(there))]
        found.doubled += [f"{name}: {turn}" for turn, count in there.items() if count > 1]
        found.foreign += [f"{name}: {turn}" for turn in sorted(set(there) - begun[name])]
    with Memory.open(work / "store", embedder=Hashed()) as memory:
        found.doctor = [f"{c.namespace}: {c.name}: {c.detail}" for c in doctor_all(memory._core) if not c.ok]
    found.integrity = integrity(work / "store" / "memory.db")
    if graph:
        found.graph = compared(work, found.stored)
    return found


def stored(memory: Memory) -> Counter[Said]:
    """Every turn of a namespace; of a note only its words."""
    lines = [json.loads(line) for line in export_lines(memory._core)]
    return Counter(
        (NOTE, "", "", line["text"])
        if line["conversation"] == NOTE
        else (line["conversation"], line["session"], line["id"], line["text"])
        for line in lines
        if line.get("type") == "turn"
    )


def integrity(path: Path) -> str:
    with closing(sqlite3.connect(path)) as connection:
        return "; ".join(str(row[0]) for row in connection.execute("PRAGMA integrity_check(3)"))


def compared(work: Path, turns: int) -> str:
    """Whether one writer that imports what was exported comes to the same export and the same graph."""
    if turns > GRAPH_TURNS:
        return f"not compared: {turns} turns"
    differs = []
    for name in NAMESPACES:
        path = work / "files" / f"all {name}.jsonl"
        with (
            Memory.open(work / "store", name, embedder=Hashed()) as memory,
            Memory.open(work / "alone", name, embedder=Hashed()) as alone,
        ):
            path.write_text("".join(export_lines(memory._core)), encoding="utf-8")
            import_file(alone._core, path)
            same = spoken(export_lines(alone._core)) == spoken(export_lines(memory._core)) and drawn(alone) == drawn(
                memory
            )
        if not same:
            differs.append(name)
    return f"differs in {', '.join(differs)}" if differs else "same"


def spoken(lines: object) -> list[str]:
    """An export's talk. How notes were linked by themselves depends on what was there when they came."""
    assert hasattr(lines, "__iter__")
    return [line for line in lines if json.loads(line).get("type") in ("conversation", "session", "turn")]


def drawn(memory: Memory) -> tuple[list[str], list[tuple[str, str, str, float]]]:
    segments, edges = memory.graph()
    return [segment.id for segment in segments], sorted(edge for edge in edges if edge[2] in ("chain", "semantic"))
