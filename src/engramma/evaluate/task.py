"""What a benchmark is: talks to remember and questions about them, under ids that tell nothing."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ..errors import UnreadableSource
from ..files import foreign_json
from ..records import Conversation

KEPT_APART = 3  # one LongMemEval question in so many was never used to train the packaged encoder


@dataclass(frozen=True, slots=True)
class Gold:
    """The turns and sessions that answer a question."""

    turns: frozenset[str] = frozenset()
    sessions: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class BenchmarkQuestion:
    """A question, where it is asked, what answers it, and the groups it is reported in."""

    id: str
    text: str
    store: str
    category: str
    gold: Gold
    corrected: Gold | None = None  # the gold after a third party's corrections, where there are any
    trained: bool = False  # used in training the packaged encoder
    groups: tuple[str, ...] = ()
    asked_at: datetime | None = None  # where the data says when it is asked
    answer: str = ""  # the one expected, where the data has answers
    is_answerable: bool = True


@dataclass(frozen=True, slots=True)
class BenchmarkStore:
    """Talks that are remembered together."""

    name: str
    conversations: tuple[Conversation, ...]

    @property
    def turns(self) -> int:
        return sum(len(session.turns) for talk in self.conversations for session in talk.sessions)


@dataclass(frozen=True, slots=True)
class Task:
    """A benchmark, read from a file. The first group is the headline."""

    name: str
    title: str
    file: str
    sha256: str
    each: tuple[BenchmarkStore, ...]  # a store of its own for each conversation or question; may be none
    shared: BenchmarkStore  # everything together
    questions: tuple[BenchmarkQuestion, ...]
    groups: tuple[str, ...]
    headline: tuple[str, ...]  # the measures shown in tables, the most telling first
    notes: tuple[str, ...] = ()
    limit: int | None = None
    corrected: bool = False


@dataclass(frozen=True, slots=True)
class TaskReading:
    """How to read a data set: only the first questions, and with which corrections."""

    limit: int | None = None
    corrections: Path | None = None
    without_evidence: bool = False  # also questions that name no turn: they can be answered, but not ranked


@dataclass(slots=True)
class Names:
    """Neutral ids for the ids of a data set, in an order that a hash has shuffled.

    The ids of some data sets say what is gold ("answer_…"), and the order of a file may say it too.
    """

    prefix: str
    known: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, prefix: str, ids: Iterable[str]) -> Names:
        ordered = sorted(set(ids), key=lambda name: hashlib.sha256(f"{prefix} {name}".encode()).digest())
        width = max(2, len(str(len(ordered))))
        return cls(prefix, {name: f"{prefix}{number:0{width}d}" for number, name in enumerate(ordered, 1)})

    def __getitem__(self, name: str) -> str:
        return self.known[name]


def was_trained_on(question_id: str) -> bool:
    """Whether the packaged encoder's training used this LongMemEval question."""
    return int(hashlib.sha1(question_id.encode(), usedforsecurity=False).hexdigest(), 16) % KEPT_APART != 0


def read_bytes(path: Path, what: str) -> bytes:
    """A data set's file, unpacked if it is packed."""
    try:
        data = path.read_bytes()
        return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    except (OSError, EOFError, gzip.BadGzipFile) as error:
        raise UnreadableSource(f"{path} cannot be read as {what}: {error}") from error


def parse_data_set(data: bytes, path: Path, what: str) -> Any:
    try:
        return foreign_json.loads(data)
    except ValueError as error:
        raise UnreadableSource(f"{path} is not {what}: not JSON ({error})") from error


def objects(value: Any, needed: Iterable[str], path: Path, what: str, hint: str) -> list[dict[str, Any]]:
    """A list of objects that all have the fields needed, or a message that says what is missing where."""
    if not isinstance(value, list) or not value:
        raise UnreadableSource(f"{path} is not {what}: it holds no list of objects. {hint}")
    for number, item in enumerate(value, 1):
        missing = [name for name in needed if not isinstance(item, dict) or name not in item]
        if missing:
            raise UnreadableSource(f"{path} is not {what}: item {number} has no {', '.join(missing)}. {hint}")
    return value


def file_sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def parse_longmemeval_date(text: str, path: Path, where: str) -> datetime:
    """A date as LongMemEval writes it: 2023/04/10 (Mon) 17:50. Read as UTC, as the talks belong to no place."""
    try:
        day, _, clock = text.split()
        return datetime.strptime(f"{day} {clock}", "%Y/%m/%d %H:%M").replace(tzinfo=UTC)
    except (ValueError, AttributeError) as error:
        raise UnreadableSource(f"{path}, {where}: the date {text!r} is not like 2023/04/10 (Mon) 17:50") from error
