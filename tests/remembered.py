"""What a packaged model made of a text, kept for the next test of the process that gives it the same text.

The models give the same bits always, so a test sees what it would see without this. tests/models, where that is
tested, does without.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


class RememberedEmbedder:
    """An encoder that embeds each text once."""

    def __init__(self, encoder: Any) -> None:
        self._encoder = encoder
        self._rows: dict[tuple[str, str], NDArray[np.float32]] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._encoder, name)

    def embed(
        self, texts: Sequence[str], kind: str = "document", progress: Callable[[int], None] | None = None
    ) -> NDArray[np.float32]:
        new = [text for text in dict.fromkeys(texts) if (kind, text) not in self._rows]
        if new or not texts:
            made = self._encoder.embed(new, kind, progress)
            self._rows.update({(kind, text): row.copy() for text, row in zip(new, made, strict=True)})
        if not texts:
            return made
        for _ in range(len(texts) - len(new) if progress else 0):
            progress(1)
        return np.array([self._rows[kind, text] for text in texts], np.float32)


def remembered(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that is asked each thing once. Threads that ask at once may both ask it, and get the same."""
    known: dict[Hashable, Any] = {}

    def asked(*given: Hashable) -> Any:
        if given not in known:
            known[given] = function(*given)
        return known[given]

    return asked
