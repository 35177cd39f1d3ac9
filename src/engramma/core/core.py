"""Core: one namespace of one store with its embedder, index, redactor and thresholds, made when first needed."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..config.settings import Config
from ..config.trust import check, index_addresses
from ..encryption import is_encrypted
from ..errors import BadInput, EmbedderAway, EmbedderMismatch, FetchFailed, RemoteFailed, StoreError
from ..index.external.settings import index_settings
from ..index.live import Fresh, FreshIndex, WideIndex
from ..index.placeholders import PaddedIndex
from ..index.vector_index import VectorIndex
from ..language.fence import without_recalled
from ..models.embed import FORMER, Embedder
from ..models.lazy import LazyEmbedder
from ..records import Plan, Problem, Query, Thresholds
from ..redaction import Redacted, redact
from ..store.copy_tables import check_whole
from ..store.database import Database
from ..store.engine import DATABASE_FILE
from ..store.keys import context_key
from ..store.masks import masked_name
from ..store.postgres.address import is_address
from ..store.store import LIVE, RETIRED, Store
from . import thresholds as thresholds_module
from .background import Background, background
from .embedder import given_embedder, lasting, named_embedder
from .masking import Masking
from .place_table import KeptPlaces
from .views import view_of

if TYPE_CHECKING:  # what most never use must not cost them
    from ..index.external.engine_index import FreshBacked
    from ..index.external.sync import Follower
    from ..models.rerank import Reranker

ARCHIVE_FOLDER = "archive"
INDEX_FOLDER = "index"


class Core:
    """What every feature works with."""

    def __init__(
        self, path: Path, database: Database, namespace: str, config: Config, default_plan: Plan, create: bool = True
    ) -> None:
        self.path = path
        self.config = config
        self.default_plan = default_plan  # the recipe `default` with the overrides of config.toml
        self.database = database
        self.masking = Masking(config.redact)
        if create and database.one("namespace_key", {"name": namespace}) is None:
            self.check_namespace_name(namespace)
        check_whole(database)
        self._generation = database.generation
        self._store = Store(database, namespace, create=create)
        self.failed_links = 0  # notes that could not be linked when they were stored; they are tried again
        self.recalled: dict[str, tuple[int, int]] = {}  # notes not yet counted as recalled: times, and when last
        self.embedding_lock = threading.Lock()  # held by who embeds what waits for its vector
        self.embed_again_at = 0.0  # before this moment (time.monotonic) nothing is embedded in passing
        self._embedder: LazyEmbedder | None = None
        self._reranker: Reranker | None = None
        self._index: FreshIndex | None = None
        self.places = KeptPlaces(self._store)
        self.index_settings = index_settings(config.index)
        if not self.index_settings.is_built_in and is_encrypted(path):
            raise BadInput(
                f"This memory is encrypted, and {self.index_settings.backend} would keep its vectors unencrypted in "
                "files or on a server: words can be guessed from them. Remove [index] from config.toml."
            )
        self._engine: FreshBacked | None = None
        self._wide: tuple[dict[str, int], WideIndex] | None = None
        self._calibrated: tuple[int, Plan, Thresholds] | None = None
        self._figures: thresholds_module.SampleFigures | None = None
        self._background: tuple[int, Background] | None = None
        self._waiting: tuple[int, int, NDArray[np.int64]] | None = None
        self._measuring = threading.RLock()

    # --- the store -----------------------------------------------------------------------------

    @property
    def store(self) -> Store:
        """The store; looked at anew where its files were replaced while it was open."""
        if self._generation != self.database.generation:
            self._look_anew()
        return self._store

    def _look_anew(self) -> None:
        """Look at the store that lies here now. The embedder stays, if it is that store's: others are using it."""
        with self._measuring:
            if self._generation == (generation := self.database.generation):
                return  # another thread was faster
            check_whole(self.database)
            self._store = Store(self.database, self._store.namespace, create=False)
            self.places = KeptPlaces(self._store)
            self._generation = generation
            self._drop_indexes()
            if (embedder := self._embedder) is not None and embedder.known is not None:
                try:
                    self._embedder = given_embedder(self._store, self.path, embedder, embedder.name)
                except EmbedderMismatch:
                    self._embedder = None

    @property
    def namespace(self) -> str:
        return self.store.namespace

    @property
    def archive_folder(self) -> Path | None:
        """Where closed sessions lie as text files; None on a shared server: a purge could not reach other machines'."""
        return None if is_address(self.config.store.get("engine")) else self.path / ARCHIVE_FOLDER

    def wipe(self) -> None:
        """Leave nothing of what was deleted in any file: the words are joined, the database is written anew without
        its free pages, the journal is emptied, and caches of vectors go. So do the words that this process keeps."""
        from ..store.namespaces import wipe_traces

        with self.store.transaction():
            self.store.tidy_words()
        self.places = KeptPlaces(self._store)
        if self._index is not None:
            self._index.drop()
        if (engine := self.engine()) is not None:
            engine.follower.clear()
        wipe_traces(self.store.database)

    def close(self) -> None:
        """Close the store. A large index is saved, so that the next start is fast."""
        index, self._index = self._index, None
        if index is not None:
            index.save()
        self.close_engine()
        self.database.close()

    # --- the embedder --------------------------------------------------------------------------

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
            raise EmbedderMismatch("The store was meanwhile reindexed with another embedder. Open it again.")
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

    def reranker_for(self, plan: Plan) -> Reranker | None:
        """The user's own cross-encoder, loaded when a plan first asks for it; None: the packaged reader does it."""
        if plan.rerank and self._reranker is None and self.config.reranker is not None:
            from ..models.rerank import load_reranker

            self._reranker = load_reranker(self.config.reranker)
        return self._reranker if plan.rerank else None

    def drop_caches(self) -> None:
        """Load embedder and index anew when next needed: the store was reindexed."""
        self._drop_indexes()
        self._embedder = None

    # --- the index -----------------------------------------------------------------------------

    def live_index(self) -> FreshIndex:
        """The built-in index of what is live; linking always uses it, so that every engine has the same graph."""
        known = self.embedder.known  # None: a new store without a vector, whose embedder was never reached
        sha256, dimension = (known.sha256, known.dimension) if known else ("", 1)
        index = self._index
        if index is None or index.embedder_sha != sha256:
            self._index = index = FreshIndex(self.store, dimension, sha256, self.path / INDEX_FOLDER)
            self._wide = None  # it stands on the one before
        return index

    def engine(self) -> FreshBacked | None:
        """The external engine that the settings name for finding neighbours; None: the built-in scan does."""
        if self._engine is None and not self.index_settings.is_built_in:
            from ..index.external.engine_index import FreshBacked

            self._engine = FreshBacked(self.live_index(), self.follower_of(self.store), self.store)
        return self._engine

    def close_engine(self) -> None:
        """Close the external engine, if it is open: files of some can be open once only."""
        engine, self._engine = self._engine, None
        if engine is not None:
            engine.follower.close()

    def follower_of(self, store: Store) -> Follower:
        """Keeps the engine's vectors of a namespace fresh."""
        from ..index.external.sync import Follower

        check(self.path, *index_addresses(self.config.index))
        file, model = self.path / DATABASE_FILE, self.embedder
        return Follower(store, self.index_settings, model.dimension, model.sha256, self.path / INDEX_FOLDER, file)

    def fresh_for(self, query: Query) -> tuple[VectorIndex, int]:
        """The index a query looks at, and the change up to which it knows the store: what is live, what waits for its
        vector, and what was set aside if the query asks for that.
        """
        live = self._searched()
        if not query.is_wide:
            return self._padded(*live.fresh(), LIVE)
        view, wide = view_of(query), self._wide
        if wide is None or wide[0] != view:  # another thread may ask for another view meanwhile
            self._wide = wide = (view, WideIndex(live, self.store, view))
        return self._padded(*wide[1].fresh(), RETIRED)

    def waiting_keys(self, seq: int | None = None, most: int = RETIRED) -> NDArray[np.int64]:
        """Segments up to a state that wait for their vectors, as of a change: none comes or goes without one."""
        seq = self.store.last_change() if seq is None else seq
        waiting = self._waiting
        if waiting is None or waiting[:2] != (seq, most):
            self._waiting = waiting = (seq, most, self.store.keys("keys_waiting", most=most))
        return waiting[2]

    def forget_reach(self) -> None:
        """Forget what the index learnt of near lists in a transaction that was rolled back."""
        if self._index is not None:
            self._index.reach.forget()

    def _searched(self) -> Fresh:
        return self.engine() or self.live_index()

    def _padded(self, index: VectorIndex, seq: int, most: int) -> tuple[VectorIndex, int]:
        """The index, with a place for the segments that have no vector yet: words find them."""
        if not len(waiting := self.waiting_keys(seq, most)):
            return index, seq
        sample = self.background_of(index).alone
        usual = sample.astype(np.float32).mean(axis=0) if len(sample) else np.zeros(index.dimension)
        return PaddedIndex(index, waiting, usual.astype(np.float16)), seq

    def _drop_indexes(self) -> None:
        self.close_engine()
        self._index = self._wide = self._calibrated = self._figures = self._background = self._waiting = None

    # --- what is ordinary here -----------------------------------------------------------------

    def thresholds(self, plan: Plan, seq: int | None = None) -> Thresholds:
        """The thresholds a plan works with: fixed, or calibrated on what is stored now, or was at a change."""
        if plan.thresholds != "auto":
            return thresholds_module.fixed(plan)
        if seq is None:
            _, seq = self._searched().fresh()
        with self._measuring:  # of many who ask after a write, one measures and the others wait for it
            if self._calibrated is None or self._calibrated[1] != plan or self._calibrated[0] < seq:
                probes = self._probes()
                with self.store.snapshot():
                    index, seq = self._searched().fresh()
                    keys, sessions = self._sample(index)
                    figures = self._measured(index.vectors(keys), sessions, probes)
                    found = thresholds_module.calibrate(plan, figures, len(index))
                self._calibrated = (seq, plan, found)
            return self._calibrated[2]

    def _measured(
        self, vectors: NDArray[np.float16], sessions: NDArray[np.int64], probes: NDArray[np.float16]
    ) -> thresholds_module.SampleFigures:
        """What the sample tells; measured only if it is another than before: few writes reach it."""
        if self._figures is None or not self._figures.is_of(vectors, sessions):
            self._figures = thresholds_module.measure_sample(vectors, sessions, probes)
        return self._figures

    def known_thresholds(self, plan: Plan, seq: int | None = None) -> Thresholds | None:
        """A plan's thresholds; None where they would have to be measured and the embedder is away."""
        try:
            return self.thresholds(plan, seq)
        except EmbedderAway:
            return None

    def background_of(self, index: VectorIndex) -> Background:
        """What is ordinary in the store as this index sees it."""
        index = index.inner if isinstance(index, PaddedIndex) else index
        seq = self.store.last_change()
        with self._measuring:
            if self._background is None or self._background[0] < seq:
                self._background = (seq, background(self.store, self.places, index, self._sample(index)[0]))
            return self._background[1]

    def _sample(self, index: VectorIndex) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Segments to measure what is ordinary with, those that the index knows, and their sessions."""
        rows = self.store.all("segment_sample", limit=thresholds_module.SAMPLE)
        keys = np.array([row["key"] for row in rows], dtype=np.int64)
        sessions = np.array([row["session"] for row in rows], dtype=np.int64)
        known = index.holds(keys)
        return keys[known], sessions[known]

    def _probes(self) -> NDArray[np.float16]:
        """The probe questions' vectors: made once for a store and kept in it."""
        name = f"probes_{self.embedder.sha256[:16]}"
        if (data := self.store.meta(name)) is None:
            data = self.embedder.embed(thresholds_module.PROBES, "query").astype("<f2").tobytes()
            with suppress(StoreError), self.store.transaction():  # a full disk is no reason not to answer
                self.store.put_meta(name, data)
        return np.frombuffer(data, dtype="<f2").reshape(-1, self.embedder.dimension)

    # --- secrets -------------------------------------------------------------------------------

    def mask(self, text: str) -> Redacted:
        """A text without its secrets, by the store's rules; a fingerprint tells whether two are the same secret."""
        return self.masking.mask(self.store, text)

    def look(self, text: str) -> Redacted:
        """The same without making a key for fingerprints: it writes nothing, so it can stand in a transaction."""
        return self.masking.look(self.store, text)

    def mask_name(self, name: str) -> str:
        """A name without its secrets: names that differ in a secret stay apart."""
        return masked_name(name, self.mask)

    def mask_problems(self, problems: Iterable[Problem]) -> tuple[Problem, ...]:
        """Problems as they may be shown and logged: they quote what was read."""
        look = self.look
        return tuple(
            replace(one, path=look(one.path).text, where=look(one.where).text, reason=look(one.reason).text)
            for one in problems
        )

    def check_namespace_name(self, name: str) -> None:
        """No new namespace is named by a secret: nothing is lost by choosing another name."""
        if isinstance(name, str) and (clean := redact(name, rules=self.masking.rules).text) != name:
            raise BadInput(f"This name seems to contain a secret: {clean}. Choose another namespace name.")

    def own_words(self, text: str) -> str:
        """A text without the memory that this store handed out itself."""
        return without_recalled(text, context_key(self.store))
