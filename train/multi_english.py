"""The multilingual encoder as a dictionary: the English words nearest to each piece of other languages.

The network learnt to put a text where its English is, so the vector with which a piece of another language begins lies
beside those of the English words that it stands for. The words channel of recall asks for these words, too
(src/engramma/models/english_words.py reads the file that is written here).
"""

from __future__ import annotations

import argparse
import json
import re
import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from engramma.language.detect import ENGLISH_TOO
from engramma.language.function_words import latin_words
from engramma.language.lexical import STOP_WORDS, stems
from engramma.models.english_words import LEAST, NEAREST

from . import weights

OWN = 30_522  # pieces of engramma-mini, with which the vocabulary begins
CROWD = 10  # neighbours that tell how crowded an English word is
SAMPLE = 4_000  # pieces of which these are
LOOKED_AT = 12  # nearest words of which those with stems of their own are kept
WHOLE = re.compile(r"[a-z]{3,}")
NAME = "embeddings.word_embeddings.weight"


def unit_rows(rows: np.ndarray) -> np.ndarray:
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9))


def english_ids(pieces: Sequence[str], own: int = OWN) -> list[int]:
    """The whole words of English's part of the vocabulary, without function words of any language."""
    empty = STOP_WORDS | (latin_words().keys() - ENGLISH_TOO)
    return [n for n, piece in enumerate(pieces[:own]) if WHOLE.fullmatch(piece) and piece not in empty]


def nearest_english(vectors: np.ndarray, pieces: Sequence[str], own: int = OWN) -> tuple[np.ndarray, np.ndarray]:
    """Of each new piece the ids of its English words, best first and each with a stem of its own, and their cosines.

    Words that are near to everything are pushed back (CSLS). 0, "[PAD]", stands for none.
    """
    english = english_ids(pieces, own)
    middle = vectors[english].mean(0)
    known, new = unit_rows(vectors[english] - middle), unit_rows(vectors[own:] - middle)
    some = new[np.random.default_rng(0).permutation(len(new))[:SAMPLE]]
    crowd = np.concatenate(
        [np.sort(known[at : at + 1000] @ some.T, axis=1)[:, -CROWD:].mean(1) for at in range(0, len(known), 1000)]
    )
    stem = [stems(pieces[n]) for n in english]
    ids, cosines = np.zeros((len(new), NEAREST), np.uint16), np.zeros((len(new), NEAREST), np.float32)
    looked_at = min(LOOKED_AT, len(known))
    for start in range(0, len(new), 1000):
        near = new[start : start + 1000] @ known.T
        far = crowd - 2 * near
        first = np.argpartition(far, looked_at - 1, axis=1)[:, :looked_at]
        first = np.take_along_axis(first, np.argsort(np.take_along_axis(far, first, 1), axis=1), 1)
        for row, places in enumerate(first, start):
            kept = {stem[place]: int(place) for place in reversed(places) if near[row - start, place] >= LEAST}
            ordered = [place for place in places.tolist() if kept.get(stem[place]) == place][:NEAREST]
            ids[row, : len(ordered)] = [english[place] for place in ordered]
            cosines[row, : len(ordered)] = near[row - start, ordered]
    return ids, cosines


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weights", type=Path, required=True, help="model.safetensors of the encoder")
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True, help="multi-english.zlib")
    options = parser.parse_args(arguments)
    vocabulary = json.loads(options.tokenizer.read_text("utf-8"))["model"]["vocab"]
    pieces = sorted(vocabulary, key=vocabulary.__getitem__)
    ids, cosines = nearest_english(weights.read(options.weights)[NAME], pieces)
    near = np.round(cosines * 255).clip(0, 255).astype("u1")
    options.out.write_bytes(zlib.compress(ids.astype("<u2").tobytes() + near.tobytes(), 9))
    print(json.dumps({"pieces": len(ids), "with words": int((cosines[:, 0] > 0).sum())}))


if __name__ == "__main__":
    main()
