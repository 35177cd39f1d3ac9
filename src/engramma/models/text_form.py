"""Texts as the tokenizers of the packaged networks see them: small letters, most accents off, and no controls.

Each character of such a form keeps the place of the one that it comes from, as the library `tokenizers` counts places:
of characters that change their order the places do not.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from itertools import pairwise
from operator import itemgetter
from typing import NamedTuple

from ..patterns import SignRanges, late
from . import character_ranges as kind

# Vietnamese keeps three accents, Arabic and Hebrew lose their vowels; train/multi_words.py made the tokenizer so.
LARGE_ACCENTS = "\u0300-\u0308\u030a-\u031a\u031c-\u0322\u0324-\u036f\u0591-\u05c7\u064b-\u0655\u0640"
ALIKE = str.maketrans({"ى": "ي", "ی": "ي", "ک": "ك", "ة": "ه"})  # letters that are written one for the other
RUN_START = "▁"  # begins a run of signs without spaces
MOST_KEPT = 20_000  # forms of single characters, and as many of marked ones
LONGEST_KEPT = 8
SHORT = 64  # Python puts marks in order by moving each past all before it

_SMALL = dict(zip(kind.CAPITAL, kind.SMALL, strict=True))
# The article "the" of Arabic, and what is written together with it.
_ARTICLE = late(f"(?<![{kind.ARABIC}])(?:[وف]?[بك]?ال|[وف]?لل)(?=[{kind.ARABIC}]{{3}})")
_UNSPACED_RUN = late(f"[{kind.UNSPACED}]+")
_MARKED = late(f"[^{kind.MARK}{LARGE_ACCENTS}]?[{kind.MARK}{LARGE_ACCENTS}]+")
_FIXED = late(f"[{kind.FIXED}]")
_CHINESE = SignRanges(kind.CHINESE)
_KEPT = late(f"[^{kind.DROPPED}]+")
_KEPT_BY_SMALL = late(f"[^{kind.ACCENT}]+")
_KEPT_BY_LARGE = late(f"[^{LARGE_ACCENTS}]+")


class PlacedText(NamedTuple):
    """A text in another form, and the place of each of its characters in the first; -1 is before the text."""

    text: str
    places: Sequence[int]


class CharacterForms(dict[int, str]):
    """The form of each character by itself, for str.translate; `odd` are those whose form is not one character."""

    def __init__(self, form_of: Callable[[str], PlacedText]) -> None:
        self._form_of = form_of
        self.odd = set[str]()

    def __missing__(self, code: int) -> str:
        if len(self) >= MOST_KEPT:
            self.clear()  # what is odd stays known: other threads may be asking
        made = self._form_of(chr(code)).text
        if len(made) != 1:
            self.odd.add(chr(code))
        self[code] = made
        return made


class TextForm:
    """Gives texts without blanks their form: character by character, but for marks, which go with what they mark."""

    def __init__(
        self,
        form_of: Callable[[str], PlacedText],
        before: Callable[[PlacedText], PlacedText],
        after: Callable[[PlacedText], PlacedText],
    ) -> None:
        """`form_of` works on any text, slowly; `before` and `after` are what does not go by the character."""
        self._form_of, self._before, self._after = form_of, before, after
        self._single = CharacterForms(form_of)
        self._marked = dict[str, PlacedText]()

    def of(self, text: str) -> PlacedText:
        whole = self._before(PlacedText(text, range(len(text))))
        parts, places, end = list[str](), list[int](), 0
        for found in _MARKED.finditer(whole.text):
            for made, start in (
                (self._of_plain(whole.text[end : found.start()]), end),
                (self._of_marked(found[0]), found.start()),
            ):
                parts.append(made.text)
                places.extend(start + place for place in made.places)
            end = found.end()
        last = self._of_plain(whole.text[end:])
        if not end:
            return self._after(PlacedText(last.text, [whole.places[place] for place in last.places]))
        places.extend(end + place for place in last.places)
        return self._after(PlacedText("".join((*parts, last.text)), [whole.places[place] for place in places]))

    def _of_plain(self, text: str) -> PlacedText:
        made = text.translate(self._single)
        if self._single.odd.isdisjoint(text):
            return PlacedText(made, range(len(text)))
        forms = [self._single[ord(sign)] for sign in text]
        return PlacedText(made, [place for place, form in enumerate(forms) for _ in form])

    def _of_marked(self, text: str) -> PlacedText:
        made = self._marked.get(text)
        if made is None:
            made = self._form_of(text)
            if len(text) <= LONGEST_KEPT:
                if len(self._marked) >= MOST_KEPT:
                    self._marked.clear()
                self._marked[text] = made
        return made


def small_form() -> TextForm:
    """The form for the small encoder: no accents, and each Chinese sign a word of its own."""
    return TextForm(_small_form_of, partial(keep_runs, _KEPT), lambda form: form)


def large_form() -> TextForm:
    """The form for the large encoder: Arabic without its article, and marked runs of signs without spaces."""
    return TextForm(_large_form_of, lambda form: form, lambda form: mark_runs(without_article(form)))


def _small_form_of(text: str) -> PlacedText:
    form = PlacedText(text, range(len(text)))
    if _CHINESE.any_in(text):
        apart = [(f" {sign} " if _CHINESE.any_in(sign) else sign, place) for place, sign in enumerate(text)]
        form = PlacedText("".join(signs for signs, _ in apart), [place for signs, place in apart for _ in signs])
    form = keep_runs(_KEPT_BY_SMALL, take_apart(form))
    return PlacedText(_lower(form.text), form.places)


def _large_form_of(text: str) -> PlacedText:
    form = keep_runs(_KEPT_BY_LARGE, take_apart(PlacedText(text, range(len(text)))))
    form = keep_runs(_KEPT, put_together(form))
    return PlacedText(_lower(form.text).translate(ALIKE), form.places)


def keep_runs(runs: re.Pattern[str], form: PlacedText) -> PlacedText:
    """Without the characters that are in no run."""
    spans = [found.span() for found in runs.finditer(form.text)]
    if spans == [(0, len(form.text))]:
        return form
    return PlacedText(
        "".join(form.text[start:end] for start, end in spans),
        [place for start, end in spans for place in form.places[start:end]],
    )


def take_apart(form: PlacedText) -> PlacedText:
    """Characters with accents as letters and accents (NFD)."""
    if len(form.text) <= SHORT and not _FIXED.search(form.text):
        made = unicodedata.normalize("NFD", form.text)
        if len(made) == len(form.text):
            return PlacedText(made, form.places)  # at most in another order, and their places are not
    found, run = list[tuple[str, bool]](), list[tuple[int, str, bool]]()
    for sign in form.text:
        for number, part in enumerate(_parts_of(sign)):
            order = _order_of(part)
            if not order:
                found += [(one, is_new) for _, one, is_new in sorted(run, key=itemgetter(0))]
                run.clear()
            run.append((order, part, number > 0))
    found += [(one, is_new) for _, one, is_new in sorted(run, key=itemgetter(0))]
    old, places = iter(form.places), list[int]()
    for _, is_new in found:
        places.append(places[-1] if is_new else next(old))
    return PlacedText("".join(one for one, _ in found), places)


def put_together(form: PlacedText) -> PlacedText:
    """Letters and accents as one character, where there is one (NFC)."""
    short = len(form.text) <= SHORT and not _FIXED.search(form.text)
    if short and unicodedata.normalize("NFC", form.text) == form.text:
        return form
    form = take_apart(form)
    found, marks = list[tuple[str, int]](), list[str]()  # characters, and how many each is made of
    letter, size, last = "", 1, 0
    for sign in form.text:
        order = _order_of(sign)
        if not letter:
            if order:
                found.append((sign, 1))
            else:
                letter = sign
        elif (not marks or last < order) and (both := _pair(letter, sign)):
            letter, size = both, size + 1
        elif order:
            marks.append(sign)
            last = order
        else:
            found += [(letter, size), *((mark, 1) for mark in marks)]
            marks.clear()
            letter, size = sign, 1
    found += [(letter, size)] if letter else []
    found += [(mark, 1) for mark in marks]
    places, at = list[int](), 0
    for _, size in found:
        places.append(form.places[at])
        at += size
    return PlacedText("".join(sign for sign, _ in found), places)


@lru_cache(MOST_KEPT)
def _parts_of(sign: str) -> str:
    return sign if _FIXED.match(sign) else unicodedata.normalize("NFD", sign)


@lru_cache(MOST_KEPT)
def _order_of(sign: str) -> int:
    """Where a mark stands among those of a letter; 0 for what is no mark."""
    return 0 if _FIXED.match(sign) else unicodedata.combining(sign)


@lru_cache(MOST_KEPT)
def _pair(letter: str, mark: str) -> str:
    """The one character for both, if there is one."""
    if _FIXED.match(letter) or _FIXED.match(mark):
        return ""
    made = unicodedata.normalize("NFC", letter + mark)
    return made if len(made) == 1 and not _FIXED.match(made) else ""


def _lower(text: str) -> str:
    """Each capital letter by itself: a sigma at the end of a word is like any other."""
    return "".join(_SMALL.get(sign) or sign.lower() for sign in text)


def without_article(form: PlacedText) -> PlacedText:
    """Words of Arabic without "the" at their beginning."""
    spans = [found.span() for found in _ARTICLE.finditer(form.text)] if "ل" in form.text else []
    if not spans:
        return form
    kept = [(start, end) for (_, start), (end, _) in pairwise([(0, 0), *spans, (len(form.text), 0)])]
    return PlacedText(
        "".join(form.text[start:end] for start, end in kept),
        [place for start, end in kept for place in form.places[start:end]],
    )


def mark_runs(form: PlacedText) -> PlacedText:
    """A mark before each run of signs that are written without spaces; its place is that of what stands before it."""
    starts = [found.start() for found in _UNSPACED_RUN.finditer(form.text)]
    if not starts:
        return form
    parts, places = [form.text[: starts[0]]], [*form.places[: starts[0]]]
    for start, end in pairwise([*starts, len(form.text)]):
        parts.append(RUN_START + form.text[start:end])
        places.append(places[-1] if places else -1)
        places += form.places[start:end]
    return PlacedText("".join(parts), places)
