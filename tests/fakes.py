"""Stand-ins for tests that need thousands of vectors, where the real encoder would take minutes."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np


class HashEmbedder:
    """Bags of hashed words: deterministic, unit length, and texts that share words are similar."""

    name = "hash-words"
    dimension = 384
    edge_floor = 0.6

    def __init__(self, seed: str = "") -> None:
        self.seed = seed
        self.sha256 = hashlib.sha256(f"hash-words{seed}".encode()).hexdigest()

    def embed(self, texts: Sequence[str], kind: str = "document", progress: object = None) -> np.ndarray:
        return np.array([self._one(text) for text in texts], dtype=np.float32).reshape(len(texts), self.dimension)

    def _one(self, text: str) -> np.ndarray:
        total = np.zeros(self.dimension)
        for word in re.findall(r"\w+", text.lower()) or [text]:
            total += direction(f"{self.seed}{word}", self.dimension)
        return total / np.linalg.norm(total)


@lru_cache(maxsize=8_000)
def direction(word: str, dimension: int) -> np.ndarray:
    """Where a word points: always the same way."""
    digest = hashlib.sha256(word.encode("utf-8", "surrogatepass")).digest()
    return np.random.default_rng(int.from_bytes(digest[:8], "big")).standard_normal(dimension)


class AngleEmbedder:
    """Texts that end in `@<degrees>` point that way in a plane: cosines can be worked out by hand."""

    name = "angles"
    sha256 = "0" * 64
    dimension = 384
    edge_floor = 0.6

    def embed(self, texts: Sequence[str], kind: str = "document", progress: object = None) -> np.ndarray:
        rows = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            found = re.search(r"@(-?\d+(?:\.\d+)?)", text)
            angle = np.deg2rad(float(found[1])) if found else np.pi / 2
            row[0], row[1] = np.cos(angle), np.sin(angle)
        return rows


class FamilyEmbedder:
    """Texts of one family have the cosine it says between any two of them, and next to none with all others.

    A family is a cosine and its members' texts. A text of several lines points between them; others go by their hash.
    """

    name = "families"
    sha256 = "f" * 64
    edge_floor = 0.6

    def __init__(self, families: Sequence[tuple[float, Sequence[str]]], dimension: int = 384) -> None:
        self.dimension = dimension
        self.places = {
            text: (number, cosine, member)
            for number, (cosine, texts) in enumerate(families)
            for member, text in enumerate(texts)
        }

    def embed(self, texts: Sequence[str], kind: str = "document", progress: object = None) -> np.ndarray:
        rows = [self._one(text.partition(": ")[2] or text) for text in texts]
        return np.array(rows, dtype=np.float32).reshape(len(texts), self.dimension)

    def _one(self, text: str) -> np.ndarray:
        total = sum((self._line(line) for line in text.split("\n")), np.zeros(self.dimension))
        return total / np.linalg.norm(total)

    def _line(self, line: str) -> np.ndarray:
        if line not in self.places:
            digest = hashlib.sha256(line.encode("utf-8", "surrogatepass")).digest()
            found = np.random.default_rng(int.from_bytes(digest[:8], "big")).standard_normal(self.dimension)
            return found / np.linalg.norm(found)
        number, cosine, member = self.places[line]
        axes = np.random.default_rng(number).standard_normal((member + 2, self.dimension)).T
        basis = np.linalg.qr(axes)[0]  # its first columns are the same for every member
        basis = basis * np.sign((basis * axes).sum(axis=0))
        return np.sqrt(cosine) * basis[:, 0] + np.sqrt(1 - cosine) * basis[:, member + 1]


def as_owner(app):
    """An application as the guard hands requests to it when they come with the owner's token."""
    from engramma.apps.daemon.guard import WHO
    from engramma.records.team import THE_OWNER

    async def let_in(scope, receive, send):
        await app({**scope, WHO: THE_OWNER} if scope["type"] == "http" else scope, receive, send)

    return let_in
