"""Writes the vocabularies that models/wordpiece.py reads: one piece a line, in the order of their ids.

    python -m train.vocabulary

They are made of the two tokenizer.json beside the weights, which the library `tokenizers` reads. The large vocabulary
begins with the small one, so its file has only what comes after.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from engramma.models.packaged import MINI_PIECES, MINI_TOKENIZER, MULTI_PIECES, MULTI_TOKENIZER, WEIGHTS


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
    write(small, WEIGHTS / MINI_PIECES)
    write(large[len(small) :], WEIGHTS / MULTI_PIECES)


def write(pieces: Sequence[str], path: Path) -> None:
    path.write_text("\n".join(pieces), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
