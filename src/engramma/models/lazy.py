"""An embedder that is known by what the store says of it, and loaded when a text has to be embedded.

So whatever does not embed needs no model and no server. A model that cannot be loaded or asked is away: that is noted
beside the store (models/outage.py), and until the time noted there nobody waits for it again.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..errors import EmbedderAway, EmbedderMismatch, ModelError
from .embed import Embedder, Kind, Progress
from .exchange import ServerRefused, hurried
from .outage import end_outage, note_outage, read_outage
from .settings import EDGE_FLOOR

_insists: ContextVar[bool] = ContextVar("insists", default=False)


@contextmanager
def insisting() -> Iterator[None]:
    """Whoever embeds inside asks at once, whatever failed before, and gives the model all the time it needs."""
    before = _insists.set(True)
    try:
        yield
    finally:
        _insists.reset(before)


@dataclass(frozen=True, slots=True)
class Identity:
    """What a store knows of the model that made its vectors."""

    name: str
    sha256: str
    dimension: int
    edge_floor: float | None  # None: only the model itself knows


class LazyEmbedder:
    """The embedder of a store, available or not. `known` is None until a new store has first reached it."""

    def __init__(
        self,
        name: str,
        known: Identity | None,
        load: Callable[[], Embedder],
        adopt: Callable[[Embedder], Identity],
        folder: Path,
    ) -> None:
        self._name, self._folder = name, folder
        self._known, self._load, self._adopt = known, load, adopt
        self._model: Embedder | None = None
        self._loading = threading.RLock()

    @property
    def known(self) -> Identity | None:
        return self._known

    @property
    def name(self) -> str:
        return self._known.name if self._known else self._name

    @property
    def sha256(self) -> str:
        """Of the weights; empty where they are not known and cannot be asked for."""
        return known.sha256 if (known := self._asked()) else ""

    @property
    def dimension(self) -> int:
        """Of the vectors; 1 where it is not known and cannot be asked for: there are none then."""
        return known.dimension if (known := self._asked()) else 1

    @property
    def edge_floor(self) -> float:
        """The least cosine of an edge; the usual one where nobody can tell."""
        known = self._known if self._known and self._known.edge_floor is not None else self._asked(anew=True)
        return EDGE_FLOOR if known is None or known.edge_floor is None else known.edge_floor

    @property
    def window(self) -> int | None:
        """How many characters of a text the model reads at a time, where that is known."""
        with self._reaching():
            return getattr(self._loaded(), "window", None)

    def embed(
        self, texts: Sequence[str], kind: Kind = "document", progress: Progress | None = None
    ) -> NDArray[np.float32]:
        """One unit row a text; EmbedderAway where the model cannot be used now."""
        with self._reaching():
            return self._loaded().embed(texts, kind, progress)

    def reach(self) -> None:
        """Load the model, if that is not done yet; EmbedderAway where it cannot be."""
        if self._model is None:
            with self._reaching():
                self._loaded()

    def _asked(self, anew: bool = False) -> Identity | None:
        """What is known of the model, which is loaded for it where nothing is; with `anew`, in any case."""
        if self._known is None or anew:
            with suppress(EmbedderAway):
                self.reach()
        return self._known

    @contextmanager
    def _reaching(self) -> Iterator[None]:
        """One try: not before its time, in a hurry unless somebody insists, and its outcome is noted."""
        outage, insists = read_outage(self._folder), _insists.get()
        is_mine = outage is not None and outage.embedder in ("", self.name)  # another model may well work
        if outage is not None and is_mine and not insists and not outage.is_over(time.time()):
            raise EmbedderAway(
                f"{self.name} was unavailable a moment ago and will be tried again soon: {outage.reason}"
            )
        began = time.monotonic()
        try:
            with hurried(not insists):
                yield
        except (EmbedderMismatch, EmbedderAway):
            raise
        except ServerRefused as error:  # the server is there: other texts may be welcome
            raise EmbedderAway(str(error)) from error
        except ModelError as error:
            note_outage(self._folder, self.name, str(error), time.monotonic() - began)
            raise EmbedderAway(str(error)) from error
        if outage is not None:
            end_outage(self._folder)

    def _loaded(self) -> Embedder:
        with self._loading:
            if self._model is None:
                model = self._load()
                self._known = self._adopt(model)
                self._model = model
            return self._model
