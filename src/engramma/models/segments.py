"""The vector of a segment, from the vectors of its turns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .embed import Embedder, Progress

# An answer is longer than what it answers and, in one text with it, would drown it: of a question and its answer
# in one text, an encoder with a window of 256 tokens mostly reads the answer (docs/log.md, "Exchanges").
REPLY = 0.4


def embed_segments(
    embedder: Embedder, segments: Sequence[Sequence[str]], progress: Progress | None = None
) -> NDArray[np.float16]:
    """Unit vectors as they are stored, of segments given as their turns' texts.

    Every turn is embedded alone; the first counts in full, the mean of those that follow by REPLY. Float16 loses
    nothing that ranking could see and makes similarity exact.
    """
    if not segments:
        return np.zeros((0, embedder.dimension), np.float16)
    alone = embedder.embed([text for turns in segments for text in turns], "document", progress).astype(np.float64)
    made, at = [], 0
    for turns in segments:
        own = alone[at : at + len(turns)]
        at += len(turns)
        made.append(own[0] if len(turns) == 1 else unit(own[0] + REPLY * own[1:].mean(axis=0)))
    return np.array(made).astype(np.float16)


def unit(vector: NDArray[np.float64]) -> NDArray[np.float64]:
    return vector / max(float(np.sqrt(np.dot(vector, vector))), 1e-9)
