"""The vector of a segment, from the vectors of its turns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..errors import EmbedderAway
from .embed import Embedder, Progress

# An answer is longer than what it answers and, in one text with it, would drown it: of a question and its answer
# in one text, an encoder with a window of 256 tokens mostly reads the answer (docs/log.md, "Exchanges").
REPLY = 0.4

# A text longer than the encoder's window, standing alone, is read window by window (docs/log.md, "Long texts").
MOST_WINDOWS = 8  # of one text: the rest of a pasted book tells no more about what it is
LABEL = 300  # characters within which a text says who speaks


def embed_segments(
    embedder: Embedder, segments: Sequence[Sequence[str]], progress: Progress | None = None
) -> NDArray[np.float16]:
    """Unit vectors as they are stored, of segments given as their turns' texts.

    Every turn is embedded alone; the first counts in full, the mean of those that follow by REPLY. A single text
    that is longer than the encoder's window is the mean of its windows. Float16 loses nothing that ranking could
    see and makes similarity exact.
    """
    if not segments:
        return np.zeros((0, embedder.dimension), np.float16)
    size = getattr(embedder, "window", None)
    parts = [_parts(size, turns) for turns in segments]
    alone = embedder.embed([text for part in parts for text in part], "document", progress).astype(np.float64)
    made, at = [], 0
    for turns, part in zip(segments, parts, strict=True):
        own = alone[at : at + len(part)]
        at += len(part)
        if len(part) == 1:
            made.append(own[0])
        else:
            made.append(_unit(own.mean(axis=0) if len(turns) == 1 else own[0] + REPLY * own[1:].mean(axis=0)))
    return np.array(made).astype(np.float16)


def segment_parts(embedder: Embedder, turns: Sequence[str]) -> list[str]:
    """The texts that are embedded of a segment: its turns, or the windows of a single long one."""
    return _parts(getattr(embedder, "window", None), turns)


def _parts(size: int | None, turns: Sequence[str]) -> list[str]:
    return windows(turns[0], size) if size and len(turns) == 1 else list(turns)


def keeps_vector(embedder: Embedder, sha256: str, turns: Sequence[str]) -> bool:
    """Whether a segment's vector by the model of this identity is the one that `embedder` would give it."""
    keeps = getattr(embedder, "keeps_vector", None)
    return keeps is not None and all(keeps(sha256, text) for text in segment_parts(embedder, turns))


def embed_or_wait(
    embedder: Embedder, segments: Sequence[Sequence[str]], progress: Progress | None = None
) -> NDArray[np.float16] | None:
    """The same; None where the embedder is away, so that the segments have to wait for their vectors."""
    try:
        return embed_segments(embedder, segments, progress)
    except EmbedderAway:
        return None


def windows(text: str, size: int) -> list[str]:
    """A text in pieces that fit, each under the label that says whose it is; cut between lines, sentences, words."""
    if len(text) <= size:
        return [text]
    end = text.find(": ", 0, LABEL) + 2
    label, rest = (text[:end], text[end:]) if end > 1 else ("", text)
    room, found = max(size // 2, size - len(label)), list[str]()
    while rest and len(found) < MOST_WINDOWS:
        cut = len(rest) if len(rest) <= room else boundary(rest, room)
        found.append(label + rest[:cut])
        rest = rest[cut:].lstrip()
    return found


def boundary(text: str, room: int) -> int:
    """Where to cut, in the second half of the room if there is a line's or a sentence's end."""
    for mark in ("\n", ". ", "! ", "? ", " "):
        if (at := text.rfind(mark, room // 2, room)) > 0:
            return at + len(mark.rstrip(" ")) if mark != " " else at
    return room


def _unit(vector: NDArray[np.float64]) -> NDArray[np.float64]:
    return vector / max(float(np.sqrt(np.dot(vector, vector))), 1e-9)
