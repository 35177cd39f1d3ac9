"""Memory: the one facade. It constructs the parts and hands each call to one pipeline."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from .config import Config, checked, default_store_path, load_config
from .errors import BadInput, EmbedderMismatch, StoreError, StoreNotFound, StoreNotWritable
from .index.index import VectorIndex
from .indexes import FreshIndex
from .ingest.archive import archive_pending
from .ingest.link import Linker
from .ingest.pipeline import Request, remember
from .ingest.validate import check_name, checked_turns
from .models.embed import FORMER, Embedder, Progress, load
from .recall import thresholds as thresholds_module
from .recall.evidence import Background, background
from .recall.pipeline import recall
from .recall.query import Query
from .recall.recipes import Plan, check_overrides, checked_plan, plan_for
from .records import Conversation, Recall, RememberReport, Segment, Thresholds, Turn
from .session import LiveSession
from .store.sqlite import Database
from .store.store import SessionRow, Store
from .times import to_micros

if TYPE_CHECKING:
    from .models.rerank import Reranker

DATABASE_FILE = "memory.db"
ARCHIVE_FOLDER = "archive"
INDEX_FOLDER = "index"


class Memory:
    """One namespace of one store. Open it with `Memory.open`; use it as a context manager."""

    def __init__(self, path: Path, database: Database, namespace: str, config: Config, create: bool = True) -> None:
        self.path = path
        self.config = config
        self.store = Store(database, namespace, create=create)
        self._database = database
        self._embedder: Embedder | None = None
        self._reranker: Reranker | None = None
        self._index: FreshIndex | None = None
        self._calibrated: tuple[int, Plan, Thresholds] | None = None
        self._background: tuple[int, Background] | None = None

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
        """Open a store's directory, making it if needed. Nothing is downloaded and no server is needed."""
        folder = Path(path).expanduser() if path is not None else default_store_path()
        make_folder(folder, create)
        settings = checked(config) if config is not None else load_config(folder)
        database = Database(folder / DATABASE_FILE, busy_seconds=settings.busy_seconds, create=create)
        try:
            check_overrides(settings.recipes)
            memory = cls(folder, database, namespace, settings, create)
            if embedder is not None:
                memory._adopt(*((load(embedder), embedder) if isinstance(embedder, str) else (embedder, embedder.name)))
        except BaseException:
            database.close()
            raise
        return memory

    def close(self) -> None:
        """Let go of the store. A large index is saved, so that the next start is fast."""
        index, self._index = self._index, None
        if index is not None:
            index.save()
        self._database.close()

    def __enter__(self) -> Memory:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def namespace(self) -> str:
        return self.store.namespace

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
        check_name(conversation, "conversation")
        check_name(session, "session")
        if not turns:
            raise BadInput(f"Session {session!r} has no turns. Give at least one.")
        good = checked_turns(turns, self.config.max_turn_bytes)
        return self.remember_requests([Request(conversation, session, good, close, title, source)])

    def remember_requests(self, requests: Iterable[Request], progress: Progress | None = None) -> RememberReport:
        """Store checked sessions: embedded together, one transaction each, then archived."""
        report = RememberReport()
        if group := list(requests):
            report = remember(self.store, self.embedder, self._fresh_index().fresh, self._linker(), group, progress)
        archive_pending(self.path / ARCHIVE_FOLDER, self.store)
        return report

    def session(self, conversation: str, session: str | None = None) -> LiveSession:
        """A session to add turns to as they are said. Without an id, silence decides when a new one begins."""
        check_name(conversation, "conversation")
        if session is not None:
            check_name(session, "session")
        return LiveSession(self, conversation, session)

    def close_session(self, conversation: str, session: str) -> RememberReport:
        """Close an open session: its segments enter the graph and its text the archive."""
        if self.store.session(conversation, session) is None:
            raise BadInput(f"There is no session {session!r} in conversation {conversation!r}.")
        return self.remember_requests([Request(conversation, session, (), close=True)])

    def close_idle(self, now: datetime | None = None) -> RememberReport:
        """Close open sessions in which nothing was said for the idle gap."""
        limit = to_micros((now or datetime.now(UTC)) - timedelta(minutes=self.config.idle_minutes))
        rows = [row for row in self.store.sessions_pending() if not row.closed and row.last_at < limit]
        return self.remember_requests([Request(row.conversation, row.id, ()) for row in rows])

    def finish_pending(self) -> RememberReport:
        """Finish what a crash left: closed sessions that are not in the graph or not in the archive."""
        rows = [row for row in self.store.sessions_pending() if row.closed and not row.linked]
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
    ) -> Recall:
        """The segments that matter for a query, as a context block with sources.

        `recipe` is a name or a plan of your own. `asked_at` is what "last week" counts from; without it,
        the time at which something was last said.
        """
        plan = checked_plan(recipe) if isinstance(recipe, Plan) else plan_for(recipe, self.config.recipes)
        shown = (active_context,) if isinstance(active_context, str) else active_context
        if asked_at is not None and not (isinstance(asked_at, datetime) and asked_at.utcoffset() is not None):
            raise BadInput("asked_at must be a datetime with a time zone, such as datetime.now(UTC).")
        asked = Query(query, k, exclude_session, shown, conversation, budget_tokens, asked_at)
        fresh, reranker = self._fresh_index().fresh, self._reranker_for(plan)
        return recall(self.store, self.embedder, fresh, plan, self.thresholds, self._background_of, asked, reranker)

    def thresholds(self, plan: Plan | None = None) -> Thresholds:
        """The thresholds a plan works with: fixed, or calibrated on what is stored now."""
        plan = plan or plan_for("default", self.config.recipes)
        if plan.thresholds != "auto":
            return thresholds_module.fixed(plan)
        index, seq = self._fresh_index().fresh()
        if self._calibrated is None or self._calibrated[:2] != (seq, plan):
            rows = self.store.all("segment_sample", limit=thresholds_module.SAMPLE)
            rows = [row for row in rows if row["key"] in index]
            keys = np.array([row["key"] for row in rows], dtype=np.int64)
            sessions = np.array([row["session"] for row in rows], dtype=np.int64)
            found = thresholds_module.calibrate(plan, index.vectors(keys), sessions, self._probes(), len(index))
            self._calibrated = (seq, plan, found)
        return self._calibrated[2]

    def _background_of(self, index: VectorIndex) -> Background:
        """What is ordinary in the store as this index sees it."""
        seq = self.store.last_change()
        if self._background is None or self._background[0] != seq:
            rows = self.store.all("segment_sample", limit=thresholds_module.SAMPLE)
            keys = np.array([row["key"] for row in rows if row["key"] in index], dtype=np.int64)
            self._background = (seq, background(self.store, index, keys))
        return self._background[1]

    def sessions(self, conversation: str | None = None) -> list[Mapping[str, Any]]:
        """Every session with its times, state and size, oldest first."""
        return [dict(row) for row in self.store.all("sessions_listed", conversation=conversation)]

    def turns(self, conversation: str, session: str) -> list[Turn]:
        """A session's turns, verbatim, in the order in which they came."""
        return self.store.turns(self._session_row(conversation, session).key)

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
        named = [(segments[r["src"]].id, segments[r["dst"]].id, r["kind"], r["weight"]) for r in edges]
        return [segments[key] for key in keys], named

    # --- parts ---------------------------------------------------------------------------------

    @property
    def embedder(self) -> Embedder:
        """The model this store is embedded with, loaded when first needed."""
        if self._embedder is None:
            spec = self.config.embedder or self.store.meta("embedder_spec")
            if self.config.embedder is None and spec in FORMER:
                raise EmbedderMismatch(
                    f"This memory was embedded with {spec}, the encoder of an earlier version. Everything is still "
                    "here: run `engramma reindex` once to embed it with the one that comes with this version."
                )
            self._adopt(load(spec), spec)
        embedder = self._embedder
        assert embedder is not None
        stored = self.store.meta("embedder_sha256")
        if stored != embedder.sha256:
            raise EmbedderMismatch("The store was reindexed with another embedder meanwhile. Open it again.")
        return embedder

    def _reranker_for(self, plan: Plan) -> Reranker | None:
        """The model that puts the first ranked in order, loaded when a plan first asks for it."""
        if plan.rerank and self._reranker is None:
            from .models.rerank import load_reranker

            self._reranker = load_reranker(self.config.reranker)
        return self._reranker

    def _adopt(self, embedder: Embedder, spec: str | None) -> None:
        """Use this embedder if the store is new or was made with it."""
        name, sha256, dimension = (self.store.meta(f"embedder_{part}") for part in ("name", "sha256", "dimension"))
        if sha256 is None:
            with self.store.transaction():
                if self.store.meta("embedder_sha256") is None:
                    write_embedder(self.store, embedder, spec)
            name, sha256, dimension = (self.store.meta(f"embedder_{part}") for part in ("name", "sha256", "dimension"))
        if (sha256, dimension) != (embedder.sha256, embedder.dimension):
            raise EmbedderMismatch(
                f"This store was embedded with {name} ({dimension} dims, sha256 {str(sha256)[:12]}…), not with "
                f"{embedder.name} ({embedder.dimension} dims, sha256 {embedder.sha256[:12]}…). Open it with the first, "
                f"or re-embed everything with `engramma reindex --embedder {spec or embedder.name}`."
            )
        self._embedder = embedder

    def forget_parts(self) -> None:
        """Load embedder and index anew when next needed: the store was reindexed."""
        self._embedder = self._index = self._calibrated = self._background = None

    def _fresh_index(self) -> FreshIndex:
        embedder = self.embedder
        if self._index is None:
            self._index = FreshIndex(self.store, embedder.dimension, embedder.sha256, self.path / INDEX_FOLDER)
        return self._index

    def _linker(self) -> Linker:
        floor = self.config.edge_floor if self.config.edge_floor is not None else self.embedder.edge_floor
        return Linker(self.config.edge_cap, floor, self._fresh_index().reach)

    def _probes(self) -> NDArray[np.float16]:
        """The probe questions' vectors: made once for a store and kept in it."""
        name = f"probes_{self.embedder.sha256[:16]}"
        if (data := self.store.meta(name)) is None:
            data = self.embedder.embed(thresholds_module.PROBES, "query").astype("<f2").tobytes()
            with suppress(StoreError), self.store.transaction():  # a full disk is no reason not to answer
                self.store.put_meta(name, data)
        return np.frombuffer(data, dtype="<f2").reshape(-1, self.embedder.dimension)

    def _session_row(self, conversation: str, session: str) -> SessionRow:
        row = self.store.session(conversation, session)
        if row is None:
            raise BadInput(f"There is no session {session!r} in conversation {conversation!r}.")
        return row

    def _segment_key(self, segment_id: str) -> int | None:
        head, _, index = segment_id.removeprefix("seg_").rpartition("_")
        conversation, _, session = head.partition("/")
        if not index.isdecimal() or len(index) > 18:
            return None
        row = self.store.one(
            "segment_key", conversation=unquote(conversation), session=unquote(session), idx=int(index)
        )
        return None if row is None else int(row["key"])


