"""Administers a store: its statistics, its health, its embedder, its index."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..core.core import Core

if TYPE_CHECKING:  # what few calls need is imported by those
    from ..models.embed import Embedder
    from .doctor_checks import Check

Progress = Callable[[int, int], None]


class Admin:
    """What concerns the store as a whole, and those who keep it running."""

    def __init__(self, core: Core) -> None:
        self._core = core

    # --- how it is -----------------------------------------------------------------------------

    def counts(self) -> dict[str, Any]:
        """How many conversations, sessions, turns, segments and so on there are."""
        row = self._core.store.one("counts")
        assert row is not None
        return dict(row)

    def stats(self) -> dict[str, Any]:
        """What is remembered, how large it is, which model and which thresholds it works with."""
        from .stats import compute_stats

        return compute_stats(self._core)

    def figures(self) -> dict[str, Any]:
        """What the overview shows, from what the store counts as it comes and goes: fast, however much there is."""
        from .figures import compute_figures

        return compute_figures(self._core)

    def doctor(self, fix: bool = False) -> list[Check]:
        """Look the namespace over; with `fix`, first finish what a crash left and rewrite archive files that differ."""
        from .doctor import doctor

        return doctor(self._core, fix)

    def doctor_all(self, fix: bool = False) -> list[Check]:
        """Look every namespace of the store over; what concerns the store as a whole, once."""
        from .doctor import doctor_all

        return doctor_all(self._core, fix)

    def language_advice(self) -> str | None:
        """What to do about talk that the store's encoder finds by its words only; None where there is little of it."""
        from .language_advice import language_advice

        return language_advice(self._core)

    def check_place(self) -> None:
        """Raise StoreNotFound if the namespace was deleted or renamed meanwhile."""
        self._core.store.check_place()

    # --- the embedder --------------------------------------------------------------------------

    @property
    def embedder(self) -> Embedder:
        """The model this store is embedded with; loaded when a text is embedded."""
        return self._core.embedder

    @property
    def embedder_spec(self) -> str | None:
        """How the store names its embedder; None if it never had one."""
        spec = self._core.store.meta("embedder_spec")
        return None if spec is None else str(spec)

    @property
    def embedder_sha256(self) -> str | None:
        """Which embedder made the vectors that are stored; None if there are none."""
        sha256 = self._core.store.meta("embedder_sha256")
        return None if sha256 is None else str(sha256)

    def reach_embedder(self) -> None:
        """Load the embedder; EmbedderAway if that cannot be done now."""
        self._core.embedder.reach()

    def warm_up(self, word: str) -> None:
        """Embed a word, so that the next one to ask does not wait for the model."""
        self._core.embedder.embed([word], "query")

    def edge_threshold(self) -> float:
        """The least similarity of a link by meaning, as the default recipe sees it; measured if it must be."""
        return self._core.thresholds(self._core.default_plan).edge

    def drop_caches(self) -> None:
        """Load embedder and index anew when next needed: the store was reindexed."""
        self._core.drop_caches()

    def wipe(self) -> None:
        """Leave nothing of what was deleted in any file: free pages, journal and caches of vectors go."""
        self._core.wipe()

    # --- the index -----------------------------------------------------------------------------

    def check_reindex(self, spec: str) -> None:
        """Raise EmbedderMismatch if config.toml names another embedder than this one."""
        from .reindex import check_config

        check_config(self._core, spec)

    def reindex(self, embedder: Embedder, spec: str, progress: Progress | None = None, *, force: bool = False) -> int:
        """Give every segment of every namespace a new vector; returns how many. Interrupted, the next run goes on."""
        from .reindex import reindex

        return reindex(self._core, embedder, spec, progress, force=force)

    def fill_index(self, progress: Progress | None = None) -> None:
        """Fill the engine that finds neighbours with what is stored."""
        from .switch_index import fill_engine

        fill_engine(self._core, progress)

    def switch_index(self, backend: str, url: str | None = None, progress: Progress | None = None) -> None:
        """Let another engine find neighbours from now on: it is filled, chosen in config.toml, the former emptied."""
        from .switch_index import switch

        switch(self._core, backend, url, progress)
