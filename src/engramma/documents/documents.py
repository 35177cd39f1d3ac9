"""Documents: reads them, cuts them into chunks, and follows their changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path

from ..core.core import Core
from ..core.names import session_place
from ..errors import BadInput, UnreadableSource
from ..ingest.archive import archive_pending
from ..ingest.link import linker_of
from ..ingest.pipeline import Request
from ..ingest.remember import remember_requests
from ..ingest.reshape import Placed, SessionShape, reshape
from ..ingest.validate import MAX_NAME, Mask, checked_turns, chunk_hash
from ..language.text import DOCUMENTS, shorten
from ..language.times import HERE, from_seconds
from ..records import Document, Ingested, Problem, Turn
from ..sources import rooted_files
from ..sources.documents import find_documents, read_document
from ..store.sqlite.database import Row
from ..store.store import SessionRow, turn_of
from ..store.tombstones import buried
from .chunk import cut_document
from .heading_days import heading_notes, name_day, slash_order, written_on

HEADING = " › "  # between a document's name and the headings above a chunk


class Documents:
    """Documents: read, cut into chunks, and followed as they change."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def ingest(
        self,
        path: str | Path,
        *,
        name: str | None = None,
        progress: Callable[[Path], None] | None = None,
        within: Path | None = None,
    ) -> Ingested:
        """Read a document, or every document below a folder, and remember its chunks.

        A document is known by its path, or by the name given. One that changed gets its new chunks; those that
        stayed the same keep their links. What cannot be read is reported, and the rest goes on. Links below a folder
        are not followed; `within` is a folder that nothing outside of may be read, whatever `path` is by then.
        """
        root = Path(path).expanduser()
        report = Ingested()
        links: list[Path] = []
        with rooted_files.within(within or (root if root.is_dir() else None)):
            found = list(find_documents(root, links.append))
            if name is not None and (len(found) != 1 or root.is_dir()):
                raise BadInput("--name works with a single document only.")
            for file in found:
                try:
                    report += self._ingest_file(file, name or str(file.resolve()))
                except (UnreadableSource, BadInput) as error:
                    problem = Problem(str(file), "the whole file", str(error).removeprefix(f"{file} "), damage=True)
                    report = replace(report, problems=(*report.problems, problem))
                if progress is not None:
                    progress(file)
        left_out = (Problem(str(link), "the link", "not followed; ingest its target directly") for link in links)
        report = replace(report, problems=(*report.problems, *left_out))
        archive_pending(self._core.archive_folder, self._core.store)
        return replace(report, problems=self._core.mask_problems(report.problems))

    def all(self) -> list[tuple[str, int]]:
        """The names of the documents and how many chunks each has, without what is forgotten."""
        rows = self._core.store.all("sessions_listed", conversation=DOCUMENTS)
        return [(row["id"], row["segments"]) for row in rows if row["visible"]]

    # --- steps ---------------------------------------------------------------------------------

    def _ingest_file(self, file: Path, name: str) -> Ingested:
        document = read_document(file)
        said_at = from_seconds(int(file.stat().st_mtime))
        told = [("the whole file", note) for note in document.notes]
        told += [("headings", note) for note in heading_notes(document, said_at)]
        notes = tuple(Problem(str(file), where, note) for where, note in told)
        turns = chunk_turns(document, said_at, self._core.mask)
        turns = checked_turns(turns, self._core.config.max_turn_bytes, self._core.mask)
        _, name = session_place(self._core, DOCUMENTS, name, self._core.mask)
        session = self._core.store.session(DOCUMENTS, name)
        if session is not None:
            return replace(self._ingest_again(session, turns, said_at), problems=notes)
        if not turns:
            nothing = Problem(str(file), "the whole file", "there is nothing in it to remember")
            return Ingested(documents=1, problems=(*notes, nothing))
        made = remember_requests(self._core, [Request(DOCUMENTS, name, turns)])
        return Ingested(1, made.segments, made.known_turns, 0, made.purged_turns, notes)

    def _ingest_again(self, session: SessionRow, turns: Sequence[Turn], changed: datetime) -> Ingested:
        """Bring a known document to its present shape; a chunk whose heading or file states another day than is
        stored, as an earlier version read it, is stored anew."""
        rows = self._core.store.all("turns_of_session", session=session.key)
        known = {row["id"] for row in rows}
        gone = buried(self._core.store, DOCUMENTS, session.id, [turn for turn in turns if turn.id not in known])
        wanted = [turn for turn in turns if turn.id not in gone]
        days = {turn.id: _day(turn) for turn in wanted if turn.said_at != changed}

        def same(rows: Sequence[Row]) -> dict[str | None, Row]:
            return {
                row["id"]: row for row in rows if row["hidden"] or days.get(row["id"]) in (None, _day(turn_of(row)))
            }

        if [turn.id for turn in wanted] == [row["id"] for row in rows] and len(same(rows)) == len(rows):
            return Ingested(documents=1, unchanged=len(wanted), purged=len(gone))

        def placed(rows: Sequence[Row]) -> list[Placed]:
            there = same(rows)
            return [
                Placed(row["key"], turn_of(row), bool(row["hidden"]))
                if (row := there.get(turn.id))
                else Placed(None, turn)
                for turn in wanted
            ]

        fresh, linker = self._core.live_index().fresh, linker_of(self._core)
        done: SessionShape = reshape(self._core.store, self._core.embedder, fresh, linker, session, placed)
        new = sum(item.key is None for item in done.turns)
        return Ingested(1, new, len(done.turns) - new, len(done.dropped), len(gone))


def _day(turn: Turn) -> date | None:
    return turn.said_at.astimezone(HERE).date() if turn.said_at else None


def chunk_turns(document: Document, said_at: datetime, mask: Mask) -> list[Turn]:
    """A document's chunks as turns: said by the document, under its headings, on the day that these state, else on that
    of its name, else when it was last changed.

    Their ids come from what is kept of them, so that not even a hash of a secret is stored.
    """
    found, seen = [], Counter[str]()
    (order, _), named = slash_order(document), name_day(document, said_at)
    for chunk in cut_document(document):
        speaker = shorten(mask(HEADING.join((document.name, *chunk.headings))).text, MAX_NAME)
        base = chunk_hash(speaker, mask(chunk.text).text)
        seen[base] += 1
        when = written_on(chunk.headings, said_at, order, named)
        found.append(Turn(speaker, chunk.text, when, base if seen[base] == 1 else f"{base}-{seen[base]}"))
    return found
