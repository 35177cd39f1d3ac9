"""Hashes model weights: they are identified by content, not by origin."""

from __future__ import annotations

import hashlib
from pathlib import Path

from ..errors import ModelError


def sha256_of(*paths: Path) -> str:
    """The sha256 of the files' bytes, one after the other."""
    digest = hashlib.sha256()
    for path in paths:
        try:
            with path.open("rb") as file:
                while block := file.read(1 << 20):
                    digest.update(block)
        except OSError as error:
            raise ModelError(f"cannot read {path}: {error.strerror}; check its permissions") from error
    return digest.hexdigest()
