"""What is left of a store, brought together: rows of its database and of rescued copies, and the files of its archive.

Everything is known by its place (namespace, conversation, session, turn id), because keys mean something only within
one database. Where two sources tell of one turn, the first that is given is believed.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import BadInput, StoreError, UnreadableSource
from ...ingest.archive import read_archive as read_file
from ...ingest.archive_text import ArchivedSession, parse_session
from ...language.text import plural
from ...language.times import from_micros
from ...records import Turn
from ...redaction.rule import Redaction
from ...rescan.names import find_text_files
from ...store.namespace_queries import check_namespace
from ...store.sqlite.readable_rows import Remains

NAMELESS = "salvaged"  # a conversation of turns whose session cannot be told any more
ARCHIVE = "archive"

Place = tuple[str, str, str]  # namespace, conversation, session


@dataclass(slots=True)
class LeftTurn:
    """A turn that can be read, its position in its session, and which source has it."""

    turn: Turn
    hidden: bool
    position: float
    origin: str


@dataclass(slots=True)
class LeftSession:
    """A session as far as it can be read. `expected`: how many turns it is known to have had."""

    closed: bool = True
    title: str | None = None
    source: str | None = None
    turns: dict[str, LeftTurn] = field(default_factory=dict)
    expected: int = 0
    span: tuple[int, int] | None = None  # when it began and ended, where that is known
    states: dict[tuple[int, int], int] = field(default_factory=dict)  # of its segments, by their first and last turn
    vectors: dict[tuple[int, int], bytes] = field(default_factory=dict)

    def ordered(self) -> list[LeftTurn]:
        return sorted(self.turns.values(), key=lambda left: left.position)

    @property
    def missing(self) -> int:
        """Turns that it had and that nobody tells of."""
        places = [left.position for left in self.turns.values() if left.position >= 0]
        gaps = int(max(places)) + 1 - len(places) if places else 0
        shown = sum(not left.hidden for left in self.turns.values())
        return max(gaps, self.expected - shown, 0)

    @property
    def is_as_it_was(self) -> bool:
        """Every turn is there, at the place where it was, and none is hidden: its segments are the same again."""
        places = [left.position for left in self.ordered()]
        return places == list(range(len(places))) and not any(left.hidden for left in self.turns.values())


@dataclass(slots=True)
class Source:
    """One thing that was read, and how far that went."""

    name: str
    how: str
    turns: int = 0
    pages: int = 0
    damaged_pages: int = 0


@dataclass(slots=True)
class Left:
    """All that is left."""

    sessions: dict[Place, LeftSession] = field(default_factory=dict)
    sources: list[Source] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)  # files of the archive
    databases: list[tuple[Remains, dict[int, str], dict[int, Place]]] = field(default_factory=list)


def gather(databases: Iterable[tuple[str, Remains]], archive: Path) -> Left:
    """Bring together what databases, the most trusted first, and an archive tell."""
    left = Left()
    files = dict(_read_archive(archive, left))
    told_at = {(file.namespace, turn.id, turn.text): place for place, file in files.items() for turn in file.turns}
    for name, remains in databases:
        before = sum(len(session.turns) for session in left.sessions.values())
        take_database(left, name, remains, files, told_at)
        added = sum(len(session.turns) for session in left.sessions.values()) - before
        left.sources.append(Source(name, remains.how, added, remains.pages, remains.damaged))
    source = Source(ARCHIVE, plural(len(files), "file"))
    for place, file in files.items():
        source.turns += take_file(left.sessions.setdefault(place, LeftSession()), file)
    left.sources.append(source)
    return left


# --- databases -------------------------------------------------------------------------------------------


def take_database(
    left: Left,
    origin: str,
    remains: Remains,
    files: Mapping[Place, ArchivedSession],
    told_at: Mapping[tuple[str, str | None, str], Place],
) -> None:
    """Add what a database tells and nobody before it did."""
    names = namespaces_of(remains, files)
    titles = {(row["ns"], row["id"]): (row["title"], row["source"]) for row in remains.of("conversations")}
    said: dict[tuple[int, int], list[dict[str, Any]]] = defaultdict(list)
    for row in remains.of("turns"):
        said[row["ns"], row["session"]].append(row)
    masked = redactions_of(remains)
    places: dict[int, Place] = {}
    for row in remains.of("sessions"):
        place = (names[row["ns"]], row["conversation"], row["id"])
        places[row["key"]] = place
        session = left.sessions.setdefault(place, LeftSession(closed=bool(row["closed"])))
        title, source = titles.get((row["ns"], row["conversation"]), (None, None))
        session.title, session.source = session.title or title, session.source or source
        session.expected = max(session.expected, row["visible"])
        session.span = session.span or (row["started_at"], row["last_at"])
    for (ns, key), rows in said.items():
        if key not in places:
            places[key] = place_of_orphans(names[ns], key, rows, told_at)
        session = left.sessions.setdefault(places[key], LeftSession())
        for row in rows:
            turn = _turn_of(row, masked.get(row["key"], ()))
            session.turns.setdefault(row["id"], LeftTurn(turn, row["hidden"] > 0, row["position"], origin))
    take_segments(left, remains, places)
    left.databases.append((remains, names, places))


def can_name_namespace(name: str) -> bool:
    """Whether a namespace can be called so."""
    with suppress(BadInput):
        check_namespace(name)
        return True
    return False


def namespaces_of(remains: Remains, files: Mapping[Place, ArchivedSession]) -> dict[int, str]:
    """Number -> name; a namespace whose row is gone is known by the archive's files of its sessions, or gets a name."""
    names = {row["ns"]: row["name"] for row in remains.of("namespaces") if can_name_namespace(row["name"])}
    archived: dict[tuple[str, str], set[str]] = defaultdict(set)
    for namespace, conversation, session in files:
        archived[conversation, session].add(namespace)
    for row in remains.of("sessions"):
        found = archived.get((row["conversation"], row["id"]), set()) - set(names.values())
        if row["ns"] not in names and len(found) == 1:
            names[row["ns"]] = next(iter(found))
    for ns in {row["ns"] for table in ("sessions", "turns") for row in remains.of(table)} - set(names):
        names[ns] = f"{NAMELESS}-{ns}"
    return names


