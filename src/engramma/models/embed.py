"""The interface of embedding models."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

Kind = Literal["document", "query"]
Progress = Callable[[int], None]  # called with the number of texts done since the last call
MINI = "engramma-mini-1"  # comes with Engramma, for English; the default of stores made before engramma-multi-1
PACKAGED = "engramma-multi-1"  # the default: engramma-mini-1, and a network for other languages
FORMER = ("engramma-mini-0",)  # encoders that came with earlier versions; a store of theirs has to be reindexed


class Embedder(Protocol):
    """Turns texts into unit vectors. A text always gives the same vector, whatever it is batched with."""

    @property
    def name(self) -> str: ...

    @property
    def sha256(self) -> str:
        """Identifies the weights; for a remote model, its name and address."""

    @property
    def dimension(self) -> int: ...

    @property
    def edge_floor(self) -> float:
        """The lowest similarity at which this model's segments may be linked."""

    def embed(
        self, texts: Sequence[str], kind: Kind = "document", progress: Progress | None = None
    ) -> NDArray[np.float32]:
        """One unit row a text, in the order given."""
