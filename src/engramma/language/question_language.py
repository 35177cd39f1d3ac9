"""The language of a question, which is often three words long: by its letters, else by its function words.

`detect.language_of` says how a text's words are indexed and keeps silent where it is not sure; this says in which
language to answer. What neither letters nor words tell is "", and so is English.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import cache, lru_cache

from ..patterns import late
from .detect import ENGLISH_TOO, by_letters
from .function_words import fold_accents, in_runs, latin_words, other_words
from .question_words import question_words

READ = 500  # characters: a question says early in which language it is
PAIR = 2  # words that ask together
DENSE = 2  # a character of a script without spaces counts as this many letters

_HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_KANA = "\u3040-\u30fa\u30fc-\u30ff"
# Scripts, and the language that is meant by each unless its words or letters say otherwise.
_SCRIPTS = {
    "ru": late("[\u0400-\u052f]+"),
    "el": late("[\u0370-\u03ff\u1f00-\u1fff]+"),
    "ar": late("[\u0610-\u061a\u0620-\u065f\u066e-\u06d3\u06d5-\u06ef\u06fa-\u06ff]+"),
    "he": late("[\u0591-\u05f4]+"),
    "hi": late("[\u0900-\u0963\u0971-\u097f]+"),
    "bn": late("[\u0980-\u09e3\u09f0-\u09ff]+"),
    "ko": late("[\u1100-\u11ff\uac00-\ud7a3]+"),
    "th": late("[\u0e01-\u0e4e]+"),
    "zh": late(f"[{_HAN}{_KANA}]+"),
}
_UNSPACED = ("ko", "th", "zh")
_LATIN = late(r"[A-Za-z\u00c0-\u024f\u1e00-\u1eff]+")
_UKRAINIAN = "де|як|хто|що|коли|чому|яка|яке|ти|ви|ми|чи|це|ця|цю|його"
_BULGARIAN = "какво|къде|кога|кой|защо|колко|е|са|се|си|съм|това|ме|го|ги"
# Languages that share a script with one above: what of it tells them. "" is one that nobody is answered in.
_SHARED: dict[str, tuple[tuple[str, re.Pattern[str]], ...]] = {
    "ru": (
        ("uk", late(f"(?i)^[^ыэъёў]*(?:[іїєґ]|\\b(?:{_UKRAINIAN})\\b)[^ыэъёў]*$")),
        # Belarusian, Serbian, Macedonian and others by their letters; Bulgarian by ъ, which Russian has before e, ю, я
        ("", late(f"(?i)[^а-яё\\W\\d_a-z]|ъ(?![еёюя])|\\b(?:{_BULGARIAN})\\b")),
    ),
    "ar": (("", late("[\u0679\u067e\u0686\u0688\u0691\u0698\u06a9\u06af\u06ba-\u06d3]")),),  # Persian, Urdu
    "hi": (("", late("(?:^|\\s)(?:आहे|आहेत|काय|कुठे|माझ\\S*|कोण|केव्हा|छ|छन्|मेरो|कसरी|नाही|आणि|तुम्ही)(?=[\\s?।]|$)|ळ")),),
    "bn": (("", late("[\u09f0\u09f1]")),),  # Assamese
    "zh": (("ja", late(f"[{_KANA}]|[週曜込]|先月|来月|来年|昨年")),),
}
# Words of questions that are no function words, or that English has as well: they tell a language as the first word.
_ASKING = {
    "de": "was wer wo wen wem wann macht heißt heisst wohnt arbeitet kostet mag spielt isst trinkt liest lernt studiert"
    " ist kauft sagt kommt geht fährt braucht sucht schreibt",
    "es": "que cuando donde vive llama trabaja gusta hizo dijo",
    "fr": "comment qui que quoi habite appelle travaille aime est",
    "it": "dove come chi che cosa abita chiama lavora vive piace quando",
    "pt": "onde como quem mora trabalha gosta chama quando",
    "nl": "wie wat waar hoe woont werkt heet kost heb zal zou",
    "pl": "kto kim co czy mieszka pracuje nazywa lubi",
    "tr": "kim nerede hangi yaşıyor oturuyor çalışıyor seviyor",
    "ro": "cine unde cum locuiește lucrează",
    "id": "apa siapa kapan berapa tinggal bekerja nama",
    "vi": "ai gì sống làm tên",
}
_ALONE = frozenset({"war", "man", "die"})  # English ones that stand without an article: "Was war declared?"
# Words and letters of languages that nobody is answered in here, some of whose words others have as well: Swahili,
# Tagalog, Hausa, Estonian, Lithuanian, Latvian, Croatian, Serbian, Slovene, Slovak and their neighbours.
_OTHERS = """
    nini nani wapi gani lini ngapi ipi wangu yangu langu zangu changu kwangu yako wako yake yetu wetu jina siku kwa simu
    kazi kuhusu jana kesho ambayo ambaye alikuwa ilikuwa nilikuwa nyumba nyumbani mbwa
    ang ng mga ano saan kailan magkano menene yaushe sunan
    kí níbo nígbà orúkọ kus kes mida millal minu sinu kuidas kur kada kaip kiek kas kad cik
    gdje gde kje kako koliko tko kedy ako
