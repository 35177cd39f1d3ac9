"""Memory: one namespace of one store. Its own verbs, and an object for each feature."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal

from .config.settings import Config
from .core.core import ARCHIVE_FOLDER, INDEX_FOLDER
from .core.names import conversation_name, find_session, session_place, user_name
from .errors import BadInput
from .features import Features
from .models.embed import Embedder
from .namespaces.open import open_core
from .recall.count import count_recalled, note_recalled
from .recall.pipeline import recall_by_plan
from .recall.query import named_query
from .recall.recipes import checked_plan, plan_for
from .records import Conversation, Plan, Query, Recall, Segment, SessionInfo, Turn
from .store.engine import DATABASE_FILE
from .store.keys import context_key
from .store.store import session_info, turn_of

if TYPE_CHECKING:  # what a recall does not need is loaded by who asks for it
    from .ingest.backlog import Backlog
    from .ingest.live_session import LiveSession
    from .models.llm import LLM
    from .people import AnswerStream
    from .records import Act, Forgotten, RedactReport, Remembered, RememberReport
    from .records.people import Answer
    from .transfer.imports import Reading

__all__ = ["ARCHIVE_FOLDER", "DATABASE_FILE", "INDEX_FOLDER", "Memory"]


class Memory(Features):
    """One namespace of one store. Open it with `Memory.open`; use it as a context manager."""

    @classmethod
    def open(
        cls,
        path: str | Path | None = None,
        namespace: str = "default",
        *,
        embedder: str | Embedder | None = None,
        create: bool = True,
        config: Config | None = None,
    ) -> Memory:
        """Open a store's directory, creating it if needed. Nothing is downloaded and no server is needed.

        `path` may also be the address of a PostgreSQL database, postgres://user@host/name?schema=engramma.
        """
        return cls(open_core(path, namespace, embedder=embedder, create=create, config=config))

    def close(self) -> None:
        """Close the store. A large index is saved, so that the next start is fast."""
        count_recalled(self._core)
        self._core.close()

    def __enter__(self) -> Memory:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def path(self) -> Path:
        return self._core.path

    @property
    def config(self) -> Config:
        return self._core.config

    @property
    def namespace(self) -> str:
        return self._core.namespace

    @property
    def fence_key(self) -> bytes:
        """The key of the fences around what this memory hands out."""
        return context_key(self._core.store)

    @property
    def user_name(self) -> str:
        """What the user is called, as `people.me` was told; empty where nobody has said."""
        return user_name(self._core)

    # --- writing -------------------------------------------------------------------------------

    def remember(
        self,
        text: str,
        *,
        speaker: str = "user",
        tags: Iterable[str] = (),
        ttl: timedelta | None = None,
        source: str | None = None,
        session: str | None = None,
        strength: float = 0.5,
        at: datetime | None = None,
        meta: Mapping[str, str] | None = None,
    ) -> Remembered:
        """Store a note. One that repeats another is counted with it as a repeat, verbatim.

        `ttl` is how long it is worth keeping; `strength`, from 0 to 1, how much it matters to you; `meta` is what else
        you want to keep with it, as names and texts (a note whose metadata differ repeats none). If the embedder is
        unavailable, it is stored anyway, and what it repeats is decided when it is embedded.
        """
        add = partial(self.notes.add, text, speaker=speaker, tags=tags, ttl=ttl, at=at, meta=meta)
        return add(source=source, session=session, strength=strength)

    def remember_session(
        self,
        conversation: str,
        session: str,
        turns: Sequence[Turn],
        *,
        title: str | None = None,
        source: str | None = None,
        close: bool = True,
    ) -> RememberReport:
        """Remember a session, verbatim. Again with more turns, it is extended; with the same turns, nothing changes."""
        from .ingest.pipeline import Request
        from .ingest.remember import remember_requests
        from .ingest.validate import check_name, check_talk, checked_turns

        check_talk(conversation)
        check_name(session, "session")
        if not turns:
            raise BadInput(f"Session {self._core.look(session).text!r} has no turns. Give at least one.")
        good = checked_turns(turns, self._core.config.max_turn_bytes, self._core.mask)
        return remember_requests(self._core, [Request(conversation, session, good, close, title, source)])

    def session(self, conversation: str, session: str | None = None) -> LiveSession:
        """A session to add turns to as they are said. Without an id, a long pause starts a new one."""
        from .ingest.live_session import LiveSession
        from .ingest.validate import check_name, check_talk

        check_talk(conversation)
        if session is not None:
            check_name(session, "session")
        core = self._core
        talk = conversation_name(core, conversation, core.mask)
        return LiveSession(
            core, talk, None if session is None else session_place(core, conversation, session, core.mask)[1]
        )

    def close_session(self, conversation: str, session: str) -> RememberReport:
        """Close an open session: its segments enter the graph and its text the archive."""
        from .ingest.live_session import close_session

        return close_session(self._core, conversation, session)

    def close_idle(self, now: datetime | None = None) -> RememberReport:
        """Close open sessions in which nothing was said for the idle gap."""
        from .ingest.live_session import close_idle

        return close_idle(self._core, now)

    # --- asking --------------------------------------------------------------------------------

    def recall(
        self,
        query: str | Query,
        k: int | None = None,
        recipe: str | Plan = "default",
        exclude_session: str | None = None,
        active_context: Sequence[str | Turn] = (),
        conversation: str | None = None,
        budget_tokens: int | None = None,
        asked_at: datetime | None = None,
        as_of: datetime | None = None,
        archived: bool = False,
        topic: int | None = None,
        *,
        speaker: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        tag: str | None = None,
        source: str | None = None,
    ) -> Recall:
        """The segments that matter for a query, as a context block with sources.

        `k` is how many entries are wanted: ten, unless a budget of tokens is given to be filled with as many as fit.
        `recipe` is a name or a plan of your own. `asked_at` is what "last week" is relative to; by default
        the time at which something was last said. `as_of` answers with what was known then: later turns, merges
        and links are invisible. `archived` includes archived segments; `topic` searches only one topic. `speaker`,
        `since`, `until`, `tag` and `source` search only what somebody says, what was said from one time to before
        another, notes with a tag, and what came from an import format, a note's source or a document. A `Query` has
        all of these but the recipe; then they are its own alone.
        """
        plan = checked_plan(recipe) if isinstance(recipe, Plan) else plan_for(recipe, self._core.config.recipes)
        if not isinstance(query, Query):
            bounds = (exclude_session, active_context, conversation, budget_tokens, asked_at, as_of, archived, topic)
            query = Query(query, k, *bounds, None, speaker, since, until, tag, source)
        asked = named_query(self._core, query)
        found = recall_by_plan(self._core, plan, asked)
        note_recalled(self._core, found)
        if found.trace.counts.get("waiting") and found.trace.degraded is None:
            from .ingest.waiting_segments import embed_in_passing

            embed_in_passing(self._core)
        if not plan.facts:
            return found
        from .people import with_facts

        return with_facts(self._core, found, plan, asked)

    def ask(self, question: str, conversation: str | None = None, llm: LLM | Literal[False] | None = None) -> Answer:
        """What is known about a question, with its sources, or why it is not answered.

        An answer is a sentence that somebody said (`quote`), with a short answer where the quote gives one, and its
        turn first among the evidence. `verdict` says whether it answers, is unsure (the quote is what was found), or
        does not know; `confidence` how likely the quote answers the question as it is asked. With `answers = true` in
        the settings' table [llm], the configured model writes the answer: each of its `sentences` names the turns that
        it rests on and is checked against them. Where the model fails, the answer is the one without it, and `remark`
        says so. `llm` is another model to write it, or False for none.
        """
        return self._ask.answer(question, conversation, llm)

    def ask_stream(
        self, question: str, conversation: str | None = None, llm: LLM | Literal[False] | None = None
    ) -> AnswerStream:
        """The same while it is written: iterate over its checked sentences, then take its `answer`.

        Use it as a context manager: leaving the block ends the model's work. `cancel()` does so from another thread.
        """
        return self._ask.stream(question, conversation, llm)

    # --- forgetting ----------------------------------------------------------------------------

    def forget(
        self,
        ids: Sequence[str] | None = None,
        *,
        query: str | None = None,
        speaker: str | None = None,
        conversation: str | None = None,
        session: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        preview: bool = False,
    ) -> Forgotten:
        """Hide what matches all of these criteria from recall, notes and exports; `undo` brings it
        back. A query means the turns that contain its words. With `preview`, only report what that would be.
        """
        from .forget.forget import Forgetting
        from .forget.select import Selection

        bounds = Selection(ids, query, speaker, conversation, session, since, until)
        return Forgetting(self._core).forget(bounds, preview=preview)

    def purge(
        self,
        ids: Sequence[str] | None = None,
        *,
        act: int | None = None,
        query: str | None = None,
        speaker: str | None = None,
        conversation: str | None = None,
        session: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        preview: bool = False,
    ) -> Forgotten:
        """Permanently delete what matches these criteria, or what an act of forgetting hid, from every file.

        Only keyed hashes remain, which keep it from coming back with an import, and what is in backups, which the
        result lists: delete those and make a new one. An interrupted purge has already hidden all of it, and the next
        purge finishes it, too. With `preview`, only report what would go.
        """
        from .forget.forget import Forgetting
        from .forget.select import Selection

        bounds = Selection(ids, query, speaker, conversation, session, since, until)
        return Forgetting(self._core).purge(bounds, act, preview)

    def undo(self, act_id: int) -> Act:
        """Undo an act: everything is as if it had not been done. Returns the act, marked as undone."""
        return self.acts.undo(act_id)

    def redact_stored(self, apply: bool = False) -> RedactReport:
        """Look for secrets in what was stored before masking, or under fewer rules; with `apply`, mask them everywhere.

        Masked text permanently replaces what was said. If interrupted, the next call continues.
        """
        return self.redactor.rescan(apply)

    # --- files ---------------------------------------------------------------------------------

    def import_(
        self, path: str | Path, reading: Reading | None = None, progress: Callable[[int, int], None] | None = None
    ) -> RememberReport:
        """Import one file. What is known is skipped, what cannot be read is reported, and the rest is imported.

        `reading` says how to read it; `progress` is called with (turns taken, problems) since the last call.
        """
        return self.transfer.import_file(Path(path), reading, progress)

    def export(self) -> Iterator[str]:
        """Everything said in this namespace as JSON lines; importing them gives the same memory."""
        return self.transfer.export()

    def backup(self, target: str | Path) -> None:
        """The whole store, all namespaces, in one zip file, while others may go on writing."""
        self.transfer.backup(Path(target))

    def stats(self) -> dict[str, Any]:
        """What is remembered, how large it is, which model and which thresholds it works with."""
        return self.admin.stats()

    # --- reading -------------------------------------------------------------------------------

    def sessions(self, conversation: str | None = None) -> list[SessionInfo]:
        """Every session with its times, state and size, oldest first."""
        conversation = None if conversation is None else conversation_name(self._core, conversation)
        return [session_info(row) for row in self._core.store.all("sessions_listed", conversation=conversation)]

    def turns(self, conversation: str, session: str) -> list[Turn]:
        """A session's turns, verbatim, in the order in which they came."""
        return self._core.store.turns(find_session(self._core, conversation, session).key)

    def turns_under(self, conversation: str, prefix: str = "") -> list[tuple[str, Turn]]:
        """The turns of a conversation's sessions whose ids begin with a prefix, each with its session's id.

        In the order in which they were stored, without those that were forgotten.
        """
        from .ingest.validate import check_name

        check_name(conversation, "conversation")
        low, high = prefix, f"{prefix}{chr(0x10FFFF)}"
        rows = self._core.store.all(
            "turns_under", conversation=conversation_name(self._core, conversation), low=low, high=high
        )
        return [(row["session"], turn_of(row)) for row in rows]

    def segment(self, segment_id: str, *, by_turn: bool = False) -> tuple[Segment, list[tuple[str, float, str]]] | None:
        """A segment by its id, with its edges as (kind, weight, other segment's id).

        `by_turn`: also by the id of a turn in it, alone or as `conversation/turn` or `conversation/session/turn`.
        """
        from .links.surroundings import segment_with_edges

        return segment_with_edges(self._core, segment_id, by_turn)

    def conversations(self) -> Iterator[Conversation]:
        """Everything remembered, conversation by conversation."""
        return self._core.store.conversations()

    def graph(self) -> tuple[list[Segment], list[tuple[str, str, str, float]]]:
        """All segments in time order, and all edges as (from id, to id, kind, weight)."""
        from .links.surroundings import whole_graph

        return whole_graph(self._core)

    def backlog(self) -> Backlog:
        """How many segments wait for the embedder, and since when it is unavailable."""
        from .ingest.waiting_segments import backlog

        return backlog(self._core)
