"""Words without their endings, by the Snowball stemmers: by a word's letters, in Latin letters by the text's language.

English is left to the tokenizer of the index. Stems are what is indexed, so the stemmers' version is part of an index's
form (store/words.py): another version may stem otherwise.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from functools import cache, lru_cache
from importlib import import_module
from typing import Protocol

LONGEST = 64  # characters of a word that is stemmed
_THREAD = threading.local()

# Snowball's name of each language in Latin letters that it stems.
LATIN = {
    "ca": "catalan",
    "cs": "czech",
    "da": "danish",
    "de": "german",
    "es": "spanish",
    "fi": "finnish",
    "fr": "french",
    "hu": "hungarian",
    "id": "indonesian",
    "it": "italian",
    "nl": "dutch",
    "no": "norwegian",
    "pl": "polish",
    "pt": "portuguese",
    "ro": "romanian",
    "sv": "swedish",
    "tr": "turkish",
}
# Scripts whose words are stemmed whatever the text's language: the one language that most of their words are of.
_LETTERS = {
    "russian": "\u0400-\u052f",
    "greek": "\u0370-\u03ff\u1f00-\u1fff",
    "arabic": "\u0620-\u063a\u0641-\u064a\u0671-\u06d3\u06d5\u06ee\u06ef\u06fa-\u06fc",
    "hindi": "\u0900-\u0963\u0971-\u097f",
}
_LATIN_LETTERS = "A-Za-z\u00c0-\u024f\u1e00-\u1eff\u0300-\u036f"
# Letters that Arabic has not: such a word is Persian or Urdu, and is left as it is written.
_NOT_ARABIC = re.compile("[\u0679-\u06d3]")

# What people leave out or type otherwise, put into one form after the stemmers have seen it: letters with a stroke,
# hamza and the two forms of Arabic letters, nukta and the two nasal signs of Hindi, digits of other scripts.
_ALIKE = str.maketrans(
    {
        **dict(zip("øØłŁđĐıħŧ", "oolldDiht", strict=True)),
        **{"æ": "ae", "Æ": "ae", "œ": "oe", "Œ": "oe", "ß": "ss", "ẞ": "ss", "þ": "th", "Þ": "th", "ð": "d", "Ð": "d"},
        **dict(zip("أإآٱىیئؤةکہھ", "ااااييي\u0648هكهه", strict=True)),
        **{"\u093c": "", "\u0901": "\u0902"},
        **{chr(zero + n): str(n) for zero in (0x0660, 0x06F0, 0x0966, 0x09E6, 0x0E50) for n in range(10)},
    }
)


class Stemmer(Protocol):
    """A stemmer of Snowball's."""

    def stemWord(self, word: str) -> str: ...


def stem_words(text: str, language: str = "") -> str:
    """A text whose words are stems, but for those of English and of languages that nobody stems here."""
    latin = LATIN.get(language, "")
    if text.isascii() and not latin:
        return text
    stemmed = _words_of(bool(latin)).sub(lambda found: stem_by_script(found[0], latin, str(found.lastgroup)), text)
    return stemmed.translate(_ALIKE)


def stemmed_languages(text: str, language: str = "") -> Iterator[str]:
    """The languages by whose rules a text's words are stemmed, by Snowball's names."""
    if language in LATIN:
        yield LATIN[language]
    if not text.isascii():
        yield from (name for name, letters in _LETTERS.items() if re.search(f"[{letters}]", text))


def stem_by_script(word: str, latin: str, script: str) -> str:
    """A word's stem by the rules of its script, or of a language in Latin letters."""
    if len(word) > LONGEST or (script == "arabic" and _NOT_ARABIC.search(word)):
        return word
    return _stem(latin if script == "latin" else script, word.replace("İ", "i").lower())


@cache
def stemmer_version() -> str:
    """The version of the stemmers."""
    from importlib import metadata

    return metadata.version("snowballstemmer")


@lru_cache(maxsize=65_536)
def _stem(name: str, word: str) -> str:
    return _stemmer(name).stemWord(word) or word


def _stemmer(name: str) -> Stemmer:
    """One a thread: a stemmer holds the word it is at.

    It is taken from its own module: the package's front door leads to another library where that one is installed.
    """
    own: dict[str, Stemmer] = _THREAD.__dict__.setdefault("stemmers", {})
    if name not in own:
        own[name] = getattr(import_module(f"snowballstemmer.{name}_stemmer"), f"{name.title()}Stemmer")()
    return own[name]


@cache
def _words_of(with_latin: bool) -> re.Pattern[str]:
    scripts = {**_LETTERS, "latin": _LATIN_LETTERS} if with_latin else _LETTERS
    return re.compile("|".join(f"(?P<{name}>[{letters}]+)" for name, letters in scripts.items()))
