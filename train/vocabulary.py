"""Writes the vocabularies that models/wordpiece.py reads: one piece a line, in the order of their ids.

    python -m train.vocabulary

They are made of the two tokenizer.json beside the weights, which the library `tokenizers` reads. The large vocabulary
begins with the small one, so its file has only what comes after.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from engramma.models.packaged import MINI_PIECES, MINI_TOKENIZER, MULTI_PIECES, MULTI_TOKENIZER, WEIGHTS

LAST_LATIN = "\u0250"


def pieces_of(path: Path) -> list[str]:
    return in_order(json.loads(path.read_text("utf-8"))["model"]["vocab"])


def in_order(ids: Mapping[str, int]) -> list[str]:
    """The pieces by their ids, none of which is missing."""
    pieces = sorted(ids, key=lambda piece: ids[piece])
    if [ids[piece] for piece in pieces] != list(range(len(pieces))):
        raise SystemExit("the vocabulary leaves ids out")
    return pieces


def main() -> None:
    small, large = pieces_of(WEIGHTS / MINI_TOKENIZER), pieces_of(WEIGHTS / MULTI_TOKENIZER)
    if large[: len(small)] != small:
        raise SystemExit(f"{MULTI_TOKENIZER} does not begin with the pieces of {MINI_TOKENIZER}")
    (WEIGHTS / MINI_PIECES).write_text("\n".join(small), encoding="utf-8", newline="\n")
    write_new(large[len(small) :], WEIGHTS / MULTI_PIECES)


def write_new(pieces: Sequence[str], path: Path) -> None:
    """The pieces that the large vocabulary has beyond the small one, without those that multi-latin.txt has."""
    lines = "\n".join("" if is_latin(piece) else piece for piece in pieces)
    path.write_bytes(zlib.compress(lines.encode("utf-8"), 9))


def is_latin(piece: str) -> bool:
    return max(piece) < LAST_LATIN


if __name__ == "__main__":
    main()
