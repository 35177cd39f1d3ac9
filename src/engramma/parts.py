"""The parts of a memory: its store, embedder, index and thresholds, made when first needed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from .backed import FreshBacked
from .config import Config
from .embedders import given_embedder, named_embedder
from .embedders import lasting as lasting
from .embedders import write_embedder as write_embedder
from .encryption import is_encrypted
from .errors import (
    BadInput,
    EmbedderAway,
    EmbedderMismatch,
    FetchFailed,
    RemoteFailed,
    StoreError,
)
from .fence import without_recalled
from .following import Follower
from .index.backends.settings import index_settings
from .index.index import VectorIndex
from .index.padded import PaddedIndex
from .indexes import Fresh, FreshIndex, WideIndex
from .ingest.archive import archive_pending
from .ingest.link import Linker
from .ingest.pipeline import Prepared, Request, prepare, remember
from .models.embed import FORMER, Embedder, Progress
from .models.lazy import LazyEmbedder
from .recall import thresholds as thresholds_module
from .recall.evidence import Background, background
from .recall.query import Query
from .recall.recipes import Plan, plan_for
from .records import Problem, RememberReport, Thresholds
from .redaction import Redacted, Rules, redact, rules_from
from .store.copying import check_whole
from .store.database import Database
from .store.engine import DATABASE_FILE as DATABASE_FILE
from .store.keys import FINGERPRINTS, context_key, fingerprint_key
from .store.masks import Mask, masked_name
from .store.postgres_address import is_address
from .store.store import LIVE, RETIRED, SessionRow, Store
from .text import place_of
from .trust import check, index_addresses

if TYPE_CHECKING:
    from .models.rerank import Reranker

ARCHIVE_FOLDER = "archive"
INDEX_FOLDER = "index"
SHORT, MANY = 300, 20_000  # characters of a text, and texts, remembered as free of secrets: names come again and again


class Parts:
    """What every call on a memory works with."""

    def __init__(self, path: Path, database: Database, namespace: str, config: Config, create: bool = True) -> None:
        self.path = path
        self.config = config
        self._masking: Rules | None = None
        self._fingerprint_key: bytes | None = None
        self._clean: set[str] = set()  # short texts without a secret
        if create and database.one("namespace_key", {"name": namespace}) is None:
            self.check_namespace(namespace)
        check_whole(database)
        self._database = database
        self._generation = database.generation
        self._store = Store(database, namespace, create=create)
        self.failed_links = 0  # notes that could not be linked when they were stored; they are tried again
        self._recalled: dict[str, tuple[int, int]] = {}  # notes not yet counted as recalled: times, and when last
        self._embedder: LazyEmbedder | None = None
        self._reranker: Reranker | None = None
        self._index: FreshIndex | None = None
        self._index_settings = index_settings(config.index)
        if not self._index_settings.is_built_in and is_encrypted(path):
            raise BadInput(
                f"This memory is encrypted, and {self._index_settings.backend} would keep its vectors in plain files "
                "or on a server: words can be guessed from them. Remove [index] from config.toml."
            )
        self._backed: FreshBacked | None = None
        self._wide: tuple[dict[str, int], WideIndex] | None = None
        self._calibrated: tuple[int, Plan, Thresholds] | None = None
        self._background: tuple[int, Background] | None = None
        self._waiting: tuple[int, int, NDArray[np.int64]] | None = None
        self._measuring = threading.RLock()
        self._catching_up = threading.Lock()

    @property
    def store(self) -> Store:
        """The store; looked at anew where its files were replaced while it was open."""
        if self._generation != self._database.generation:
            self._look_anew()
        return self._store

    def _look_anew(self) -> None:
        """Look at the store that lies here now. The embedder stays, if it is that store's: others are using it."""
        with self._measuring:
            if self._generation == (generation := self._database.generation):
                return  # another thread was faster
            check_whole(self._database)
            self._store = Store(self._database, self._store.namespace, create=False)
            self._generation = generation
            self._forget_indexes()
            if (embedder := self._embedder) is not None and embedder.known is not None:
                try:
                    self._embedder = given_embedder(self._store, self.path, embedder, embedder.name)
                except EmbedderMismatch:
                    self._embedder = None

    @property
    def namespace(self) -> str:
        return self.store.namespace

    @property
    def _archive_folder(self) -> Path | None:
        """Where closed sessions lie as text files; None on a shared server: a purge could not reach other machines'."""
        return None if is_address(self.config.store.get("engine")) else self.path / ARCHIVE_FOLDER

    def remember_requests(self, requests: Iterable[Request], progress: Progress | None = None) -> RememberReport:
        """Store checked sessions: embedded together, one transaction each, then archived."""
        if group := list(requests):
            return self.remember_prepared(self.prepare(group, progress))
        archive_pending(self._archive_folder, self.store)
        return RememberReport()

    def prepare(self, requests: Iterable[Request], progress: Progress | None = None) -> Prepared:
        """Look what checked sessions would add, and embed it; another thread may store meanwhile."""
        return prepare(self.store, self.embedder, map(self._masked, requests), progress)

    def remember_prepared(self, prepared: Prepared) -> RememberReport:
        """Store what was prepared, one transaction a session, then write the text files."""
        report = remember(self.store, self.embedder, self._fresh_index().fresh, self._linker(), prepared)
        if (backed := self._behind_engine()) is not None:
            backed.written()
        archive_pending(self._archive_folder, self.store)
        if prepared.vectors is not None and len(prepared.vectors):
            self.embed_in_passing()
        return report

    def embed_in_passing(self) -> None:
        """Called when the embedder has just answered; a whole memory embeds some of what waits (waiting_calls.py)."""

    def thresholds(self, plan: Plan | None = None) -> Thresholds:
        """The thresholds a plan works with: fixed, or calibrated on what is stored now."""
        plan = plan or plan_for("default", self.config.recipes)
        if plan.thresholds != "auto":
            return thresholds_module.fixed(plan)
        index, seq = self._reading().fresh()
        with self._measuring:  # of many who ask after a write, one measures and the others wait for it
            if self._calibrated is None or self._calibrated[1] != plan or self._calibrated[0] < seq:
                probes = self._probes()
                with self.store.snapshot():
                    index, seq = self._reading().fresh()
                    keys, sessions = self._sample(index)
                    found = thresholds_module.calibrate(plan, index.vectors(keys), sessions, probes, len(index))
                self._calibrated = (seq, plan, found)
            return self._calibrated[2]

    def _background_of(self, index: VectorIndex) -> Background:
        """What is ordinary in the store as this index sees it."""
        index = index.inner if isinstance(index, PaddedIndex) else index
        seq = self.store.last_change()
        with self._measuring:
            if self._background is None or self._background[0] < seq:
                self._background = (seq, background(self.store, index, self._sample(index)[0]))
            return self._background[1]

    def _sample(self, index: VectorIndex) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Segments to measure what is ordinary with, those that the index knows, and their sessions."""
        rows = self.store.all("segment_sample", limit=thresholds_module.SAMPLE)
        keys = np.array([row["key"] for row in rows], dtype=np.int64)
        sessions = np.array([row["session"] for row in rows], dtype=np.int64)
        known = index.holds(keys)
        return keys[known], sessions[known]

    @property
    def embedder(self) -> LazyEmbedder:
        """The model this store is embedded with, by what the store knows of it; loaded when a text is embedded."""
        stored = self.store.meta("embedder_sha256")
        if self._embedder is None or (self._embedder.known is None and stored is not None):
            spec = self.config.embedder or self.store.meta("embedder_spec")
            if self.config.embedder is None and spec in FORMER:
                raise EmbedderMismatch(
                    f"This memory was embedded with {spec}, the encoder of an earlier version. Everything is still "
                    "here: run `engramma reindex` once to embed it with the one that comes with this version."
                )
            self._embedder = named_embedder(self.store, self.path, spec)
        embedder = self._embedder
        if embedder.known is not None and stored != embedder.known.sha256:
            raise EmbedderMismatch("The store was reindexed with another embedder meanwhile. Open it again.")
        return embedder

    def choose_embedder(self, wanted: str | Embedder) -> None:
        """Use this embedder if the store is new or was made with it. A server that is away is taken at its word."""
        if not isinstance(wanted, str):
            self._embedder = given_embedder(self.store, self.path, wanted, wanted.name)
            return
        embedder = named_embedder(self.store, self.path, wanted)
        try:
            embedder.reach()
        except EmbedderAway as error:
            before = self.store.meta("embedder_spec")
            if before not in (None, lasting(wanted)) or not isinstance(error.__cause__, RemoteFailed | FetchFailed):
                raise (error.__cause__ or error) from None
            if before is None:
                with self.store.database.transaction():
                    self.store.put_meta("embedder_spec", wanted)
        self._embedder = embedder

    def _reranker_for(self, plan: Plan) -> Reranker | None:
        """The model that puts the first ranked in order, loaded when a plan first asks for it."""
        if plan.rerank and self._reranker is None:
            from .models.rerank import load_reranker

            self._reranker = load_reranker(self.config.reranker)
        return self._reranker

    def forget_parts(self) -> None:
        """Load embedder and index anew when next needed: the store was reindexed."""
        self._forget_indexes()
        self._embedder = None

    def _forget_indexes(self) -> None:
        if self._backed is not None:
            self._backed.follower.close()
        self._index = self._backed = self._wide = self._calibrated = self._background = self._waiting = None

    def _fresh_index(self) -> FreshIndex:
        known = self.embedder.known  # None: a new store without a vector, whose embedder was never reached
        sha256, dimension = (known.sha256, known.dimension) if known else ("", 1)
        if self._index is None or self._index.embedder_sha != sha256:
            self._index = FreshIndex(self.store, dimension, sha256, self.path / INDEX_FOLDER)
            self._wide = None  # it stands on the one before
        return self._index

    def _behind_engine(self) -> FreshBacked | None:
        """The engine that the settings name for finding neighbours; None: the built-in scan does."""
        if self._backed is None and not self._index_settings.is_built_in:
            self._backed = FreshBacked(self._fresh_index(), self._follower_of(self.store), self.store)
        return self._backed

    def _follower_of(self, store: Store) -> Follower:
        """Keeps the engine's vectors of a namespace fresh."""
        check(self.path, *index_addresses(self.config.index))
        file, model = self.path / DATABASE_FILE, self.embedder
        return Follower(store, self._index_settings, model.dimension, model.sha256, self.path / INDEX_FOLDER, file)

    def _reading(self) -> Fresh:
        """What recall looks at. Linking always uses the built-in scan, so that every engine has the same graph."""
        return self._behind_engine() or self._fresh_index()

    def _fresh_for(self, query: Query) -> Callable[[], tuple[VectorIndex, int]]:
        """The index a query looks at: what is live, what waits for its vector, and what was laid aside if it asks
        for that. It is chosen when it is asked for: a new store's embedder is not known before the query is embedded.
        """

        def fresh() -> tuple[VectorIndex, int]:
            live = self._reading()
            if not query.is_wide:
                return self._padded(*live.fresh(), LIVE)
            if self._wide is None or self._wide[0] != query.view:
                self._wide = (query.view, WideIndex(live, self.store, query.view))
            return self._padded(*self._wide[1].fresh(), RETIRED)

        return fresh

    def _padded(self, index: VectorIndex, seq: int, most: int) -> tuple[VectorIndex, int]:
        """The index, with a place for the segments that have no vector yet: words find them."""
        if not len(waiting := self._waiting_keys(seq, most)):
            return index, seq
        sample = self._background_of(index).alone
        usual = sample.mean(axis=0) if len(sample) else np.zeros(index.dimension)
        return PaddedIndex(index, waiting, usual.astype(np.float16)), seq

    def _waiting_keys(self, seq: int, most: int) -> NDArray[np.int64]:
        """Segments up to a state that wait for their vectors, as of a change: none comes or goes without one."""
        if self._waiting is None or self._waiting[:2] != (seq, most):
            self._waiting = (seq, most, self.store.keys("keys_waiting", most=most))
        return self._waiting[2]

    def mask(self, text: str) -> Redacted:
        """A text without its secrets, by the store's rules; a fingerprint tells whether two are the same secret."""
        found = self._look(text)
        if found.redactions and self._fingerprint_key is None:
            self._fingerprint_key = fingerprint_key(self.store)
            found = self._look(text)
        return found

    def own_words(self, text: str) -> str:
        """A text without the memory that this store handed out itself."""
        return without_recalled(text, context_key(self.store))

    def mask_name(self, name: str) -> str:
        """A name without its secrets: names that differ in a secret stay apart."""
        return masked_name(name, self.mask)

    def told(self, problems: Iterable[Problem]) -> tuple[Problem, ...]:
        """Problems as they may be shown and logged: they quote what was read."""
        look = self._look
        return tuple(
            replace(one, path=look(one.path).text, where=look(one.where).text, reason=look(one.reason).text)
            for one in problems
        )

    def _masked(self, request: Request, mask: Mask | None = None) -> Request:
        """A request whose turns are masked, with the names around them and its title masked as well."""
        mask = mask or self.mask
        title = None if request.title is None else mask(request.title).text
        source = None if request.source is None else masked_name(request.source, mask)
        conversation, session = self._place(request.conversation, request.session, mask)
        named = replace(request, conversation=conversation, session=session, title=title, source=source)
        return replace(named, mask=self._look)

    def _place(self, conversation: str, session: str, mask: Mask | None = None) -> tuple[str, str]:
        """Where a session is kept: under its masked names, or, until a scan, under those it was stored with before."""
        talk = self._conversation(conversation, mask)
        name = masked_name(session, mask or self._look)
        return (talk, session) if name != session and self.store.session(talk, session) else (talk, name)

    def _conversation(self, conversation: str, mask: Mask | None = None) -> str:
        """The same for a conversation."""
        name = masked_name(conversation, mask or self._look)
        if name != conversation and self.store.one("conversation_get", id=conversation) is not None:
            return conversation
        return name

    def _named(self, what: Literal["conversation", "session", "speaker"], name: str) -> str:
        """A name that something is looked for by: as it was stored before masking, if it was, or masked."""
        clean = masked_name(name, self._look) if isinstance(name, str) else name
        if clean == name:
            return name
        bounds: dict[str, Any] = dict.fromkeys(("conversation", "session", "speaker", "since", "until"))
        return name if len(self.store.keys("turns_by_place", **{**bounds, what: name})) else clean

    def check_namespace(self, name: str) -> None:
        """No new namespace is named by a secret: nothing is lost by choosing another name."""
        if isinstance(name, str) and (clean := redact(name, rules=self._secrets()).text) != name:
            raise BadInput(f"There seems to be a secret in this name: {clean}. Choose another for the namespace.")

    def _look(self, text: str) -> Redacted:
        """The same without making a key for fingerprints: it writes nothing, so it can stand in a transaction."""
        if text in self._clean:
            return Redacted(text)
        found = redact(text, rules=self._secrets(), key=self._fingerprint_key or b"")
        if found.redactions:
            if self._fingerprint_key is None and (key := self.store.meta(FINGERPRINTS)) is not None:
                self._fingerprint_key = bytes(key)
                return self._look(text)
        elif len(text) <= SHORT:
            if len(self._clean) >= MANY:
                self._clean.clear()
            self._clean.add(text)
        return found

    def _secrets(self) -> Rules:
        if self._masking is None:
            self._masking = rules_from(self.config.redact)
        return self._masking

    def wipe(self) -> None:
        """Leave nothing of what was deleted in any file: the words are joined, the database is written anew without
        its free pages, the journal is emptied, and caches of vectors go."""
        with self.store.transaction():
            self.store.tidy_words()
        if self._index is not None:
            self._index.drop()
        if (backed := self._behind_engine()) is not None:
            backed.follower.clear()
        self.store.database.wipe()

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
        conversation, session = self._place(conversation, session)
        row = self.store.session(conversation, session)
        if row is None:
            raise BadInput(f"There is no session {session!r} in conversation {conversation!r}.")
        return row

    def _segment_key(self, segment_id: str) -> int | None:
        """The key of a segment by its id, whatever its state; None if there is none."""
        place = place_of(segment_id) if isinstance(segment_id, str) else None
        if place is None:
            return None
        conversation, session = self._place(*place[:2])
        row = self.store.one("segment_key", conversation=conversation, session=session, idx=place[2])
        return None if row is None else int(row["key"])

    def _known_key(self, segment_id: str) -> int:
        """The key of a segment that has to be there."""
        if (key := self._segment_key(segment_id)) is None:
            raise BadInput(f"There is no segment {segment_id!r:.200} in this memory.")
        return key
