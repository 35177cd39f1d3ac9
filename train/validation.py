"""The sets that measure: LoCoMo (never trained on), the LongMemEval questions kept apart, and everyday sentences."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from .longmemeval import LongMemEval, is_kept_apart

EVERYDAY = Path(__file__).with_name("everyday_pairs.tsv")
_EVIDENCE = re.compile(r"D:?(\d+):0*(\d+)")


@dataclass(frozen=True, slots=True)
class Store:
    """Texts of one store and the questions asked of it; numbers count within `texts` and `questions`."""

    name: str
    texts: list[str]
    sessions: list[int]
    questions: list[str]
    kinds: list[int]
    gold: list[list[int]]  # turns for LoCoMo, sessions for LongMemEval
    is_session_gold: bool = False


@dataclass(frozen=True, slots=True)
class Validation:
    """Everything that is measured."""

    locomo: list[Store] = field(default_factory=list)
    longmemeval: Store | None = None
    everyday: list[tuple[str, str, int]] = field(default_factory=list)  # 1: a paraphrase

    def save(self, path: Path) -> None:
        path.write_text(json.dumps(asdict(self)), "utf-8")


def load(path: Path) -> Validation:
    """What `Validation.save` wrote."""
    read = json.loads(path.read_text("utf-8"))
    apart = Store(**read["longmemeval"]) if read["longmemeval"] else None
    return Validation([Store(**store) for store in read["locomo"]], apart, [(a, b, c) for a, b, c in read["everyday"]])


def locomo(path: Path) -> list[Store]:
    """One store a conversation; documents are "<speaker>: <text>"."""
    return [_conversation(row) for row in json.loads(path.read_text("utf-8"))]


def _conversation(row: dict[str, Any]) -> Store:
    places: dict[str, int] = {}
    store = Store(row.get("sample_id", ""), [], [], [], [], [])
    for name, turns in row["conversation"].items():
        if match := re.fullmatch(r"session_(\d+)", name):
            for turn in turns:
                places[turn["dia_id"]] = len(store.texts)
                store.texts.append(f"{turn['speaker']}: {turn['text']}")
                store.sessions.append(int(match[1]))
    for question in row["qa"]:
        if gold := evidence(question["evidence"], places):
            store.questions.append(question["question"])
            store.kinds.append(question["category"])
            store.gold.append(gold)
    return store


def evidence(written: list[str], places: dict[str, int]) -> list[int]:
    """The turns that evidence strings name, repaired as far as they can be."""
    names = (name for text in written for name in re.split(r"[;\s]+", text))
    matches = (_EVIDENCE.fullmatch(name) for name in names)
    found = {places.get(f"D{match[1]}:{match[2]}") for match in matches if match}
    return sorted(place for place in found if place is not None)


def longmemeval(data: LongMemEval) -> Store:
    """All sessions in one store, asked the questions kept from training that have an answer."""
    store = Store("longmemeval", [], [], [], [], [], is_session_gold=True)
    for session in data.sessions:
        for turn in session.turns:
            store.texts.append(f"{turn.role}: {turn.text}")
            store.sessions.append(session.number)
    for question in data.questions:
        if is_kept_apart(question.key) and not question.key.endswith("_abs") and question.answering:
            store.questions.append(question.text)
            store.kinds.append(0)
            store.gold.append(sorted(set(question.answering)))
    return store


def everyday(path: Path = EVERYDAY) -> list[tuple[str, str, int]]:
    """Sentence pairs with 1 for a paraphrase and 0 for two unrelated sentences."""
    rows = [line.split("\t") for line in path.read_text("utf-8").splitlines() if line and not line.startswith("#")]
    return [(first, second, int(label)) for label, first, second in rows]
