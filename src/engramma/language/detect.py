"""Tells in which language a text is written, from its function words: cheap, and silent where it is not sure.

Only languages in Latin letters need this; elsewhere a word's letters tell how it is stemmed (language/stemming.py). A
wrong guess loses nothing: a question asks for a word in the form of every language of the store (store/words.py).
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import cache, lru_cache

from .function_words import latin_words

READ = 4_000  # characters: the beginning of a text tells its language
FEWEST = 2  # different words that tell a language; without any English one, a single clear one is enough
CLEAR = 4  # letters of a clear one, which no name begins with (los, von, della)
SHARE = 0.1  # of the words in Latin letters: fewer are names and quotes

# Letters that few languages have: a word with one of them tells as much as a function word.
_OWN_LETTERS = {
    "őű": ("hu",),
    "řěů": ("cs",),
    "łąęśźżćń": ("pl",),
    "ğış": ("tr",),
    "țșţ": ("ro",),
    "ñ": ("es",),
    "ãõ": ("pt",),
    "ß": ("de",),
    "øæ": ("da", "no"),
    "å": ("sv", "da", "no"),
    "ơưđạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủũứừửữựỳỵỷỹ": ("vi",),
    "œ": ("fr",),
}
OWN_LETTERS = {letter: languages for letters, languages in _OWN_LETTERS.items() for letter in letters}
# Function words of others, some without their accents, that English has as well: they tell no language.
_ENGLISH_TOO = """
    ale ama ate ban bare ben bent bin car care cat chi com come comment dan die dig din dove door era est fins
    fore fur go ham hans hat hay hem hen hon jake jen jim kim kit mag man mar meg mel men mere met mia min mina
    mint mis mod nay nell non one pas pendant plus pod pro rat sans sao seine sense ser sim sin son soy sub sue
    take tech ten till tim ton uber vain van var want war wen yang
"""
ENGLISH_TOO = frozenset(_ENGLISH_TOO.split())
_WORD = re.compile(r"[A-Za-z\u00c0-\u024f\u1e00-\u1eff]+")


@lru_cache(maxsize=32)
def language_of(text: str) -> str:
    """The language of a text in Latin letters; "" for English, and where nothing tells it."""
    begun = text[:READ]
    if begun.isascii() and _foreign_words().isdisjoint(_WORD.findall(begun.lower())):
        return ""  # as most talk: every word of another language is an English one as well
    return language_by_words(text)


@cache
def _foreign_words() -> frozenset[str]:
    """The words that tell another language and are not English."""
    known = latin_words()
    return frozenset(word for word in known.keys() - ENGLISH_TOO if "" not in known[word] and len(word) > 1)


def language_by_words(text: str) -> str:
    """The same, with every word counted."""
    known = latin_words()
    hits: Counter[str] = Counter()
    telling: dict[str, set[str]] = {}
    begun = unicodedata.normalize("NFC", text[:READ])
    words = _WORD.findall(begun.lower() if begun.isupper() else begun)
    for place, written in enumerate(words):
        word = written.replace("İ", "i").lower()
        is_name = place > 0 and written[0].isupper()  # Los Angeles, De La Soul, Søren
        for language in known.get(word, ()) or by_letters(word):
            if not language:
                hits[language] += 1
            elif len(word) > 1 and not is_name and word not in ENGLISH_TOO:
                hits[language] += 1
                telling.setdefault(language, set()).add(word)
    english = hits.pop("", 0)
    best = max(telling, key=lambda one: (hits[one], len(telling[one]), one), default="")
    if hits[best] <= max(english, SHARE * len(words)):
        return ""
    is_clear = not english and any(len(word) >= CLEAR or not word.isascii() for word in telling[best])
    return best if is_clear or len(telling[best]) >= FEWEST else ""


def is_foreign(text: str) -> bool:
    """Whether a text is surely not English: by its letters, or by the words of another language."""
    letters = [one for one in text[:READ] if one.isalpha()]
    latin = sum(one < "\u0250" or "\u1e00" <= one < "\u1f00" for one in letters)
    return 2 * latin < len(letters) or language_of(text) != ""


def by_letters(word: str) -> tuple[str, ...]:
    return () if word.isascii() else next((OWN_LETTERS[one] for one in word if one in OWN_LETTERS), ())
