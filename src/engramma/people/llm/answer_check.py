"""Checks a sentence of a model against the turns that it cites.

A simple check, by words and not by meaning. A sentence is supported if
- it cites a turn that the model was shown,
- every quotation in it stands in such a turn, word for word,
- every name, number and date in it stands in such a turn, in its label (speaker, conversation, day), or is a date that
  its words come to ("yesterday"). A name from the question alone is not enough: it may be somebody else's,
- it says "not" only if a turn says something of the kind,
- and enough of its other words stand there or in the question.
A sentence that twists the turns' own words passes; what it rests on stands beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ...language.dates import intervals
from ...language.lexical import STOP_WORDS, stems
from ...language.times import wall_clock
from ...records.people import Evidence
from ..answers.sentences import find_content_stems
from ..claims.event_times import describe_day
from ..entities.known_names import first_names, place_names
from .check import found_in, span_of

LEAST_SHARED = 0.4  # of a sentence's telling words that stand in its turns or the question: a paraphrase has others
READ = 20_000  # characters of a turn that are looked through
_QUOTATION = re.compile(r"\"([^\"]+)(?:\"|$)|“([^“”\"]+)(?:[”\"]|$)|„([^„“”]+)(?:[“”]|$)|«([^«»]+)(?:»|$)")
_ELISION = re.compile(r"\[?(?:…|\.\.\.)\]?")
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_SUFFIX = re.compile(r"['’]s?$", re.IGNORECASE)
_NEGATION = re.compile(
    r"\b(?:not|never|no|none|nobody|nothing|neither|nor|without|cannot|hardly|stop|quit|refuse|cancel|fail|lack|avoid"
    r"|instead|miss|lost|lose|un\w{4,}|\w+less)(?:s|es|ed|ped|led|d)?\b|n['’]t\b",
    re.IGNORECASE,
)
_DENIES = re.compile(r"\b(?:not|never|nobody|none|no longer|cannot|neither)\b|n['’]t\b", re.IGNORECASE)
_SMALL = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
_NUMBER_WORDS = {word: str(number) for number, word in enumerate(_SMALL.split())}
_NO_NAMES = frozenset(["i", "i'm", "i've", "i'd", "i'll", "ok", "yes", "no", "user", "assistant", "turn", "turns"])


@dataclass(frozen=True, slots=True)
class AskedWords:
    """What a question says: the stems of its words, without names, and the names."""

    stems: frozenset[str]
    names: frozenset[str]


@dataclass(frozen=True, slots=True)
class SaidWords:
    """What cited turns say: their words, numbers and stems, those of their labels and of the dates they come to."""

    words: frozenset[str]
    numbers: frozenset[str]
    dates: frozenset[str]  # numbers in their dates: no counts
    stems: frozenset[str]
    denies: bool


def asked_words(question: str, named: Iterable[str]) -> AskedWords:
    """The words of a question; a name in it is one that it is asked about, or a word with a capital."""
    names = {_folded(word) for name in named for word in _WORD.findall(name)}
    words = _WORD.findall(question)
    names |= {_folded(word) for word in words[1:] if word[0].isupper() and _folded(word) not in STOP_WORDS}
    own = frozenset(stem for name in names for stem in stems(name))
    return AskedWords(find_content_stems(question) - own, frozenset(names))


def said_words(cited: Sequence[Evidence]) -> SaidWords:
    """All that cited turns say."""
    told = "\n".join(part for one in cited for part in (one.text[:READ], one.speaker, one.title or ""))
    days = "\n".join(day for one in cited for day in _dates(one))
    words = {_folded(word) for word in _WORD.findall(f"{told}\n{days}")}
    numbers = {_plain(number) for number in _NUMBER.findall(told)}
    return SaidWords(
        frozenset(words),
        frozenset(numbers | {_NUMBER_WORDS[word] for word in words & _NUMBER_WORDS.keys()}),
        frozenset(_plain(number) for number in _NUMBER.findall(days)),
        frozenset(stem for word in words for stem in stems(word)),
        any(_NEGATION.search(one.text[:READ]) for one in cited),
    )


def _dates(one: Evidence) -> list[str]:
    """The day on which a turn was said, and those that its words come to, as people write them."""
    days = [one.said_at, wall_clock(one.said_at)]
    for span in intervals(one.text[:READ], days[-1]):
        days += [span.start, span.end]
    return [f"{describe_day(day)} {day:%A %Y-%m-%d %H:%M}" for day in days]


def with_verbatim_quotes(sentence: str, cited: Sequence[Evidence]) -> str | None:
    """A sentence whose quotations are as they were said; None if one was not said in the cited turns."""
    made, at = "", 0
    for match in _QUOTATION.finditer(sentence):
        group = next(n for n in range(1, 5) if match[n] is not None)
        parts = [part for part in _ELISION.split(match[group]) if part.strip()]
        said = [next((quote for one in cited if (quote := _quoted(part, one.text))), "") for part in parts]
        if not all(said):
            return None
        made += sentence[at : match.start(group)] + (" … ".join(said) if len(parts) > 1 else said[0] if said else "")
        tail = match[group].rstrip()[-1:]
        made += tail if tail in (",", ".") and not made.endswith(tail) else ""
        at = match.end(group)
    return made + sentence[at:]


def _quoted(words: str, text: str) -> str:
    """Some words as a turn has them; "" if it does not."""
    bare = words.strip().rstrip(".,;:!?").strip()
    if len(bare.split()) == 1:
        return found_in(bare, text)
    span = span_of(bare, text)
    return "" if span is None else text[slice(*span)]


def why_unsupported(sentence: str, said: SaidWords, asked: AskedWords) -> str | None:
    """What a sentence says that its turns do not; None if they support it. Its quotations were checked before."""
    rest = _QUOTATION.sub(" ", sentence)
    if strangers := [name for name in _names(rest, asked) if not _stands(name, said)]:
        return f"no cited turn names {', '.join(strangers[:3])}"
    counts = [word for word in map(str.lower, _WORD.findall(rest)) if word in _NUMBER_WORDS and word != "one"]
    unsaid = [word for word in counts if _NUMBER_WORDS[word] not in said.numbers]
    unsaid += [number for number in _NUMBER.findall(rest) if _plain(number) not in said.numbers | said.dates]
    if unsaid:
        return f"no cited turn has the number {', '.join(unsaid[:3])}"
    if _DENIES.search(rest) and not said.denies:
        return "no cited turn denies anything"
    telling = {stem for stem in find_content_stems(rest) if not stem.isdecimal()}
    shared = len(telling & (said.stems | asked.stems))
    is_quoted = rest != sentence
    if telling and not is_quoted and (not telling & said.stems or shared < LEAST_SHARED * len(telling)):
        return "too few of its words stand in the cited turns"
    return None


def _names(text: str, asked: AskedWords) -> list[str]:
    """The words of a sentence that look like names: with a capital inside it; at its beginning only known ones."""
    found = list[str]()
    for number, match in enumerate(_WORD.finditer(text)):
        word, folded = match[0], _folded(match[0])
        if folded in _NO_NAMES or folded in STOP_WORDS or not any(c.isupper() for c in word):
            continue
        follows = text[match.end() :].lstrip()[:1]
        is_first = number == 0 or text[: match.start()].rstrip()[-1:] in (".", "!", "?", ":")
        is_known = folded in asked.names or folded in first_names() or folded in place_names()
        if not is_first or is_known or follows.isupper() or word.isupper():
            found.append(_SUFFIX.sub("", word))
    return found


def _stands(name: str, said: SaidWords) -> bool:
    return _folded(name) in said.words or bool(said.stems.intersection(stems(name)))


def _folded(word: str) -> str:
    return _SUFFIX.sub("", word).replace("’", "'").casefold()


def _plain(number: str) -> str:
    return number.replace(",", "").lstrip("0") or "0"
