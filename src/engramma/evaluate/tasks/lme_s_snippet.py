"""LME-S-snippet: LongMemEval_S haystacks of which only the first 500 characters of user text are known.

It is not LongMemEval_S, and its figures must not be compared with those.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ...errors import UnreadableSource
from ...records import Conversation, Session, Turn
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
from .longmemeval import ABSTAIN, UNSEEN

NAME = "lme-s-snippet"
WHAT = "an LME-S-snippet file"
HINT = "docs/explanation/evaluation.md says how to make one from longmemeval_s.json."
FIELDS = ("question_id", "question_type", "question", "answer_session_ids", "sessions")


def read(path: Path, reading: TaskReading) -> Task:
    """A store a question, and one of all distinct sessions; a session is one turn of user text."""
    lines = [line for line in read_bytes(path, WHAT).splitlines() if line.strip()]
    rows = objects([parse_data_set(line, path, WHAT) for line in lines[: reading.limit]], FIELDS, path, WHAT, HINT)
    for row in rows:
        objects(row["sessions"], ("session_id", "date", "user_text_500"), path, WHAT, HINT)
    names = Names.of("s", (session["session_id"] for row in rows for session in row["sessions"]))
    own = Names.of("q", (row["question_id"] for row in rows))
    each, distinct = [], {}
    for row in rows:
        held = haystack(row["sessions"], names, path)
        each.append(BenchmarkStore(own[row["question_id"]], (Conversation("c01", tuple(held.values())),)))
        distinct.update({name: session for name, session in held.items() if name not in distinct})
    questions = tuple(_question(row, names, own) for row in rows)
    official = [q for q in questions if q.gold.sessions]
    if not official:
        raise UnreadableSource(f"{path} is not {WHAT}: no question names an answering session. {HINT}")
    return Task(
        name=NAME,
        title="LME-S-snippet",
        file=path.name,
        sha256=file_sha256(path),
        each=tuple(each),
        shared=BenchmarkStore("shared", (Conversation("c01", tuple(distinct[name] for name in sorted(distinct))),)),
        questions=questions,
        groups=("all", UNSEEN, *sorted({q.category for q in official}), ABSTAIN),
        headline=("session_any@1", "session_any@5", "session_any@10", "session_all@5", "session_all@10", "session_mrr"),
        notes=(
            f"n = {len(official)}: {len(questions) - len(official)} _abs questions excluded, as officially",
            f"{len(distinct)} distinct sessions, the first 500 characters of user text each: not LongMemEval_S",
        ),
        limit=reading.limit,
    )


def haystack(rows: Iterable[Mapping[str, Any]], names: Names, path: Path) -> dict[str, Session]:
    """The sessions by their new id, in its order; one without user text has nothing to remember."""
    found = {}
    for row in rows:
        name, text = row["session_id"], row["user_text_500"]
        if text.strip():
            new = names[name]
            said_at = parse_longmemeval_date(row["date"], path, f"session {name}")
            found[new] = Session(new, (Turn("user", text, said_at, f"t{new[1:]}", "user"),))
    return dict(sorted(found.items()))


def _question(row: Mapping[str, Any], names: Names, own: Names) -> BenchmarkQuestion:
    key, kind = row["question_id"], row["question_type"]
    trained, store = was_trained_on(key), own[row["question_id"]]
    if key.endswith("_abs"):
        return BenchmarkQuestion(key, row["question"], store, kind, Gold(), trained=trained, groups=(ABSTAIN,))
    sessions = frozenset(names[name] for name in row["answer_session_ids"] if name in names.known)
    turns = frozenset(f"t{name[1:]}" for name in sessions)
    groups = ("all", *(() if trained else (UNSEEN,)), kind)
    return BenchmarkQuestion(key, row["question"], store, kind, Gold(turns, sessions), trained=trained, groups=groups)
