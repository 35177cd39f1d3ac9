"""LoCoMo: long talks of two people, with questions whose evidence names turns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from ... import sources
from ...errors import UnreadableSource
from ...records import Conversation
from ..task import (
    BenchmarkQuestion,
    BenchmarkStore,
    Gold,
    Names,
    Task,
    TaskReading,
    file_sha256,
    objects,
    parse_data_set,
    read_bytes,
)

NAME = "locomo"
WHAT = "a LoCoMo file"
HINT = "Get locomo10.json from github.com/snap-research/locomo."
CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
ANSWERABLE = "categories 1-4"
_EVIDENCE = re.compile(r"D:?([0-9]+):0*([0-9]+)")


def read(path: Path, reading: TaskReading) -> Task:
    """The talks and questions of a LoCoMo file; questions without evidence are left out."""
    samples = objects(
        parse_data_set(read_bytes(path, WHAT), path, WHAT), ("sample_id", "conversation", "qa"), path, WHAT, HINT
    )
    corrections = read_corrections(reading.corrections) if reading.corrections else {}
    talks = {talk.id: talk for talk in _conversations(path)}
    names = neutral_names(talks.values())
    stores: list[BenchmarkStore] = []
    questions: list[BenchmarkQuestion] = []
    skipped = changed = 0
    for sample in samples:
        room = None if reading.limit is None else reading.limit - len(questions)
        if room is not None and room <= 0:
            break
        talk = talks.get(sample["sample_id"])
        if talk is None:
            continue
        asked = sample_questions(sample, talk, names, corrections, path)
        kept = [question for question in asked if reading.without_evidence or question.gold.turns][:room]
        skipped += sum(not (reading.without_evidence or question.gold.turns) for question in asked)
        changed += sum(question.corrected not in (None, question.gold) for question in kept)
        stores.append(BenchmarkStore(names[talk.id], (_renamed(talk, names),)))
        questions += kept
    if not questions:
        raise UnreadableSource(f"{path} is not {WHAT}: no question names a turn as its evidence. {HINT}")
    notes = [f"{skipped} questions without evidence were left out"] if skipped else []
    if reading.corrections:
        notes.append(f"corrections change the evidence of {changed} questions")
        questions = [q if q.corrected else replace(q, corrected=q.gold) for q in questions]
    return Task(
        name=NAME,
        title="LoCoMo",
        file=path.name,
        sha256=file_sha256(path),
        each=tuple(stores),
        shared=BenchmarkStore("shared", tuple(talk for store in stores for talk in store.conversations)),
        questions=tuple(questions),
        groups=(ANSWERABLE, "all", *(_label(number) for number in CATEGORIES)),
        headline=("turn_recall@10", "turn_recall@20", "turn_mrr", "session_any@1", "session_any@5", "session_all@10"),
        notes=tuple(notes),
        limit=reading.limit,
        corrected=bool(reading.corrections),
    )


def _label(category: int) -> str:
    return f"{category} {CATEGORIES.get(category, 'other')}"


def _conversations(path: Path) -> Iterable[Conversation]:
    """The talks as `engramma import` reads them, so that what is measured is what users get."""
    found = sources.read_source(path, NAME, idle_gap=timedelta(minutes=30))
    return [talk for talk in found if isinstance(talk, Conversation)]


def turn_key(conversation: str, turn: str) -> str:
    return f"{conversation}/{turn}"


def neutral_names(talks: Iterable[Conversation]) -> dict[str, str]:
    """New ids for conversations, sessions ("conversation/session") and turns ("conversation/turn")."""
    talks = list(talks)
    sessions = Names.of("s", (turn_key(talk.id, s.id) for talk in talks for s in talk.sessions))
    turns = Names.of("t", (turn_key(talk.id, str(t.id)) for talk in talks for s in talk.sessions for t in s.turns))
    return {**Names.of("c", (talk.id for talk in talks)).known, **sessions.known, **turns.known}


def _renamed(talk: Conversation, names: Mapping[str, str]) -> Conversation:
    sessions = tuple(
        replace(
            session,
            id=names[turn_key(talk.id, session.id)],
            turns=tuple(replace(turn, id=names[turn_key(talk.id, str(turn.id))]) for turn in session.turns),
        )
        for session in talk.sessions
    )
    return Conversation(names[talk.id], sessions)


def sample_questions(
    sample: Mapping[str, Any],
    talk: Conversation,
    names: Mapping[str, str],
    corrections: Mapping[tuple[str, int], list[str]],
    path: Path,
) -> list[BenchmarkQuestion]:
    """A sample's questions, those without evidence too."""
    sessions = {str(turn.id): session.id for session in talk.sessions for turn in session.turns}
    found = []
    for number, item in enumerate(objects(sample["qa"], ("question", "category"), path, WHAT, HINT)):
        category = item["category"]
        mended = corrections.get((talk.id, number))
        found.append(
            BenchmarkQuestion(
                id=f"{talk.id}/{number}",
                text=item["question"],
                store=names[talk.id],
                category=_label(category),
                gold=gold(item.get("evidence", []), talk.id, sessions, names),
                # A correction that names no turn leaves nothing to find: the question keeps its evidence.
                corrected=(gold(mended, talk.id, sessions, names) if mended else None),
                groups=(*((ANSWERABLE,) if category != 5 else ()), "all", _label(category)),
                answer=str(item.get("answer", "")),
                is_answerable=category != 5,
            )
        )
    return found


def gold(written: Iterable[str], conversation: str, sessions: Mapping[str, str], names: Mapping[str, str]) -> Gold:
    turns = evidence(written, sessions)
    return Gold(
        frozenset(names[turn_key(conversation, turn)] for turn in turns),
        frozenset(names[turn_key(conversation, sessions[turn])] for turn in turns),
    )


def evidence(written: Iterable[str], known: Iterable[str]) -> list[str]:
    """The turns that evidence strings name, repaired: several in one string, D30:05, D:11:26; others are dropped."""
    matches = (_EVIDENCE.fullmatch(part) for text in written for part in re.split(r"[;\s]+", str(text)))
    named = dict.fromkeys(f"D{match[1]}:{match[2]}" for match in matches if match)
    there = set(known)
    return [turn for turn in named if turn in there]


def read_corrections(path: Path) -> dict[tuple[str, int], list[str]]:
    """Corrected evidence by (sample_id, place of the question)."""
    what = "a file of corrections"
    hint = "It needs a list of {sample_id, qa_index, correct_evidence}."
    rows = objects(
        parse_data_set(read_bytes(path, what), path, what),
        ("sample_id", "qa_index", "correct_evidence"),
        path,
        what,
        hint,
    )
    return {(row["sample_id"], row["qa_index"]): list(row["correct_evidence"]) for row in rows}
