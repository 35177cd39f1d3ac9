"""Sentences of a turn with their places in it, and the telling words of texts and questions."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache, lru_cache

from ...language.dates import intervals
from ...language.detect import ENGLISH_TOO
from ...language.function_words import latin_words
from ...language.graphemes import first_characters
from ...language.lexical import (
    SAYING,
    STOP_WORDS,
    index_tokens,
    is_function_word,
    learn_stems,
    normalize_text,
    only_asks,
    spaced,
    stems,
    terms,
    told_stems,
)
from ...language.question_language import question_language
from ...language.sentences import TURN_RULES, sentences
from ...language.stemming import stem_words
from ...language.unspaced import LONE, AskedPart, asked_parts, has_runs, text_pieces, without_names, without_runs
from ..grammar.verbs import FORMS

QUESTION_MARKS = ("?", "？", "؟")
_UNMARKED = re.compile(
    r"(?:^|[.!?…]\s)\W{0,20}(?:\w{1,30}, )?"
    r"(?:can|could|do|does|did|are|is|was|were|will|would|have|has|should|shall)(?:n['’]t)?"
    r" (?:you|i|we|he|she|they|it|u)\b",
    re.IGNORECASE,
)
# "anyone want a ton of gravel"
_ASKS_ALL = re.compile(
    r"\W*(?:(?:hi|hey|hello|ok|so|and|does|do|did|has|have|is|can|could|would) ){0,2}"
    r"(?:any(?:one|body|1)|any of (?:you|ye|us|yous))\b",
    re.IGNORECASE,
)
_ASKS_OF = re.compile(
    r"\W*(?:did|does|has|have|is|are|was|were|can|will|would) (?:not )?(?:(?:the|my|your|our|dr|mr|mrs|ms)\.? )?"
    r"(?P<who>[^\W\d_]+)\s+\w[^.!]*$",
    re.IGNORECASE,
)
# "who's driving this week", but not "what is nice is that ..."
_ASKS_WHO = re.compile(
    r"\W*(?:who|what|where|when|which|how|why)(?:['’]?s|\s(?:is|are|was|were|do|does|did|can|should|am))\s"
    r"(?!.*\b(?:is|was|are|were|that)\b)",
    re.IGNORECASE,
)
_WH = re.compile(
    r"\W*(?:(?:so|and|but|hey|btw|ok|oh)[, ]+)?(?:who|what|where|when|which|how|why)(?:['’]?(?:s|re|d))?\b",
    re.IGNORECASE,
)
LEARNT = 300  # characters of a text from which it pays to stem its words all at once
LOOKED_AT = 4_000  # characters of a turn: what answers a question stands early, and a pasted page has no end


@dataclass(frozen=True, slots=True)
class TurnSentence:
    """A sentence of a turn, where it begins there, and the stems of its telling words."""

    text: str
    start: int
    stems: frozenset[str]

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def asks(self) -> bool:
        return self.text.rstrip("\"')*」』”’） ").endswith(QUESTION_MARKS) or _ASKS_WHO.match(self.text) is not None


def asks_unmarked(text: str) -> bool:
    """Whether a text asks without its mark, as in messengers: "can you drive". English."""
    return _UNMARKED.search(text) is not None


def asks_somebody(text: str, question: str) -> bool:
    """Whether a text begins by asking whoever is there, or asks of one whom the question names: "are we having
    mussels", "anyone want a bike", "did dr Whitty not ring". English."""
    if _ASKS_ALL.match(text) or _UNMARKED.match(text):
        return True
    found = _ASKS_OF.match(text)
    return found is not None and re.search(rf"(?i)\b{re.escape(found['who'])}\b", question) is not None


def begins_asking(sentence: str) -> bool:
    """Whether a sentence asks who, what, where or when: such a question tells nothing. English."""
    return _WH.match(sentence) is not None and TurnSentence(sentence, 0, frozenset()).asks


@lru_cache(maxsize=2048)
def split_turn(text: str) -> tuple[TurnSentence, ...]:
    """The sentences of a turn, in order; none for an empty one."""
    begun = first_characters(text, LOOKED_AT)
    learn_stems(begun)
    return tuple(
        TurnSentence(text[start:end], start, find_content_stems(text[start:end]))
        for start, end in sentences(begun, TURN_RULES)
    )


