"""Stand-ins for tests that need thousands of vectors, where the real encoder would take minutes."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

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
            digest = hashlib.sha256(f"{self.seed}{word}".encode("utf-8", "surrogatepass")).digest()
            total += np.random.default_rng(int.from_bytes(digest[:8], "big")).standard_normal(self.dimension)
        return total / np.linalg.norm(total)


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