"""
_OTHER_LETTERS = late("[āčďēėģġħīįķļňņōřšťūůųžċ]")
# Where words speak for several languages alike, the one that more people write.
_BY_SPEAKERS = ("es", "pt", "fr", "de", "id", "vi", "tr", "it", "pl", "nl", "ro")


@lru_cache(maxsize=256)
def question_language(question: str) -> str:
    """The language of a question, "de" or "zh"; "" for English, and where nothing tells it."""
    text = unicodedata.normalize("NFC", question[:READ])
    latin, english = _in_latin_letters(text)
    if text.isascii():
        return latin
    runs = {code: script.findall(text) for code, script in _SCRIPTS.items()}
    sizes = {code: sum(map(len, found)) * (DENSE if code in _UNSPACED else 1) for code, found in runs.items()}
    script = max(sizes, key=lambda code: sizes[code])
    if not sizes[script]:
        return latin
    told = _told_by(runs[script], script)
    if latin or english:
        told -= english + len(latin)
        if told < 0 or (told == 0 and sizes[script] < sum(map(len, _LATIN.findall(text)))):
            return latin
    return next((code for code, shows in _SHARED.get(script, ()) if shows.search(text)), script)


def _told_by(runs: list[str], script: str) -> int:
    """How many function words of a script there are."""
    if script in _UNSPACED:
        return sum(len(in_runs().findall(run)) for run in runs)
    return sum(run.lower() in other_words() or fold_accents(run) in other_words() for run in runs)


def _in_latin_letters(text: str) -> tuple[str, int]:
    """The language that the words in Latin letters tell, and how many of them are English function words."""
    words = _LATIN.findall(text.lower() if text.isupper() else text)
    known, asks, hits = latin_words(), question_words(), Counter[str]()
    telling: dict[str, set[str]] = {}
    others = 0
    for place, written in enumerate(words):
        word = written.replace("İ", "i").lower()
        if place > 0 and written[0].isupper():
            continue  # Los Angeles, Søren
        others += word in other_asking_words() or _OTHER_LETTERS.search(word) is not None
        languages = {*known.get(word, ()), *asks.get(word, ())} or set(by_letters(word))
        pair = _asked_together(words) if place < PAIR else frozenset()
        hits[""] += "" in languages and len(word) > 1 and not pair
        if (word in ENGLISH_TOO and not pair) or (len(word) == 1 and word.isascii()):
            languages = set()
        if place == 0 or word not in ENGLISH_TOO:
            languages = languages | asking_words().get(word, set())
        for language in sorted(languages - {""}):
            hits[language] += 1
            telling.setdefault(language, set()).add(word)
    english = hits.pop("", 0)
    if "¿" in text:
        return "es", english
    best = max(telling, key=lambda one: (hits[one], len(telling[one]), -_rank(one)), default="")
    is_weak = all(len(word) < 3 and word.isascii() for word in telling.get(best, ()))  # ya, ni: whose else?
    if best in _BY_SPEAKERS and (hits[best] <= english + others or (is_weak and others)):
        return "", english
    if hits[best] <= english or not _is_clear(telling[best], 4 * hits[best] >= len(words)):
        return "", english
    return best, english


def _asked_together(words: list[str]) -> frozenset[str]:
    """The languages in which the first two words ask although English has the first: "Was hat", "Was ist", "Will er".

    The second one is no English word there, or a noun that would have its article: "Was hat" is not English.
    """
    first, second = (word.lower() for word in (*words, "", "")[:PAIR])
    known, asks = latin_words(), question_words()
    if "" not in known.get(first, ()) or second in _ALONE or "" in known.get(second, ()) or second not in words[1:PAIR]:
        return frozenset()
    return asks.get(first, frozenset()) & {*known.get(second, ()), *asks.get(second, ())}


def _is_clear(words: set[str], are_many: bool) -> bool:
    """Whether words tell a language: two of them, or one that is long, has an accent or asks and is not English too.

    Words of two letters tell it only where they are a quarter of all: "la" and "ni" are Spanish, and Swahili.
    """
    if len(words) > 1 and (are_many or any(len(word) > 2 or not word.isascii() for word in words)):
        return True
    alone = (word for word in words if word not in ENGLISH_TOO)
    return any(len(word) > 3 or not word.isascii() or word in asking_words() for word in alone)


def _rank(language: str) -> int:
    return _BY_SPEAKERS.index(language) if language in _BY_SPEAKERS else len(_BY_SPEAKERS)


@cache
def other_asking_words() -> frozenset[str]:
    """Words of questions in languages that nobody is answered in."""
    return frozenset(_OTHERS.split())


@cache
def asking_words() -> dict[str, set[str]]:
    """Words of questions, and the languages that they tell."""
    found: dict[str, set[str]] = {}
    for language, words in _ASKING.items():
        for word in words.split():
            found.setdefault(word, set()).add(language)
    return found
