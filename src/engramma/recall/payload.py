"""What of a recall is worth a model's tokens: every thing said once, no fragments, long texts cut to what matched.

The room goes to the entries first, each at least a passage of its own, the best one twice as much as another; what is
left goes to the neighbours that make them understood.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import NamedTuple

from ..language.sentences import Span, is_fragment
from ..language.text import NOTES, estimate_tokens, parse_segment_id, same_facts, segment_id
from ..language.text_memo import TextMemo
from ..records import Candidate, Spoken
from .blocks import is_counterpoint, is_linked
from .context import Utterance, label, places, quotes
from .passages import ends_sentence, passage_within, spoken_parts, with_blank_ends

MOST_OF_ENTRY = 400  # tokens of one entry where there is a budget: a passage of fifteen to twenty sentences
# Another entry is begun only if a quarter of the room is left for it, within these bounds: three sentences at least.
# More but smaller passages show more labels and fewer words.
LEAST_OF_ENTRY, ENOUGH_OF_ENTRY, SHARE_OF_ENTRY = 60, 220, 4
MOST_OF_NEIGHBOUR = 120
BEST_FIRST = 2.0  # shares of the best entry
MATCHED_PART = 3.0  # shares of the part of an exchange that fits the question
LEAST_PART = 60  # characters of another part: less of it says nothing
ENOUGH_OF_PART = 200  # characters of the message and of the last of many answers
NEARLY = 0.9  # of their words that two texts share to be one thing said twice
MARKS = 256  # bits by which the words of two texts are compared before they are counted
MANY_WORDS = 20  # in a shorter text one other word is another thing said
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Portion:
    """A candidate with the tokens that its words may take; None: all of them, which are `said`, if they were told
    apart already."""

    candidate: Candidate
    tokens: int | None
    again: tuple[datetime, ...] = ()
    said: tuple[Utterance, ...] = ()

    def words(self) -> Sequence[Utterance]:
        """Who said what, as much as fits."""
        return self.said or said_within(self.candidate, self.tokens)


# --- what is left out -----------------------------------------------------------------------------


@dataclass(frozen=True)
class _Told:
    """A candidate among those that are kept. Its words are counted only if another has about as many like them."""

    one: Candidate
    place: int
    count: int
    marks: int  # a bit for each word: if a bit of one text is not in another, neither is the word

    @cached_property
    def words(self) -> Counter[str]:
        return Counter(_WORD.findall(self.one.text.casefold()))


def _count_words(text: str) -> tuple[int, int]:
    words = _WORD.findall(text.casefold())
    marks = 0
    for number in {hash(word) % MARKS for word in words}:
        marks |= 1 << number
    return len(words), marks


_is_nod = TextMemo(is_fragment, 10_000)
_words_in = TextMemo(_count_words, 10_000)


def folded(candidates: Sequence[Candidate]) -> tuple[list[Candidate], dict[str, tuple[datetime, ...]]]:
    """Each thing once, the best of its kind, and when else the entry was said; neighbours of what went go with it."""
    kept, again, gone = list[Candidate](), dict[str, list[datetime]](), set[str]()
    by_text, by_speakers = dict[str, _Told](), dict[tuple[str, ...], list[_Told]]()
    for one in candidates:
        if one.path is not None and one.path.kind != "link" and one.path.from_segment in gone:
            gone.add(one.segment_id)
            continue
        told, text = _Told(one, len(kept), *_words_in(one.text)), one.text.casefold()
        said = by_speakers.setdefault(one.speakers, [])
        same = None if is_linked(one) else _first_like(told, by_text.get(text), said)
        if same is None:
            kept.append(one)
            by_text.setdefault(text, told)
            said.append(told)
            continue
        gone.add(one.segment_id)
        if one.role == "entry" and one.said_at != same.said_at:
            again.setdefault(same.segment_id, []).append(one.said_at)
    return kept, {id: tuple(sorted(times)) for id, times in again.items()}


def _first_like(new: _Told, equal: _Told | None, said: Sequence[_Told]) -> Candidate | None:
    """The first candidate that says the same: in the same words, or, if these are many, in nearly the same by the
    same speakers."""
    fewest, most = NEARLY * new.count, new.count / NEARLY + 1e-9
    for old in said if new.count >= NEARLY * MANY_WORDS else ():
        if equal is not None and old.place >= equal.place:
            break
        if fewest <= old.count <= most and _is_nearly(new, old):
            return old.one
    return None if equal is None else equal.one


def _is_nearly(new: _Told, old: _Told) -> bool:
    least, most = (new.count, old.count) if new.count < old.count else (old.count, new.count)
    if most < MANY_WORDS or least < NEARLY * most:
        return False
    if new.count - (new.marks & ~old.marks).bit_count() < NEARLY * most:  # these alone are too many others
        return False
    return (new.words & old.words).total() >= NEARLY * most and same_facts(new.one.text, old.one.text)


def without_fragments(candidates: Sequence[Candidate]) -> tuple[list[Candidate], dict[str, str]]:
    """Candidates that can be understood, and for each nod among the entries what it answers.

    A nod stays with what it answers, which is what was said right before it; without that it goes, unless
    nothing else is there.
    """
    there = {c.segment_id for c in candidates}
    kept, answered = list[Candidate](), dict[str, str]()
    for one in candidates:
        place = parse_segment_id(one.segment_id)
        alone = one.origin in ("note", "document") or place is None or place[0] == NOTES or bool(one.links)
        if alone or not _is_nod(" ".join([one.text[p.start : p.end] for p in spoken_parts(one)])):
            kept.append(one)
            continue
        assert place is not None
        before = segment_id(place[0], place[1], place[2] - 1)
        if before in there:
            kept.append(one)
            if one.role == "entry":
                answered[one.segment_id] = before
    return (kept, answered) if kept else (list(candidates), {})


# --- how much of each -----------------------------------------------------------------------------


def portions(
    candidates: Sequence[Candidate], room: int | None, most_entries: int | None = None
) -> tuple[list[Portion], int]:
    """Which candidates fit into so many tokens, how much of each, and how many do not; of the entries only the first.

    Left out are first the neighbours, counterpoints last of them, then entries, and of each the last first.
    """
    once, again = folded(candidates)
    kept, answered = without_fragments(once)
    kept = first_entries(kept, most_entries)
    if room is None:
        return [Portion(one, None, again.get(one.segment_id, ())) for one in kept], 0
    costs = {one.segment_id: estimate_tokens(head_line(one)) + 2 for one in kept}
    said = {one.segment_id: tuple(said_in_all(one)) for one in kept}
    sizes = {one.segment_id: estimate_tokens(quotes(said[one.segment_id], one.said_at)) for one in kept}
    chosen, wanted, left, taken = list[Candidate](), dict[str, int](), room, 0
    by_id = {one.segment_id: one for one in kept}
    enough = min(max(room // SHARE_OF_ENTRY, LEAST_OF_ENTRY), ENOUGH_OF_ENTRY)
    for one in sorted(kept, key=lambda c: -dearness(c)):
        if one.segment_id in wanted:
            continue
        if one.role == "entry":  # with what it answers, if it is a nod
            parts = [one, *(by_id[id] for id in [answered.get(one.segment_id)] if id in by_id and id not in wanted)]
            least = sum(costs[c.segment_id] + min(sizes[c.segment_id], enough) for c in parts)
            if least > left and chosen:
                break
            parts = parts if least <= left else [one]  # one there is always
            left -= least
        else:
            parts, least = [one], costs[one.segment_id] + min(sizes[one.segment_id], MOST_OF_NEIGHBOUR)
            if taken + least > room:
                continue
        most = MOST_OF_ENTRY if one.role == "entry" else MOST_OF_NEIGHBOUR
        chosen += parts
        wanted |= {c.segment_id: min(sizes[c.segment_id], most) for c in parts}
        taken += sum(costs[c.segment_id] + wanted[c.segment_id] for c in parts)
    talk = room - sum(costs[id] for id in wanted)
    weights = [BEST_FIRST if number == 0 else 1.0 for number in range(len(chosen))]
    given = shares([wanted[one.segment_id] for one in chosen], weights, max(1, talk))
    sized = {one.segment_id: tokens for one, tokens in zip(chosen, given, strict=True)}
    found = list[Portion]()
    for one in kept:
        id = one.segment_id
        if id in sized:
            is_whole = sized[id] >= sizes[id]
            found.append(Portion(one, None if is_whole else sized[id], again.get(id, ()), said[id] if is_whole else ()))
    return found, len(kept) - len(found)


def first_entries(candidates: Sequence[Candidate], most: int | None) -> list[Candidate]:
    """The first entries and the neighbours that they brought; entries that follow each other in a talk count as one."""
    if most is None:
        return list(candidates)
    gone, kept, hits = set[str](), set[tuple[str, str, int]](), 0
    for one in candidates:
        place = parse_segment_id(one.segment_id)
        if one.role != "entry" or place is None:
            continue
        follows = bool(kept & {(*place[:2], place[2] - 1), (*place[:2], place[2] + 1)})
        if hits == most and not follows:
            gone.add(one.segment_id)
        else:
            kept.add(place)
            hits += not follows
    for one in candidates:  # what a neighbour led to comes after it
        if one.path is not None and one.path.from_segment in gone:
            gone.add(one.segment_id)
    return [one for one in candidates if one.segment_id not in gone]


def dearness(candidate: Candidate) -> int:
    """How late a candidate is left out."""
    if candidate.role == "entry":
        return 2
    return 1 if is_counterpoint(candidate) else 0


def shares(wanted: Sequence[int], weights: Sequence[float], room: int) -> list[int]:
    """A room shared out by weight: nobody gets more than they want, and what one leaves goes to the others."""
    given = dict[int, int]()
    while len(given) < len(wanted):
        open_ = [n for n in range(len(wanted)) if n not in given]
        share = max(0.0, room - sum(given.values())) / sum(weights[n] for n in open_)
        content = [n for n in open_ if wanted[n] <= share * weights[n]]
        given |= {n: wanted[n] for n in content} if content else {n: int(share * weights[n]) for n in open_}
    return [given[n] for n in range(len(wanted))]


# --- the words ------------------------------------------------------------------------------------


def head_line(candidate: Candidate, since: datetime | None = None, how: str = "") -> str:
    return label(since or candidate.said_at, *places(candidate), *([how] if how else []))


def said_in_all(candidate: Candidate) -> list[Utterance]:
    text = candidate.text
    return [
        Utterance(part.speaker, part.said_at, words)
        for part in spoken_parts(candidate)
        if (words := text[part.start : part.end]) and not words.isspace()
    ]


def said_within(candidate: Candidate, tokens: int | None) -> list[Utterance]:
    """Who said what in a candidate: all of it, or of each part whole sentences around what fits the question."""
    whole = said_in_all(candidate)
    if tokens is None or estimate_tokens(quotes(whole, candidate.said_at)) <= tokens:
        return whole
    low, high, parts = 1, max(1, tokens * 4), _parts_of(candidate)
    while low < high:  # the most characters that fit; tokens grow with them
        middle = (low + high + 1) // 2
        fits = estimate_tokens(quotes(cut_parts(parts, middle), candidate.said_at)) <= tokens
        low, high = (middle, high) if fits else (low, middle - 1)
    return cut_parts(parts, max(low, LEAST_PART))


class _Part(NamedTuple):
    """A part of a candidate: who said it, its words, and which of them fit the question."""

    said: Spoken
    text: str
    core: Span
    is_best: bool
    rank: int | None = None  # among the parts that fit the question


def _parts_of(candidate: Candidate) -> list[_Part]:
    """The parts that have words; the one that fits the question is the best."""
    parts = [part for part in spoken_parts(candidate) if candidate.text[part.start : part.end].strip()]
    best = next((n for span in candidate.matched[:1] for n, p in enumerate(parts) if p.start <= span[0] < p.end), 0)
    found = list[_Part]()
    for number, part in enumerate(parts):
        rank = next((n for n, span in enumerate(candidate.matched) if part.start <= span[0] < part.end), None)
        core = (0, 0) if rank is None else _inside(candidate.matched[rank], part.start)
        found.append(_Part(part, candidate.text[part.start : part.end], core, number == best, rank))
    return found


def cut_parts(parts: Sequence[_Part], characters: int) -> list[Utterance]:
    """The parts of a candidate within so many characters: the one that fits the question has most of them."""
    told = fitting_parts(parts, characters)
    weights = [MATCHED_PART if parts[n].is_best else 1.0 for n in told]
    given = shares([len(parts[n].text) for n in told], weights, characters)
    shown, is_after_best, before = list[Utterance](), False, -1
    for number, most in zip(told, given, strict=True):
        said, text, core, is_best, _ = parts[number]
        skips, before = number > before + 1, number
        if shown and skips:
            shown[-1] = replace(shown[-1], cut_after=True)
        start, end = with_blank_ends(text, passage_within(text, core, most))
        is_broken = end < len(text) and not ends_sentence(text, end)
        if is_after_best and shown and (is_broken or most < min(len(text), LEAST_PART)):  # no room for the rest of it
            shown[-1] = replace(shown[-1], cut_after=True)
            break
        is_cut = start > 0 or (skips and not shown)
        shown.append(Utterance(said.speaker, said.said_at, text[start:end], is_cut, end < len(text)))
        is_after_best = is_after_best or is_best
    if shown and before < len(parts) - 1:
        shown[-1] = replace(shown[-1], cut_after=True)
    return shown


def fitting_parts(parts: Sequence[_Part], characters: int) -> list[int]:
    """Which parts are shown within so many characters, in their order.

    An assistant that works says a line before each thing it does. Of a message with many answers, first comes what
    fits the question best, then the message, the last answer, whatever else fits the question, and what is long.
    """
    if len(parts) <= 2:
        return list(range(len(parts)))
    last = len(parts) - 1

    def order(number: int) -> tuple[int, int]:
        part = parts[number]
        if part.is_best:
            return 0, 0
        if number in (0, last):
            return 1, number
        return (2, part.rank) if part.rank is not None else (3, -len(part.text))

    told, left = list[int](), characters
    for number in sorted(range(len(parts)), key=order):
        kind, size = order(number)[0], len(parts[number].text)
        wanted = min(size, (2 * ENOUGH_OF_PART, ENOUGH_OF_PART, LEAST_PART, size)[kind])
        if not told or (wanted <= left and (kind < 3 or size >= LEAST_PART)):
            told.append(number)
            left -= wanted if kind < 3 else size
    return sorted(told)


def _inside(span: Span, start: int) -> Span:
    return span[0] - start, span[1] - start