def find_content_stems(text: str) -> frozenset[str]:
    """The stems of a text's telling words; of scripts without spaces the pieces that words are looked for by."""
    if len(text) > LEARNT:
        learn_stems(text)
    found = frozenset(_bases().get(stem, stem) for stem in told_stems(without_runs(text)))
    return found | text_pieces(text) if has_runs(text) else found


@cache
def _bases() -> Mapping[str, str]:
    """The stems of verbs by those of their irregular forms: "fell" says "fall"."""
    irregular = ((word, form.lemma) for word, form in FORMS.items() if form.kinds & {"past", "part"})
    return {stems(word)[0]: stems(verb)[0] for word, verb in irregular if not word.endswith("ed") and verb != "be"}


def telling(question: str, names: Sequence[str], now: datetime, language: str = "") -> dict[str, str]:
    """The question's telling words by stem, without names and dates: those say who and when, not what."""
    text = question[:LOOKED_AT]
    for one in reversed(intervals(text, now)):
        text = text[: one.span[0]] + " " + text[one.span[1] :]
    text = without_names(text, names)
    named = {stem for name in names for stem in stems(name.casefold())}
    is_asking = words_that_ask(question[:LOOKED_AT], language)
    words = {
        _bases().get(stem, stem): word
        for word in terms(without_runs(text))
        if not is_asking(word)
        for stem in stems(word)
    }
    runs = {piece: " ".join(piece.removeprefix(LONE)) for part in asked_parts(text) for piece in part.pieces}
    words = {stem: word for stem, word in words.items() if stem not in named}
    return ({stem: word for stem, word in words.items() if word not in SAYING} or words) | runs


def words_that_ask(
    question: str, language: str = "", is_empty: Callable[[str, str], bool] = only_asks
) -> Callable[[str], bool]:
    """Tells which words of a question only ask: the function words of its language, and one of any language that it
    begins with. Three words are enough to know the language of a question, which of other texts they are not."""
    language = language or question_language(question)
    begins = next(iter(re.findall(r"[^\W\d_]+", question)), "").lower()
    opener = begins if begins in latin_words() and begins not in ENGLISH_TOO else ""
    return lambda words: all(
        word in STOP_WORDS or is_empty(word, language) or word.lower() == opener for word in words.split()
    )


def share_of_words(question: str, names: Sequence[str], text: str, language: str = "") -> float:
    """How much of what a question in another language asks for a text has, 0 to 1: words in any of their forms, and
    parts of scripts without spaces. Names are left out: they say who, not what."""
    language = language or question_language(question)
    named = {stem for name in names for stem in stems(name.casefold())}
    about = without_names(question[:LOOKED_AT], names)
    # "worauf" counts, though it only asks: else half of "Worauf freut sich Mia?" would be a name.
    is_asking = words_that_ask(question[:LOOKED_AT], language, is_function_word)
    words = [word for word in terms(without_runs(about)) if not is_asking(word)]
    asked = [found for word in words if (found := stems(word, language)) and named.isdisjoint(found)]
    said = index_tokens(spaced(stem_words(normalize_text(text[:LOOKED_AT]), language)))
    run = f" {' '.join(said)} "
    met: float = sum(f" {' '.join(one)} " in run for one in asked)
    parts = asked_parts(about)
    met += share_of_parts(parts, text[:LOOKED_AT]) * (count := sum(part.words for part in parts))
    return met / (len(asked) + count) if asked or count else 0.0


def lacks_part(question: str, names: Sequence[str], text: str) -> bool:
    """Whether a text has nothing of one of the parts of a question in a script without spaces."""
    said = text_pieces(text[:LOOKED_AT])
    return any(not part.share_in(said) for part in asked_parts(without_names(question[:LOOKED_AT], names)))


def share_of_parts(parts: Sequence[AskedPart], text: str) -> float:
    """How much of a question's parts in scripts without spaces a text has, 0 to 1."""
    said = text_pieces(text)
    count = sum(part.words for part in parts)
    return sum(part.words * part.share_in(said) for part in parts) / count if count else 0.0
