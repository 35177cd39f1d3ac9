"""A turn in another language than the question: which sentence of it is meant, and how likely that one answers.

The words of the question do not stand there, and the reader, which was trained on English, compares the two badly. The
packaged encoder puts both languages into one space, and its dictionary knows which English words a word stands for.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from numpy import float32
from numpy.typing import NDArray

from ...errors import EmbedderAway, ModelError
from ...language.lexical import is_function_word, normalize_text, stems
from ...language.question_language import question_language
from ...language.unspaced import has_runs, without_names
from ...language.whose_words import without_saying
from ...models.embed import Kind
from .sentences import TurnSentence

MOST_COMPARED = 12  # sentences of a turn, those with most words of the question
MOST_PIECES = 200  # of a text that are looked up in the dictionary
FEWEST_SHARED = 2  # words of the question that an answer has, unless it has only one
NAMED = 0.5  # what words as they are written, such as names, are worth beside the cosine
ASKING = 0.5  # what a sentence that itself asks counts, where the reader does not pick the quote
# How likely a sentence answers, fitted on XQuAD and small talks: docs/log/answers.md, "A question in one language".
NEAR = 6.0  # a cosine of 1
SHARED = 5.0  # all of the question's words, each in any language
BIAS = -4.5
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class MeantSentence:
    """The sentence of a turn that is nearest to a question in another language, by its number, and how near it is."""

    place: int
    near: float  # its cosine to the question
    shared: float  # the share of the question's words that it has, each in any language
    hardly_shared: bool = False  # no more than one word of several: what is said of the dog need not tell its name

    @property
    def logit(self) -> float:
        """How likely it answers, as a logit."""
        return NEAR * self.near + SHARED * self.shared + BIAS

    @property
    def measured(self) -> dict[str, float]:
        """What it tells, beside what is measured of any quote."""
        return {"meant": self.near, "shared": self.shared, "hardly_shared": float(self.hardly_shared)}

    @property
    def sure(self) -> float:
        """How likely it answers: 0 to 1."""
        return 1 / (1 + math.exp(-self.logit))


@dataclass(frozen=True, slots=True)
class QuestionAcross:
    """A question as texts in other languages are compared with it: its text, the people it is about, the language that
    it is asked in ("" is English), and what embeds."""

    text: str
    people: Sequence[str]
    language: str
    embed: Callable[[Sequence[str], Kind], NDArray[float32]]

    def find_sentence(self, parts: Sequence[TurnSentence], shares: Sequence[float]) -> MeantSentence | None:
        """The sentence of a turn that is meant; `shares` is how much of the question's words each has as they are
        written. None where the encoder is away, or the turn says nothing."""
        compared = sorted(range(len(parts)), key=lambda place: (-shares[place], place))[:MOST_COMPARED]
        near = dict(zip(compared, self._nearness([parts[place].text for place in compared]), strict=False))
        worth = {
            place: (cosine + NAMED * shares[place]) * (ASKING if parts[place].asks else 1.0)
            for place, cosine in near.items()
        }
        if not worth:
            return None
        best = max(worth, key=lambda place: (worth[place], -place))
        met, asked = self.count_shared(parts[best].text)
        return MeantSentence(best, near[best], met / asked if asked else 0.0, met < min(asked, FEWEST_SHARED))

    def _nearness(self, sentences: Sequence[str]) -> list[float]:
        """The cosines of sentences to the question; none where the encoder is away."""
        if not sentences:
            return []
        try:
            asked = self.embed([self.text], "query")[0]
            return [float(cosine) for cosine in self.embed(sentences, "document") @ asked]
        except EmbedderAway:
            return []

    def count_shared(self, sentence: str) -> tuple[int, int]:
        """How many of the question's telling words a sentence has, and how many there are: as they are written, which
        finds names and numbers, or by the English words that both stand for. Whom it is about is left out."""
        named = {stem for name in self.people for stem in stems(name.casefold())}
        about = word_meanings(without_saying(without_names(self.text, self.people)), self.language)
        asked = [word for word in about if named.isdisjoint(word)]
        said = frozenset[str]().union(*word_meanings(sentence, question_language(sentence)))
        return sum(not said.isdisjoint(word) for word in asked), len(asked)


def word_meanings(text: str, language: str) -> list[frozenset[str]]:
    """The telling words of a text, each by its own stems and those of the English words that it stands for."""
    from ...models.english_words import meant_words  # its dictionary is read only where languages differ

    english: dict[str, set[str]] = {}
    try:
        for meant in meant_words(text, MOST_PIECES):
            english.setdefault(meant.written.lower(), set()).update(meant.english)
    except ModelError:
        pass  # without the dictionary names and numbers are compared
    written = english if has_runs(text) else dict.fromkeys(word.lower() for word in _WORD.findall(text))
    return [
        frozenset(stems(word, language)).union(
            stems(word), *(stems(one) for one in english.get(word, ()) if not is_function_word(one, ""))
        )
        for word in written
        if not _is_empty(word, language)
    ]


def _is_empty(word: str, language: str) -> bool:
    """Whether a word tells nothing, in a language or in English."""
    plain = normalize_text(word)
    return is_function_word(plain, language) or is_function_word(plain, "")
