"""Renders hits for people: best first, each cut to the passage that matched, as many as a screen takes."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

from ..language.graphemes import first_characters
from ..language.lexical import stems, terms
from ..language.quoting import ID_CHARACTERS, escaped, name_line, speaker_line
from ..language.text import DOCUMENTS, NOTES, file_title, speaker_name
from ..language.times import local_minute
from ..recall.context import handle_line
from ..records import Candidate, Spoken
from .styled import Styled

PASSAGE_ROWS = 2  # of a hit's words
INDENT = "   "
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_SENTENCE_END = re.compile(r"(?<=[.!?…。！？])\s+|\n+")


def hit_lines(query: str, hits: Sequence[Candidate], width: int, rows: int, me: str = "") -> tuple[list[Styled], int]:
    """The first hits that so many rows of a screen take, at least one, and how many; `me` is the user's name."""
    asked, lines, left = query_stems(query), list[Styled](), rows
    for number, hit in enumerate(hits, 1):
        room = PASSAGE_ROWS * (width - 1) - len(INDENT)
        block = [head(hit, number, width), words_line(hit, asked, room, INDENT, me)]
        left -= sum(-(-cells(line) // width) or 1 for line in block)
        if left < 0 and lines:
            return lines, number - 1
        lines += block
    return lines, len(hits)


def head(hit: Candidate, number: int, width: int) -> Styled:
    """A hit's place, what it belongs to, when it was said and the id that `engramma show` takes."""
    when, id = local_minute(hit.said_at), handle_line(hit)
    room = max(12, width - len(f"{number}. ") - cells(when) - cells(id) - 4)
    return Styled((f"{number}. ", "dim"), (cut(belongs_to(hit), room), "title"), (f"  {when}  {id}", "dim"))


def belongs_to(hit: Candidate) -> str:
    """What a person knows it by: a conversation's title or id, a document's name, or that it is a note."""
    return place_name(hit.conversation_id, hit.session_id, hit.title)


def place_name(conversation: str, session: str, title: str | None) -> str:
    """The same of anything that was said in a session; a title on one line, without the blanks around it."""
    if conversation == NOTES:
        return "note"
    if conversation == DOCUMENTS:
        return name_line(file_title(session))
    return name_line(" ".join((title or "").split()) or conversation)


def words_line(hit: Candidate, asked: frozenset[str], most: int, indent: str = "", me: str = "") -> Styled:
    """Who said it, and the passage of it that has most of what was asked."""
    part, passage = best_part(hit, asked, most)
    shown = [(indent, ""), (f"{speaker_line(speaker_name(part.speaker, me))}: ", "speaker")]
    at = 0
    for word in _WORD.finditer(passage):
        if asked.intersection(stems(word[0])):
            shown += [(passage[at : word.start()], ""), (word[0], "match")]
            at = word.end()
    return Styled(*shown, (passage[at:], ""))


def best_part(hit: Candidate, asked: frozenset[str], most: int) -> tuple[Spoken, str]:
    """The turn of a hit with most of what was asked, the first of equals, and its passage in one line."""
    whole = Spoken(", ".join(hit.speakers), hit.said_at, 0, len(hit.text))
    parts = [part for part in hit.spoken if hit.text[part.start : part.end].strip()] or [whole]
    passages = [
        choose_excerpt(hit.text[part.start : part.end], asked, most - cells(part.speaker) - 2) for part in parts
    ]
    best = max(range(len(parts)), key=lambda n: (passages[n][0], -n))
    return parts[best], escaped(passages[best][1])


def choose_excerpt(text: str, asked: frozenset[str], most: int) -> tuple[int, str]:
    """How many of the words asked for a passage of at most so many cells has, and the passage, from a sentence on.

    Of passages that have as many, the first one that begins with a sentence which has some.
    """
    if cells(whole := " ".join(text.split())) <= most:
        return len(asked & stems_in(whole)), whole
    sentences = [" ".join(one.split()) for one in _SENTENCE_END.split(text) if one.strip()]
    best, found = (-1, False), ""
    for first, sentence in enumerate(sentences):
        passage = cut(fill_line(sentences[first:], most), most - (2 if first else 0))
        worth = len(asked & stems_in(passage)), bool(asked & stems_in(sentence))
        if worth > best:
            best, found = worth, f"… {passage}" if first else passage
        if best == (len(asked), True):
            break
    return best[0], found


def fill_line(sentences: Sequence[str], most: int) -> str:
    """Sentences up to the one that goes beyond so many cells."""
    text = ""
    for sentence in sentences:
        text = f"{text} {sentence}".strip()
        if cells(text) > most:
            break
    return text


def stems_in(text: str) -> set[str]:
    return {stem for word in _WORD.findall(text) for stem in stems(word)}


def query_stems(query: str) -> frozenset[str]:
    return frozenset(stem for term in terms(query) for stem in stems(term))


def cut(text: str, most: int) -> str:
    """At most so many cells of a text, its end marked where there is more."""
    if cells(text) <= most:
        return text
    kept, used = list[str](), 1
    for letter in text:
        used += cells(letter)
        if used > most:
            break
        kept.append(letter)
    whole = first_characters(text, len(kept))
    blank = whole.rfind(" ")
    return (whole[:blank] if blank > len(whole) * 2 // 3 else whole).rstrip() + "…"


def cells(text: str) -> int:
    """How many columns of a terminal a text takes: some letters take two, marks none."""
    if text.isascii():
        return len(text)
    return sum(_width(letter) for letter in text)


def _width(letter: str) -> int:
    return 0 if unicodedata.combining(letter) else 2 if unicodedata.east_asian_width(letter) in "WF" else 1


def match_lines(query: str, found: Sequence[Candidate], width: int, me: str = "") -> Iterator[Styled]:
    """A line a hit: its score, its id, and the passage that matched; `me` is the user's name."""
    asked = query_stems(query)
    for one in found:
        id = name_line(one.segment_id, ID_CHARACTERS)
        room = max(40, width - cells(id) - 10)
        yield Styled((f"{one.score:.4f}  ", "dim"), (f"{id}  ", "dim"), *words_line(one, asked, room, me=me).parts)
