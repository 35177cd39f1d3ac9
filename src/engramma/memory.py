"""Memory: the one facade. It constructs the parts and hands each call to one pipeline."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import Any

from .ask_calls import AskCalls
from .care_calls import CareCalls
from .config import Config, checked, default_store_path, load_config
from .document_calls import DocumentCalls
from .entity_calls import EntityCalls
from .errors import BadInput
from .forget_calls import ForgetCalls
from .graph_calls import GraphCalls
from .ingest.pipeline import Request
from .ingest.validate import check_name, check_talk, checked_turns
from .link_calls import LinkCalls
from .llm_calls import LLMCalls
from .models.embed import Embedder
from .models.lazy import LazyEmbedder
from .namespace_calls import NamespaceCalls
from .parts import ARCHIVE_FOLDER, DATABASE_FILE, INDEX_FOLDER, write_embedder
from .people_calls import PeopleCalls
from .person_calls import PersonCalls
from .recall.pipeline import recall
from .recall.query import Query
from .recall.recipes import Plan, check_overrides, checked_plan, plan_for
from .records import Conversation, Recall, RememberReport, Segment, Turn
from .redact_calls import RedactCalls
from .review_calls import ReviewCalls
from .revise_calls import ReviseCalls
from .session import LiveSession
from .store.engine import SQLITE, check_engine, kept_password, local_folder, open_database
from .store.postgres_address import is_address
from .store.private import make_folder
from .store.store import turn_of
from .team_calls import TeamCalls
from .times import to_micros
from .topic_calls import TopicCalls
from .trust import addresses_in, check, embedder_address, engine_address, say, server_in

__all__ = ["ARCHIVE_FOLDER", "DATABASE_FILE", "INDEX_FOLDER", "Memory", "write_embedder"]


class Memory(
    ReviewCalls,
    ReviseCalls,
    DocumentCalls,
    LinkCalls,
    GraphCalls,
    TopicCalls,
    EntityCalls,
    PersonCalls,
    PeopleCalls,
    LLMCalls,
    AskCalls,
    CareCalls,
    ForgetCalls,
    RedactCalls,
    NamespaceCalls,
    TeamCalls,
):
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
        """Open a store's directory, making it if needed. Nothing is downloaded and no server is needed.

        `path` may also be the address of a PostgreSQL database, postgres://user@host/name?schema=engramma.
        """
        shared = str(path) if is_address(path) else None
        if shared is not None:
            folder, shared = local_folder(shared, default_store_path())
        else:
            folder = Path(path).expanduser() if path is not None else default_store_path()
        make_folder(folder, create or shared is not None)
        settings = checked(config) if config is not None else load_config(folder)
        if shared is not None:
            settings = replace(settings, store={"engine": shared})
        elif not settings.store:  # the engine is the store's, whoever brings other settings along
            settings = replace(settings, store=load_config(folder).store)
        check_engine(settings.store, "config")
        if config is not None and not config.is_found:  # the caller's own words
            say(folder, *addresses_in(config), server_in(folder, config.store))
            say(folder, embedder_address(config.embedder), lasting=True)  # the store notes it
        if shared is None:
            check(folder, engine_address(settings.store), server_in(folder, settings.store))
        database = open_database(folder, settings.store, busy_seconds=settings.busy_seconds, create=create)
        try:
            if settings.store.get("engine", SQLITE) != SQLITE:
                from .store.homes import at_home

                database = at_home(database, namespace, kept_password(folder), folder)
            check_overrides(settings.recipes)
            memory = cls(folder, database, namespace, settings, create)
            if embedder is not None:
                if not isinstance(embedder, LazyEmbedder):  # that one is the store's own word, not the caller's
                    say(folder, embedder_address(getattr(embedder, "name", embedder)), lasting=True)
                memory.choose_embedder(embedder)
        except BaseException:
            database.close()
            raise
        return memory

    def close(self) -> None:
        """Let go of the store. A large index is saved, so that the next start is fast."""
        self.count_recalled()
        index, self._index = self._index, None
        if index is not None:
            index.save()
        backed, self._backed = self._backed, None
        if backed is not None:
            backed.follower.close()
        self._database.close()

    def __enter__(self) -> Memory:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # --- writing -------------------------------------------------------------------------------

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
        """Remember a session, verbatim. Again with more turns extends it; with the same turns changes nothing."""
        check_talk(conversation)
        check_name(session, "session")
        if not turns:
            raise BadInput(f"Session {self._look(session).text!r} has no turns. Give at least one.")
        good = checked_turns(turns, self.config.max_turn_bytes, self.mask)
        return self.remember_requests([Request(conversation, session, good, close, title, source)])

    def session(self, conversation: str, session: str | None = None) -> LiveSession:
        """A session to add turns to as they are said. Without an id, silence decides when a new one begins."""
        check_talk(conversation)
        if session is not None:
            check_name(session, "session")
        talk = self._conversation(conversation, self.mask)
        return LiveSession(self, talk, None if session is None else self._place(conversation, session, self.mask)[1])

    def close_session(self, conversation: str, session: str) -> RememberReport:
        """Close an open session: its segments enter the graph and its text the archive."""
        self._session_row(conversation, session)
        return self.remember_requests([Request(conversation, session, (), close=True)])

    def close_idle(self, now: datetime | None = None) -> RememberReport:
        """Close open sessions in which nothing was said for the idle gap."""
        limit = to_micros((now or datetime.now(UTC)) - timedelta(minutes=self.config.idle_minutes))
        rows = [row for row in self.store.sessions_pending() if not row.closed and row.last_at < limit]
        return self.remember_requests([Request(row.conversation, row.id, ()) for row in rows])

    # --- reading -------------------------------------------------------------------------------

    def recall(
        self,
        query: str,
        k: int = 10,
        recipe: str | Plan = "default",
        exclude_session: str | None = None,
        active_context: Sequence[str | Turn] = (),
        conversation: str | None = None,
        budget_tokens: int | None = None,
        asked_at: datetime | None = None,
        as_of: datetime | None = None,
        archived: bool = False,
        topic: int | None = None,
    ) -> Recall:
        """The segments that matter for a query, as a context block with sources.

        `recipe` is a name or a plan of your own. `asked_at` is what "last week" counts from; without it,
        the time at which something was last said. `as_of` answers with what was known then: later turns, merges
        and links are invisible. `archived` looks at what was archived, too; `topic` only at one topic.
        """
        plan = checked_plan(recipe) if isinstance(recipe, Plan) else plan_for(recipe, self.config.recipes)
        shown = (active_context,) if isinstance(active_context, str) else active_context
        for name, moment in (("asked_at", asked_at), ("as_of", as_of)):
            if moment is not None and not (isinstance(moment, datetime) and moment.utcoffset() is not None):
                raise BadInput(f"{name} must be a datetime with a time zone, such as datetime.now(UTC).")
        conversation = None if conversation is None else self._conversation(conversation)
        exclude_session = None if exclude_session is None else self._named("session", exclude_session)
        asked = Query(
            query, k, exclude_session, shown, conversation, budget_tokens, asked_at or as_of, as_of, archived, topic
        )
        fresh, reranker = self._fresh_for(asked), self._reranker_for(plan)
        found = recall(self.store, self.embedder, fresh, plan, self.thresholds, self._background_of, asked, reranker)
        self._note_recalled(found)
        if found.trace.counts.get("waiting") and found.trace.degraded is None:
            self.embed_in_passing()
        return self._with_facts(found, plan, asked) if plan.facts else found

    def sessions(self, conversation: str | None = None) -> list[Mapping[str, Any]]:
        """Every session with its times, state and size, oldest first."""
        conversation = None if conversation is None else self._conversation(conversation)
        return [dict(row) for row in self.store.all("sessions_listed", conversation=conversation)]

    def turns(self, conversation: str, session: str) -> list[Turn]:
        """A session's turns, verbatim, in the order in which they came."""
        return self.store.turns(self._session_row(conversation, session).key)

    def turns_under(self, conversation: str, prefix: str = "") -> list[tuple[str, Turn]]:
        """The turns of a conversation's sessions whose ids begin with a prefix, each with its session's id.

        In the order in which they were stored, without those that were forgotten.
        """
        check_name(conversation, "conversation")
        low, high = prefix, f"{prefix}{chr(0x10FFFF)}"
        rows = self.store.all("turns_under", conversation=self._conversation(conversation), low=low, high=high)
        return [(row["session"], turn_of(row)) for row in rows]

    def segment(self, segment_id: str) -> tuple[Segment, list[tuple[str, float, str]]] | None:
        """A segment by its id, with its edges as (kind, weight, other segment's id)."""
        key = self._segment_key(segment_id)
        if key is None:
            return None
        edges = [
            row for row in self.store.all("edges_of", key=key) if not (row["kind"] == "chain" and row["dst"] == key)
        ]
        others = [row["dst"] if row["src"] == key else row["src"] for row in edges]
        segments = self.store.hydrate([key, *others])
        if key not in segments:  # forgotten
            return None
        links = [
            (row["kind"], row["weight"], segments[other].id)
            for row, other in zip(edges, others, strict=True)
            if other in segments
        ]
        return segments[key], links

    def conversations(self) -> Iterator[Conversation]:
        """Everything remembered, conversation by conversation."""
        return self.store.conversations()

    def graph(self) -> tuple[list[Segment], list[tuple[str, str, str, float]]]:
        """All segments in time order, and all edges as (from id, to id, kind, weight)."""
        with self.store.snapshot():
            keys = self.store.keys("keys_all").tolist()
            segments = self.store.hydrate(keys)
            edges = self.store.all("edges_all")
        named = [
            (segments[r["src"]].id, segments[r["dst"]].id, r["kind"], r["weight"])
            for r in edges
            if r["src"] in segments and r["dst"] in segments  # else one end was forgotten
        ]
        return [segments[key] for key in keys if key in segments], named
