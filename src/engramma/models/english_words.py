"""Which English words the pieces of other languages stand for, as the packaged encoder learnt it.

The file has, for each piece that the encoder's vocabulary has beyond engramma-mini's, the ids of its nearest English
words and how near they are; `train/multi_english.py` makes it from the encoder's weights.
"""

from __future__ import annotations

import unicodedata
import zlib
from collections import Counter
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..language.lexical import begins_unspaced, has_unspaced
from .onnx import WEIGHTS
from .packaged import ENGLISH_WORDS, checked_file, multi_tokenizer

NEAREST = 3  # English words of a piece
LEAST = 0.45  # cosine from which on a word counts as one


class MeantWord(NamedTuple):
    """A word of a question, as it is written, and the English words that it or a part of it stands for."""

    written: str
    english: tuple[str, ...]
    is_whole: bool  # the encoder knows the word, not only a part of it


class EnglishWords(NamedTuple):
    """The dictionary: a row a piece, the first for the piece with the id `first`."""

    first: int
    ids: NDArray[np.uint16]
    near: NDArray[np.uint8]

    def of(self, piece: int) -> tuple[int, ...]:
        """The ids of a piece's English words, nearest first."""
        row = piece - self.first
        if not 0 <= row < len(self.ids):
            return ()
        kept = self.near[row] >= round(LEAST * 255)
        return tuple(self.ids[row][kept].tolist())


@cache
def open_english_words() -> EnglishWords:
    """Read when the first question in another language comes."""
    content = zlib.decompress(checked_file(WEIGHTS, ENGLISH_WORDS).read_bytes())
    rows = len(content) // (3 * NEAREST)
    ids = np.frombuffer(content, "<u2", rows * NEAREST).reshape(rows, NEAREST)
    near = np.frombuffer(content, "u1", offset=ids.nbytes).reshape(rows, NEAREST)
    return EnglishWords(multi_tokenizer().get_vocab_size() - rows, ids, near)


def meant_words(text: str, most: int) -> list[MeantWord]:
    """What the first words of a text mean in English, as far as the encoder knows: of each piece its nearest words."""
    tokenizer, dictionary = multi_tokenizer(), open_english_words()
    cut = tokenizer.encode(text)
    words = [whole_word(text, *span) for span in cut.offsets]
    pieces, found = Counter(words), list[MeantWord]()
    for piece, word in zip(cut.ids, words, strict=True):
        if english := tuple(tokenizer.id_to_token(one) for one in dictionary.of(piece)):
            found.append(MeantWord(word, english, pieces[word] == 1))
    return found[:most]


def whole_word(text: str, start: int, end: int) -> str:
    """The word that a piece is part of; of a script without spaces, the piece itself."""
    if has_unspaced(text[start:end]):
        return text[start:end]
    while start > 0 and _goes_on(text[start - 1]):
        start -= 1
    while end < len(text) and _goes_on(text[end]):
        end += 1
    return text[start:end]


def _goes_on(sign: str) -> bool:
    return unicodedata.category(sign)[0] in "LM" and not begins_unspaced(sign)
