"""LongMemEval's oracle file: every session of every question pooled in one store."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from ...errors import UnreadableSource
from ...records import Conversation, Role, Session, Turn
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
    parse_longmemeval_date,
    read_bytes,
    was_trained_on,
)

NAME = "longmemeval"
WHAT = "a LongMemEval file"
HINT = "Get longmemeval_oracle.json from github.com/xiaowu0162/LongMemEval."
FIELDS = (
    "question_id",
    "question_type",
    "question",
    "question_date",
    "haystack_dates",
    "haystack_session_ids",
    "haystack_sessions",
    "answer_session_ids",
)
UNSEEN = "never trained on"
USER_EVIDENCE = "evidence by the user"
ABSTAIN = "unanswerable (_abs)"
TASTE = "single-session-preference"
ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant", "system": "system", "tool": "tool"}
SECOND = timedelta(seconds=1)


def read(path: Path, reading: TaskReading) -> Task:
    """All sessions in one store. `_abs` questions have no answer in it: they count only as refused or not.

    Where answers are asked for (`without_evidence`), each session is a conversation of its own, as chats are imported.
    """
    rows = objects(parse_data_set(read_bytes(path, WHAT), path, WHAT), FIELDS, path, WHAT, HINT)
    rows = rows[: reading.limit]
    sessions = distinct_sessions(rows, path)
    names = Names.of("s", sessions)
    turns = Names.of("t", (f"{name}/{place}" for name, s in sessions.items() for place in range(len(s.turns))))
    evidence = {name: answering(name, talk) for row in rows for name, talk in _pairs(row)}
    questions = tuple(
        replace(
            _question(row, names, turns, evidence),
            asked_at=parse_longmemeval_date(row["question_date"], path, f"question {row['question_id']}"),
        )
        for row in rows
    )
    if reading.without_evidence:  # refusals are told beside the answers of the same kind
        questions = tuple(q if q.is_answerable else replace(q, groups=_beside(q)) for q in questions)
    held = sorted((_renamed(name, s, names, turns) for name, s in sessions.items()), key=lambda s: s.id)
    official = [q for q in questions if q.gold.sessions]
    if not official:
        raise UnreadableSource(f"{path} is not {WHAT}: no question names an answering session. {HINT}")
    with_user = sum(USER_EVIDENCE in q.groups for q in official)
    kinds = sorted({q.category for q in official})
    return Task(
        name=NAME,
        title="LongMemEval oracle, pooled",
        file=path.name,
        sha256=file_sha256(path),
        each=(),
        shared=BenchmarkStore("shared", _talks(held, reading.without_evidence)),
        questions=questions,
        groups=("all", UNSEEN, USER_EVIDENCE, *kinds, ABSTAIN),
        headline=("session_any@1", "session_any@5", "session_all@5", "session_all@10", "turn_any@5", "turn_recall@10"),
        notes=(
            f"n = {len(official)}: {len(questions) - len(official)} _abs questions excluded, as officially",
            f"{with_user} of them have a user turn as evidence (the official turn-level n)",
            f"{len(sessions)} sessions, user and assistant turns",
        ),
        limit=reading.limit,
    )


def _beside(question: BenchmarkQuestion) -> tuple[str, ...]:
    return ("all", *([] if question.trained else [UNSEEN]), question.category, *question.groups)


def _talks(held: list[Session], is_apart: bool) -> tuple[Conversation, ...]:
    if not is_apart:
        return (Conversation("c01", tuple(held)),)
    return tuple(Conversation(session.id, (session,)) for session in held)


def _pairs(row: Mapping[str, Any]) -> Iterable[tuple[str, list[dict[str, Any]]]]:
    return zip(row["haystack_session_ids"], row["haystack_sessions"], strict=False)


def distinct_sessions(rows: Iterable[Mapping[str, Any]], path: Path) -> dict[str, Session]:
    """Sessions by the data's own id, each once, at the first date given for it."""
    found: dict[str, Session] = {}
    for row in rows:
        ids, dates, talks = row["haystack_session_ids"], row["haystack_dates"], row["haystack_sessions"]
        if not len(ids) == len(dates) == len(talks):
            raise UnreadableSource(f"{path}, {row['question_id']}: sessions, dates and ids differ in number")
        for name, date, talk in zip(ids, dates, talks, strict=True):
            if name not in found:
                found[name] = Session(name, said(talk, date, path, f"session {name}"))
    return found


def said(talk: Any, date: str, path: Path, where: str) -> tuple[Turn, ...]:
    start = parse_longmemeval_date(date, path, where)
    turns = []
    for place, item in enumerate(objects(talk, ("role", "content"), path, WHAT, HINT)):
        role = ROLES.get(item["role"])
        if role is None:
            raise UnreadableSource(f"{path}, {where}: unknown role {item['role']!r}")
        turns.append(Turn(role, item["content"], start + SECOND * place, str(place), role))
    return tuple(turns)


def answering(name: str, talk: Iterable[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """(turn, role) of a session's turns that hold an answer."""
    return [(f"{name}/{place}", turn["role"]) for place, turn in enumerate(talk) if turn.get("has_answer")]


def _renamed(name: str, session: Session, names: Names, turns: Names) -> Session:
    kept = tuple(
        Turn(turn.speaker, turn.text, turn.said_at, turns[f"{name}/{turn.id}"], turn.role)
        for turn in session.turns
        if turn.text.strip()
    )
    return Session(names[name], kept)


def _question(
    row: Mapping[str, Any], names: Names, turns: Names, evidence: Mapping[str, list[tuple[str, str]]]
) -> BenchmarkQuestion:
    key, kind = row["question_id"], row["question_type"]
    trained = was_trained_on(key)
    if key.endswith("_abs"):
        found = BenchmarkQuestion(key, row["question"], "shared", kind, Gold(), trained=trained, groups=(ABSTAIN,))
        return replace(found, is_answerable=False)
    sessions = [name for name in row["answer_session_ids"] if name in names.known]
    hits = [hit for name in sessions for hit in evidence[name]]
    groups = ["all", kind]
    groups += [] if trained else [UNSEEN]
    groups += [USER_EVIDENCE] if any(role == "user" for _, role in hits) else []
    gold = Gold(frozenset(turns[turn] for turn, _ in hits), frozenset(names[name] for name in sessions))
    found = BenchmarkQuestion(key, row["question"], "shared", kind, gold, trained=trained, groups=tuple(groups))
    is_taste = kind == TASTE  # its gold is a rubric, of which no words can be looked for
    return replace(found, answer="" if is_taste else str(row.get("answer", "")))
