"""Names that a question about the talk asks for and that nobody said: "Did anybody mention Quorrax?"."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches

from ...language.proper_names import proper_names
from ...language.question_language import question_language
from ...language.whose_words import ASSISTANTS, asks_what_was_said
from ...recall.titles import titles_with
from ...recall.typos import with_typos_read
from ...records import Query
from ...store.store import Store
from ..claims.names import KIN, SHORTEST_ALIAS

_ABOUT = re.compile(r"\b(?:about|of|mention\w*|discuss\w*)\b", re.IGNORECASE)
_OTHER_SCRIPT = re.compile("[\u0370-\u1dff\u2c80-\ua6ff\ua800-\ua8ff\ua950-\ud7ff]")
ALIKE = 0.7  # of a name's letters: Akim is Akib, and Mohammed Muhhamed; Paris is not Priya
_WORD = re.compile(r"[^\W\d_]+")


def unsaid_names(
    store: Store, question: str, speakers: Iterable[str], nearest: Iterable[str] = (), language: str = ""
) -> tuple[str, ...]:
    """The names in a question that were never said, and that are nobody's who speaks, not even mistyped.

    Where the nearest texts are in another language, a name may have been said in another form: Moscow is Moskau.
    """
    if language or question_language(question) or not any(word.islower() for word in _WORD.findall(question)):
        return ()
    if any(_OTHER_SCRIPT.search(text) or question_language(text) for text in nearest):
        return ()
    text = with_typos_read(store, Query(question))[0].text
    heard = {word.casefold() for speaker in speakers for word in re.findall(r"\w+", speaker)} | {*ASSISTANTS.split("|")}
    names = [name for name in proper_names(text) if not name.isupper() and name.casefold() not in KIN]
    names = [name for name in names if not get_close_matches(name.casefold(), heard, 1, ALIKE)]
    counts = store.document_counts([name.lower() for name in names])
    unsaid = [name for name in names if not counts[name.lower()]]
    titled = titles_with(store, [name.lower() for name in unsaid])  # what a talk is called was heard of
    return tuple(name for name in unsaid if name.lower() not in titled)


def unheard_names(
    store: Store, question: str, speakers: Iterable[str], nearest: Iterable[str] = (), language: str = ""
) -> tuple[str, ...]:
    """The names that are asked for, if none of them was ever said; those who speak were heard themselves.

    In "What did Ann say about Emil?" it is Emil who is asked for. A mistyped name is the one that it was meant for.
    What may have been said in other words is looked for: Mom, NYC, Mel for Melanie, all of what is written in capitals
    throughout, and Moscow where the nearest texts are in another script.
    """
    if language or question_language(question) or not asks_what_was_said(question):
        return ()
    if not any(word.islower() for word in _WORD.findall(question)) or any(map(_OTHER_SCRIPT.search, nearest)):
        return ()
    text = with_typos_read(store, Query(question))[0].text
    about = [found.end() for found in _ABOUT.finditer(text)]
    names = (proper_names(text[about[-1] - 1 :]) if about else []) or proper_names(text)
    if any(name.isupper() for name in names):
        return ()
    heard = {word.casefold() for speaker in speakers for word in re.findall(r"\w+", speaker)}
    heard |= {word[:end] for word in heard for end in range(SHORTEST_ALIAS, len(word))} | {*ASSISTANTS.split("|")}
    names = [name for name in names if name.casefold() not in heard | KIN.keys()]
    asked = [name.lower() for name in names]
    return () if any(store.document_counts(asked).values()) or titles_with(store, asked) else tuple(names)
