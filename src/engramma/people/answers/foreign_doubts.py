"""What makes a quote doubtful where the question is in another language than English, whose rules are in `doubts`."""

from __future__ import annotations

import re

from ...language.dates import intervals
from ...language.dates.languages import fold, read_table
from ...language.function_words import fold_accents
from ...language.interrogatives import (
    asked_kind,
    frame_words,
    gives_reason,
    naming_words,
    opens_asking,
    words_before_places,
)
from ...language.lexical import only_asks, stems
from ...language.sentence_language import is_told_in_another
from ...language.text import infer_role
from ...language.times import wall_clock
from ..questions.asserted import are_alike
from .findings import Findings, Quoted

_WORD = re.compile(r"[^\W_]+")
_SHORTEST_END = 4  # letters with which a compound ends
_SAID_AROUND = 4_000  # characters of what was said around a quote that are looked at


def tells_no_answer(f: Findings, quoted: Quoted) -> bool:
    """Whether a quote in the question's language asks itself, says no more than the question, tells no day, number or
    place where one is asked for, or has a name or a price of something else."""
    sentence, language = quoted.sentence, f.asked_in
    if is_told_in_another(quoted.first.text, language):
        return False
    kind = _kind_asked(f)
    if opens_asking(sentence, language, is_prompt=_is_prompt(f, quoted)):
        return True
    if kind == "when" and not _tells_time(f, quoted):
        return True
    if kind == "amount" and not _tells_number(sentence, language):
        return True
    if kind == "where" and not _tells_place(f, quoted):
        return True
    if _names_nothing(f, sentence):
        return True
    return _says_no_more(f, quoted, kind) or _is_of_another_thing(f, quoted)


def _kind_asked(f: Findings) -> str:
    """What is asked for; an amount also by "was kostet"."""
    kind, language = asked_kind(f.question, f.asked_in), f.asked_in
    prices = frame_words(language) - naming_words(language)
    is_priced = kind == "what" and any(fold_accents(word) in prices for word in _WORD.findall(f.question))
    return "amount" if is_priced else kind


def _is_prompt(f: Findings, quoted: Quoted) -> bool:
    """Whether an assistant answered what is quoted."""
    said = next((one.said for one in f.found if one.said.evidence == quoted.first), None)
    return said is not None and any(infer_role(turn.speaker, None) == "assistant" for turn in said.after[:1])


def _tells_time(f: Findings, quoted: Quoted) -> bool:
    """Whether a quote has a number or a day; in languages whose days nobody listed any may have one."""
    if f.asked_in not in read_table() or any(sign.isdigit() for sign in quoted.sentence):
        return True
    return bool(intervals(quoted.sentence, wall_clock(quoted.first.said_at)))


def _tells_number(sentence: str, language: str) -> bool:
    """Whether a text has a number, also declined or joined: "zehnfach"; the same of languages without a list."""
    numbers = read_table().get(language, {}).get("numbers")
    if numbers is None or any(sign.isdigit() for sign in sentence):
        return True
    known = tuple(
        fold(word)[: max(3, len(word) - 1)] for value, words in numbers.items() if int(value) > 1 for word in words
    )
    return any(fold(word).startswith(known) for word in _WORD.findall(sentence))


def _tells_place(f: Findings, quoted: Quoted) -> bool:
    """Whether a word that the question lacks, and that is no time, stands behind one that tells where, or is a name."""
    sentence = quoted.sentence
    for time in reversed(intervals(sentence, wall_clock(quoted.first.said_at))):
        sentence = f"{sentence[: time.span[0]]}.{sentence[time.span[1] :]}"
    before = words_before_places(f.asked_in)
    if not before:
        return True
    asked, is_behind = _stems_of(f.question, f.asked_in), False
    for place, word in enumerate(_WORD.findall(sentence)):
        is_new = not only_asks(word, f.asked_in) and not any(stem in asked for stem in stems(word, f.asked_in))
        if is_new and (is_behind or (place > 0 and word[0].isupper())):
            return True
        is_behind = fold_accents(word) in before or (is_behind and only_asks(word, f.asked_in))
    return False


def _says_no_more(f: Findings, quoted: Quoted, kind: str) -> bool:
    """Whether a quote has no word that the question lacks, or as a reason a single one: "vendo la moto" for "¿Por qué
    vende la moto?". Who does it may be told by who says so, and other questions may be answered by yes."""
    if kind in ("", "who") or any(sign.isdigit() for sign in quoted.sentence):
        return False
    asked = _stems_of(f.question, f.asked_in)
    content = _content(quoted.sentence, f.asked_in)
    more = [stem for stem in content if not any(are_alike(stem, other) for other in asked)]
    return len(more) <= (kind == "why" and not gives_reason(quoted.sentence, f.asked_in))


def _names_nothing(f: Findings, sentence: str) -> bool:
    """Whether it is asked what something is called, and a sentence neither says so nor has another name."""
    naming, asked = naming_words(f.asked_in), {fold_accents(word) for word in _WORD.findall(f.question)}
    if naming.isdisjoint(asked):
        return False
    names = [folded for word in _WORD.findall(sentence) if word[0].isupper() for folded in [fold_accents(word)]]
    if any(not any(are_alike(name, other) or name == other for other in asked) for name in names):
        return False
    return naming.isdisjoint(fold_accents(word) for word in _WORD.findall(sentence))


def _is_of_another_thing(f: Findings, quoted: Quoted) -> bool:
    """Whether it is asked what something is called or costs, and nothing around the quote speaks of that thing."""
    frames = frame_words(f.asked_in)
    words = [word for word in _WORD.findall(f.question) if not only_asks(word, f.asked_in)]
    things = [word for word in words if fold_accents(word) not in frames]
    if len(things) == len(words):
        return False
    named = {stem for name in f.asked.people for stem in stems(name.casefold())}
    asked = {stem for word in things if not word.isdigit() for stem in stems(word, f.asked_in)} - named
    asked -= {stem for word in _asking_words(f) for stem in stems(word, f.asked_in)}
    around = next((one.said.around for one in f.found if one.said.evidence == quoted.first), "")
    said = f"{quoted.first.text}\n{quoted.before}\n{quoted.first.title or ''}\n{around}"
    there = _content(said[:_SAID_AROUND], f.asked_in)
    return bool(asked) and not any(_may_be_one(stem, other) for stem in asked for other in there)


def _may_be_one(stem: str, other: str) -> bool:
    """Whether two stems are of one family, or one ends with the other: Töpferlehrerin and Lehrerin."""
    short, long = sorted((stem, other), key=len)
    return are_alike(stem, other) or (len(short) >= _SHORTEST_END and long.endswith(short))


def _asking_words(f: Findings) -> list[str]:
    return [word for word in _WORD.findall(f.question) if asked_kind(word, f.asked_in)]


def _stems_of(text: str, language: str) -> set[str]:
    return {stem for word in _WORD.findall(text) for stem in stems(word, language)}


def _content(text: str, language: str) -> set[str]:
    """The stems of a text's words without those that tell nothing in its language."""
    words = (word for word in _WORD.findall(text) if not only_asks(word, language))
    return {stem for word in words for stem in stems(word, language)}