def place_of_orphans(
    namespace: str, key: int, rows: list[dict[str, Any]], told_at: Mapping[tuple[str, str | None, str], Place]
) -> Place:
    """Where turns belong whose session's row is gone: where the archive tells them, or a session of their own."""
    for row in rows:
        if (place := told_at.get((namespace, row["id"], row["text"]))) is not None:
            return place
    return namespace, NAMELESS, f"session-{key}"


def redactions_of(remains: Remains) -> dict[int, tuple[Redaction, ...]]:
    found: dict[int, list[tuple[int, Redaction]]] = defaultdict(list)
    for row in remains.of("redactions"):
        one = Redaction(row["rule"], row["start"], row["start"] + row["length"], row["fingerprint"])
        found[row["turn"]].append((row["n"], one))
    return {turn: tuple(one for _, one in sorted(listed, key=lambda pair: pair[0])) for turn, listed in found.items()}


def _turn_of(row: Mapping[str, Any], redactions: tuple[Redaction, ...]) -> Turn:
    meta = json.loads(row["meta"]) if row["meta"] else {}
    said_at = from_micros(row["said_at"])
    return Turn(row["speaker"], row["text"], said_at, row["id"], row["role"], meta, redactions)


def take_segments(left: Left, remains: Remains, places: Mapping[int, Place]) -> None:
    """States and vectors of segments, by the turns that they are made of."""
    vectors = {(row["ns"], row["key"]): row["vector"] for row in remains.of("embeddings")}
    for row in remains.of("segments"):
        if (place := places.get(row["session"])) is None or place not in left.sessions:
            continue
        span = (row["first"], row["last"])
        left.sessions[place].states.setdefault(span, row["state"])
        if (vector := vectors.get((row["ns"], row["key"]))) is not None:
            left.sessions[place].vectors.setdefault(span, vector)


# --- the archive -----------------------------------------------------------------------------------------


def _read_archive(folder: Path, left: Left) -> Iterator[tuple[Place, ArchivedSession]]:
    """Every session that the archive's files tell of."""
    if not folder.is_dir():
        return
    for path in find_text_files(folder):
        try:
            found = parse_session(read_file(path).decode("utf-8"))
        except (OSError, UnicodeDecodeError, UnreadableSource, StoreError) as error:
            left.unreadable.append(f"{path.relative_to(folder)}: {error}")
            continue
        yield (found.namespace, found.conversation, found.session), found


def take_file(session: LeftSession, file: ArchivedSession) -> int:
    """Add the turns of a file that no database tells of, between those that stand around them; returns how many."""
    added, last = 0, -1.0
    session.expected = max(session.expected, len(file.turns) + file.missing)
    is_new = not session.turns
    for number, turn in enumerate(file.turns):
        assert turn.id is not None
        if turn.id in session.turns:
            last = session.turns[turn.id].position
            continue
        place = float(number) if is_new else free_place(session, last)
        session.turns[turn.id] = LeftTurn(turn, False, place, ARCHIVE)
        last = place
        added += 1
    return added


def free_place(session: LeftSession, after: float) -> float:
    """A place right behind another: the next whole one if nobody stands there, else one in between."""
    taken = {left.position for left in session.turns.values()}
    if (whole := float(int(after) + 1 if after >= 0 else 0)) not in taken:
        return whole
    following = min((place for place in taken if place > after), default=after + 1)
    return (after + following) / 2


def as_vector(data: bytes, dimension: int) -> NDArray[np.float16] | None:
    """A stored vector, if it is one of this size and of unit length."""
    if len(data) != 2 * dimension:
        return None
    found = np.frombuffer(data, dtype="<f2")
    return found if abs(float(np.linalg.norm(found.astype(np.float32))) - 1) < 0.01 else None