def write_embedder(store: Store, embedder: Embedder, spec: str | None) -> None:
    """Note, inside a transaction, which model the store is embedded with."""
    store.put_meta("embedder_name", embedder.name)
    store.put_meta("embedder_sha256", embedder.sha256)
    store.put_meta("embedder_dimension", embedder.dimension)
    store.put_meta("embedder_spec", lasting(spec or embedder.name))
    if store.meta("store_id") is None:
        store.put_meta("store_id", uuid.uuid4().hex)


def lasting(spec: str) -> str:
    """A model's folder by its whole path: the store may be opened from anywhere."""
    folder = Path(spec).expanduser()
    return str(folder.resolve()) if folder.is_dir() else spec


def make_folder(folder: Path, create: bool) -> None:
    """The store's directory, made for its owner only: private talk lies in it."""
    if folder.is_dir():
        return
    if not create and not folder.exists():
        raise StoreNotFound(f"There is no memory at {folder}. Make one with `engramma init`.")
    try:
        folder.mkdir(parents=True, mode=0o700, exist_ok=True)
    except FileExistsError as error:
        raise StoreError(f"{folder} is a file; a store is a directory. Pass another --store.") from error
    except OSError as error:
        raise StoreNotWritable(f"Cannot make {folder}: {error}. Choose another place with --store.") from error
