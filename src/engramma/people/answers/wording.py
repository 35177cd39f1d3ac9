"""The words around an answer, in the language of its question: why there is none, who said it, how sure it is.

The table `answer_words.json` has a row of phrases a language. A question in a language without a row, or whose language
nothing tells, is answered in English.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from functools import cache
from importlib import resources

from ...language.lexical import has_unspaced
from ...language.neighbours import neighbour_of
from ...language.question_language import question_language
from ...language.quoting import name_line
from ...language.text import DOCUMENTS, NOTES, file_title, infer_role, short_title, speaker_name
from ...language.times import HERE
from ...recall.context import TITLE_CHARACTERS
from ...records.people import Evidence
from ..claims.event_times import describe_day

ENGLISH = "en"
_STOPS = "؟،؛।॥?!.,;:…\"'«»“”„"


@cache
def answer_words() -> dict[str, dict[str, str]]:
    """The phrases of every language that answers are worded in."""
    text = resources.files("engramma.people.answers").joinpath("answer_words.json").read_text(encoding="utf-8")
    table: dict[str, dict[str, str]] = json.loads(text)
    return table


def answer_language(question: str, language: str = "") -> str:
    """The language in which a question is answered: English also for a smaller neighbour of a known one.

    Given is that of the talk which was found (`language` of an answer's trace), where the question tells none itself.
    """
    language = language or question_language(question)
    return language if language in answer_words() and not neighbour_of(question, language) else ENGLISH


def worded(language: str, phrase: str, **given: str) -> str:
    """A phrase of a language with what is given put in; what is given is never read as a phrase itself."""
    return answer_words()[language][phrase].format(**given)


def told_by(language: str, source: Evidence, me: str = "") -> str:
    """Who told it where; a document tells nothing, it is where something stands."""
    if source.conversation == DOCUMENTS:
        return worded(language, "written", place=told_at(language, source))
    return worded(language, "told", who=shown_speaker(language, source.speaker, me), place=told_at(language, source))


def told_unsurely(language: str, source: Evidence) -> str:
    """Where something stands that may be no answer: nobody "said so"."""
    return worded(language, "unsure", told=worded(language, "written", place=told_at(language, source)))


def told_at(language: str, source: Evidence) -> str:
    """Where and on which day it was told: "Trip to Vienna", 20 May 2023; a note is one, a document its file's name."""
    where = worded(language, "note") if source.conversation == NOTES else where_told(source)
    return worded(language, "place", where=where, day=shown_day(language, source.said_at.astimezone(HERE)))


def where_told(source: Evidence) -> str:
    """What a person knows a turn by: a conversation's title, a document's file, a note's id; else its ids."""
    if source.conversation == NOTES:
        return name_line(source.session)
    title = file_title(source.session) if source.conversation == DOCUMENTS else source.title or ""
    if title.strip():
        shown = name_line(short_title(title, TITLE_CHARACTERS)).replace(
            '"', "'"
        )  # it ends where ours says that it does
        return f'"{shown}"'
    return f"{name_line(source.conversation)} {name_line(source.turn_id)}"


def shown_day(language: str, day: datetime) -> str:
    """A day as people write it in a language: 7 May 2023, 7.5.2023."""
    if language == ENGLISH:
        return describe_day(day)
    return worded(language, "day", d=str(day.day), m=str(day.month), y=str(day.year))


def shown_speaker(language: str, name: str, me: str = "") -> str:
    """A person's name, also the user's where it is known; else the user and the assistant of a chat in words."""
    name = speaker_name(name, me)
    role = infer_role(name, None)
    if role is None:
        return name_line(name)
    return f"the {name.lower()}" if language == ENGLISH else answer_words()[language].get(role, name_line(name))


def nothing_said(language: str, person: str | None, words: Sequence[str], me: str = "") -> str:
    """Why nothing answers: nothing was found, or nothing of the one asked about, that has these words or answers.

    It may have been said in other words, so no more than that is told. Words are quoted as they were asked.
    """
    shown = [f'"{word}"' for word in words] if language == ENGLISH else _as_written(words)
    phrase = f"{'person' if person else 'nobody'}_{'about' if shown else 'answers'}"
    return worded(language, phrase, who=shown_speaker(language, person or "", me), words=", ".join(shown))


def _as_written(words: Sequence[str]) -> list[str]:
    """Words of a question without its stops; those of scripts without spaces, asked for in pairs, joined again."""
    found = list[str]()
    for word in words:
        is_run = has_unspaced(word)
        shown = word.replace(" ", "") if is_run else word.strip(_STOPS)
        if is_run and found and found[-1][-1:] == shown[:1]:
            found[-1] += shown[1:]
        elif shown and not any(shown in other for other in found):
            found.append(shown)
    return found
