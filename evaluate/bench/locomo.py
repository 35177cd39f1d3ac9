"""Turn recall on a LoCoMo file through the public API: one store per conversation."""

from __future__ import annotations

import json
import re
import tempfile
from collections import defaultdict
from pathlib import Path
from statistics import mean
from typing import Any

from engramma import Memory
from engramma.transfer.imports import import_file


def evidence(item: dict[str, Any], known: set[str]) -> set[str]:
    """Gold turn ids, repaired as published: split, zeros stripped, unknown ids dropped."""
    found = set()
    for text in item.get("evidence", []):
        for part in re.split(r"[;\s]+", text):
            if (match := re.fullmatch(r"D:?(\d+):0*(\d+)", part)) and f"D{match[1]}:{match[2]}" in known:
                found.add(f"D{match[1]}:{match[2]}")
    return found


def run(path: Path, recipes: tuple[str, ...] = ("vector", "pmg", "default"), k: int = 10) -> dict[str, Any]:
    """Turn recall@k by recipe and category: found evidence turns / evidence turns, averaged over questions."""
    scores: dict[str, dict[int, list[float]]] = {recipe: defaultdict(list) for recipe in recipes}
    for sample in json.loads(path.read_text(encoding="utf-8")):
        with tempfile.TemporaryDirectory() as folder, Memory.open(folder) as memory:
            one = Path(folder) / "sample.json"
            one.write_text(json.dumps([sample]), encoding="utf-8")
            import_file(memory._core, one)
            known = {turn.id or "" for c in memory.conversations() for s in c.sessions for turn in s.turns}
            for item in sample["qa"]:
                gold = evidence(item, known)
                if not gold:
                    continue
                for recipe in recipes:
                    found = memory.recall(item["question"], k=k, recipe=recipe).candidates[:k]
                    turns = {id for candidate in found for id in candidate.turn_ids}
                    scores[recipe][item["category"]].append(len(gold & turns) / len(gold))
    return {recipe: summary(by_category) for recipe, by_category in scores.items()}


def summary(by_category: dict[int, list[float]]) -> dict[str, Any]:
    answerable = [s for category in (1, 2, 3, 4) for s in by_category.get(category, [])]
    everything = [s for found in by_category.values() for s in found]
    return {
        "cats_1_4": round(100 * mean(answerable), 1),
        "all": round(100 * mean(everything), 1),
        **{f"cat_{c}": round(100 * mean(found), 1) for c, found in sorted(by_category.items())},
        "questions": len(everything),
    }
