"""Whether a time in a sentence lies ahead: "the wedding is in August" means the next one, "it was in August" the last.

The verb that stands nearest before the time decides, else the first one after it. Where no verb tells, a day
without its month is ahead if somebody does, can or shall do something then ("we travel on the 24th", "can you come on
Monday?"); a day of a month ("14 August") is the nearest one, before or after it was said; everything else looks
back.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import pairwise

from ...language.dates import Interval, intervals
from .sets import wordset
from .verbs import FORMS
from .words import read_words

_COMING = wordset(
    "will 'll shall wo gonna going planning hoping plan plans hope hopes want wants intend intends next coming upcoming"
    " tomorrow soon scheduled due expected supposed looking forward wait until till please postpone reschedule rebook"
    " rearrange"
)
_MOVED = wordset(
    "moved pushed shifted postponed rescheduled delayed put brought changed adjourned rebooked rearranged"
)  # to a day that is still to come
_NOW = wordset(
    "now am is are 'm 're 's start starts begin begins leave leaves open opens end ends expire expires arrive arrives"
    " comes fly flies lands sails depart departs meets moves returns marry marries closes finishes"
)
_OVER = wordset("was were did had been 've has have 'd ago last since used")
_BOOKED = wordset("booked reserved arranged registered got made bought")  # for a day that is still to come
_DATED = wordset("appointment reservation slot viewing")
_HELD = wordset("a an the to my our his her their another tickets")  # after "have": it is had, not done
_MODAL = wordset("can could would should must might shall need needs")
_SUBJECTS = wordset("i we you they he she it")
_THINKS = wordset("think know like love remember miss guess mean believe feel understand recall forget enjoy hate")
_TOLD_TO_DO = wordset("see keep book take bring meet come call send pick save")  # "See you on the 24th!"
_USUAL = wordset("always usually often sometimes never every normally")
_BACKWARD = wordset("from since")  # "I love that photo from Monday"
_BREAKS = frozenset(".!?\n;")
_DAYS = ("day", "hour", "minute")
_WEEKS = timedelta(days=31)  # of two days that nobody's verb tells apart, one closer than this was said of what was


def times_of(text: str, said_at: datetime) -> tuple[Interval, ...]:
    """The times that a text names, each in the direction in which its sentence looks."""
    back = intervals(text, said_at)
    if not any(one.is_relative for one in back):
        return back
    ahead = {one.span: one for one in intervals(text, said_at, "future")}
    if all(ahead.get(one.span) == one for one in back):
        return back
    words = read_words(text)
    starts = [_place(words.start, one.span[0]) for one in back]
    ends = [_place(words.start, one.span[1]) for one in back]
    return tuple(
        _choose(one, ahead.get(one.span, one), words.low, first, last, said_at)
        for one, first, last in zip(back, starts, ends, strict=True)
    )


def _choose(
    back: Interval, ahead: Interval, low: tuple[str, ...], first: int, last: int, said_at: datetime
) -> Interval:
    is_ahead = _direction(low, first, last)
    is_short = back.grain == "range" and back.end - back.start <= _WEEKS
    if is_ahead is None and (back.grain in _DAYS or is_short):
        is_bare = ahead.start - back.start <= _WEEKS  # a weekday, or a day without its month
        is_nearer = ahead.start - said_at < said_at - back.end and said_at - back.end > _WEEKS
        is_ahead = is_nearer or (is_bare and _is_present(low, first, last))
    elif is_ahead is None and back.grain == "month":
        is_ahead = _is_present(low, first, last, by_modal=False)  # "I come in November"
    return ahead if is_ahead else back


def _is_present(low: tuple[str, ...], first: int, last: int, by_modal: bool = True) -> bool:
    """Whether somebody does, may or shall do something at a time, in a sentence without a verb of what was."""
    begin = next((place + 1 for place in range(first - 1, -1, -1) if low[place] in _BREAKS), 0)
    end = next((place for place in range(last, len(low)) if low[place] in _BREAKS), len(low))
    before, after = low[begin:first], low[last:end]
    if (before[-1:] and before[-1] in _BACKWARD) or any(word in _USUAL for word in (*before, *after)):
        return False
    if (by_modal and any(word in _MODAL for word in (*before, *after))) or before[:2] in (
        ("how", "about"),
        ("what", "about"),
    ):
        return True
    if any(one in _SUBJECTS and _is_now(other) for part in (before, after) for one, other in pairwise(part)):
        return True
    is_fit = bool(after) and after[0].endswith("s") and _is_now(after[0])  # "Monday works for me"
    return is_fit or (bool(before) and before[0] in _TOLD_TO_DO)


def _is_now(word: str) -> bool:
    """Whether a word is a verb in the present, and no other form of it, that tells of something one does."""
    form = FORMS.get(word)
    return form is not None and bool(form.kinds & {"base", "s"}) and "past" not in form.kinds and word not in _THINKS


def _place(starts: tuple[int, ...], at: int) -> int:
    return next((place for place, start in enumerate(starts) if start >= at), len(starts))


def _direction(low: tuple[str, ...], first: int, last: int) -> bool | None:
    """Whether the words around those from `first` up to `last` tell of what is to come; None if no verb tells."""
    is_booked = _is_for(low, first)
    is_aim = first > 0 and low[first - 1] in ("to", "until", "till")
    for place in range(first - 1, -1, -1):
        if low[place] in _BREAKS:
            break
        is_booked = is_booked or low[place] in _DATED  # "I got an appointment on the 19th"
        if (is_aim and low[place] in _MOVED) or (is_booked and low[place] in _BOOKED):
            return True
        if (told := _tells(low, place)) is not None:
            is_of_then = low[first - 1] == "from" and (low[place] in _NOW or low[place] == "got")
            return told and not is_of_then  # "here's a photo from May"
    for place in range(last, len(low)):
        if low[place] in _BREAKS:
            break
        if (told := _tells(low, place)) is not None:
            return told
    return None


def _is_for(low: tuple[str, ...], first: int) -> bool:
    """Whether "for" or "for the" stands before a time: "booked for the 4th of March"."""
    before = low[max(first - 2, 0) : first]
    return before[-1:] == ("for",) or before == ("for", "the")


def _tells(low: tuple[str, ...], place: int) -> bool | None:
    """Whether a word tells of what is to come or of what was; None if it does neither."""
    word = low[place]
    if word in ("'s", "us") and place and low[place - 1] == "let":
        return True
    is_had = word in ("has", "have") or (word == "got" and low[place - 1] in ("'ve", "have", "has"))
    if is_had and place + 1 < len(low) and low[place + 1] in _HELD:
        return True
    if word == "'d" and _is_base(low, place + 1):
        return None  # "I'd say 20 June"
    if word in _OVER:
        return False
    if word in _COMING:
        return True
    if word in _NOW:
        return None if word == "'s" and not _is_is(low, place) else True
    if place and low[place - 1] == "be":
        return None  # "it will be cleared", "can be picked up": the word before tells
    form = FORMS.get(word)
    if form is not None and form.kinds & {"past", "part"} and "base" not in form.kinds:
        return False
    return False if word.endswith("ed") and len(word) > 4 else None


def _is_base(low: tuple[str, ...], place: int) -> bool:
    form = FORMS.get(low[place]) if place < len(low) else None
    return form is not None and "base" in form.kinds and "part" not in form.kinds


def _is_is(low: tuple[str, ...], place: int) -> bool:
    """Whether 's is a verb: after a pronoun, or before what no noun phrase begins with."""
    before, after = low[place - 1] if place else "", low[place + 1] if place + 1 < len(low) else ""
    return before in ("it", "that", "he", "she", "there", "here", "what") or after in ("on", "in", "at", "coming")
