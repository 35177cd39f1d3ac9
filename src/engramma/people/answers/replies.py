"""What was replied: where the turn that was found made somebody ask the very thing, the answer is what came back.

"Sold the old Ferguson." - "For how much?" - "3,400": who asks "How much did Donal sell the Ferguson for?" is told by
the last of them, which has none of the question's words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from ...language.dates import intervals
from ..questions.kind_of_answer import tells_kind
from ..questions.question_form import SHAPES, QuestionForm, has_shape
from .read_turns import ReadTurn
from .sentences import TurnSentence, asks_unmarked, find_content_stems, split_turn
from .turns import FollowingTurn, RecalledTurn

MOST_ASKED = 7  # words of a question that leans on what was said before it
MOST_BACK = 12  # words of a turn that only takes something back
ASKED_WITHIN = 2  # turns after what was found
_BEGIN = (
    r"\W*(?:(?:no|and|so|but|ok|okay|oh|ooh|wait|well|yes|yeah)\W{1,4}){0,2}"
    r"(?:(?:for|at|by|from|to|till|with|in|on|of|about)\s+)?"
)
_KINDS: Mapping[str, re.Pattern[str]] = {
    kind: re.compile(rf"{_BEGIN}(?:{words})\b", re.IGNORECASE)
    for kind, words in {
        "time": r"when|what time|(?:what|which) (?:day|date)s?",
        "count": r"how many",
        "amount": r"how much|what(?:['’]?s| is| was| did| do| does| will)\b[^?]{0,60}\b"
        r"(?:price|cost|damage|pay|paid|charge|fee|owe|earn)",
        "age": r"how old",
        "length": r"how long",
        "place": r"where(?:['’]?s)?",
        "person": r"who(?:['’]?s|m|se)?",
        "reason": r"why|how come",
        "one": r"which|what(?:['’]?s)?|how(?:['’]?s)?",
    }.items()
}
_THING_ASKED = re.compile(rf"{_BEGIN}(?:which|what)\s+(?!(?:is|was|are|were|did|do|does)\b)(?P<thing>[^\W\d_]+)", re.I)
_BARE = re.compile(rf"{_BEGIN}(?:which|what)(?: one| ones)?(?: is it| was it| are they)?\W*$", re.IGNORECASE)
_EITHER_OR = re.compile(r"\W*(?P<one>[^?.!,]{2,40}?) or (?P<other>[^?.!,]{2,40}?)\W*$", re.IGNORECASE)  # "red or blue"
_OF_THIS = re.compile(r"\b(?:that|this|there|those|these)\b", re.IGNORECASE)  # it asks about what was just told
_VALUE = r"(?:the )?(?:[£$€]?\d[\d.,:]*(?:st|nd|rd|th|k|pm|am)?|(?:mon|tues|wednes|thurs|fri|satur|sun)day)"
# What settles a matter between two or more: "10 then", "friday 30th then", "the 22nd it is", "make it 10", "ok 1.50".
_SETTLED = re.compile(
    rf"\W*(?:(?:ok|okay|yes|yeah|deal|agreed|done|fine|right|so|sold)\W+)*(?:(?:{_VALUE}\W?){{1,3}} (?:it is|then)\b"
    rf"|(?:let['’]?s )?(?:make|call) (?:it|that) {_VALUE}"
    rf"|(?:ok|okay|deal|agreed|done|sold|fine)\W+(?:at |for |on )?{_VALUE}\W*$)",
    re.IGNORECASE,
)
_FIGURE = re.compile(r"\d+|(?:mon|tues|wednes|thurs|fri|satur|sun)day")
_TAKEN_BACK = re.compile(
    r"\b(?:kidding|joking|jk|(?:only|just|im|i['’]m) messing|scratch that|never ?mind|ignore (?:that|me)"
    r"|forget what i said|that was a joke)\b|^\W*forget (?:it|that)\b",
    re.IGNORECASE,
)


def reply_after(question: str, form: QuestionForm, read: ReadTurn) -> ReadTurn | None:
    """The turn that answers what was asked of a turn soon after it, if it is what the question asks; else None."""
    kind = _kind_of(question)
    if not kind:
        return None
    following = read.turn.after
    for place, asked in enumerate(following[:ASKED_WITHIN]):
        if asked.speaker == read.turn.speaker:
            continue
        if _asks_alike(question, kind, asked.text, read):
            told = _first_reply(question, form, read.turn, asked, following[place + 1 :])
            return None if told is None else _as_read(read, asked, told)
        if _first_word(question) == "which" and (told := _chosen(asked, following[place + 1 :])) is not None:
            return _as_read(read, asked, told)
    return None


def settled_after(form: QuestionForm, read: ReadTurn) -> ReadTurn | None:
    """The turn soon after that settles another day, time or amount than the one proposed: "17th it is then"."""
    if form.of_before or not (form.wants in SHAPES or form.wants == "date"):
        return None
    said = set(_FIGURE.findall(read.sentence.text.lower()))
    for place, told in reversed([*enumerate(read.turn.after)]):
        settled = _SETTLED.match(told.text)
        if said and settled and not _asks(told.text) and set(_FIGURE.findall(settled[0].lower())) - said:
            asked = read.turn.after[place - 1] if place else FollowingTurn("", read.turn.speaker, told.said_at, "")
            return _as_read(read, asked, told)
    return None


def _chosen(asked: FollowingTurn, later: tuple[FollowingTurn, ...]) -> FollowingTurn | None:
    """What was chosen of two things that are asked for: "gold blend or the red box" - "the red"."""
    either = _EITHER_OR.match(asked.text)
    if either is None or not later or later[0].speaker == asked.speaker or _asks(later[0].text):
        return None
    one, other, chosen = (find_content_stems(text) for text in (either["one"], either["other"], later[0].text))
    return later[0] if chosen.isdisjoint(one) != chosen.isdisjoint(other) else None


def is_taken_back(turn: RecalledTurn) -> bool:
    """Whether who said it took it back soon after: "no!! I was joking"."""
    return any(
        later.speaker == turn.speaker
        and len(later.text.split()) <= MOST_BACK
        and _TAKEN_BACK.search(later.text) is not None
        for later in turn.after[: ASKED_WITHIN + 1]
    )


def _kind_of(question: str) -> str:
    return next((kind for kind, pattern in _KINDS.items() if pattern.match(question)), "")


def _asks_alike(question: str, kind: str, text: str, read: ReadTurn) -> bool:
    """Whether a turn is a short question of the same kind, with no other words than the talk and the question have."""
    words = text.split()
    if len(words) > MOST_ASKED or _kind_of(text) != kind:
        return False
    known = find_content_stems(question) | find_content_stems(read.turn.text)
    if not find_content_stems(text) <= known or _OF_THIS.search(text):
        return False
    if kind != "one":
        return True
    thing, wanted = _THING_ASKED.match(text), _THING_ASKED.match(question)
    if thing is None:
        return _BARE.match(text) is not None and _first_word(text) == _first_word(question)
    return wanted is not None and thing["thing"].lower() == wanted["thing"].lower()


_BARE_KIND = re.compile(rf"{_BEGIN}(?P<wh>which|what)", re.IGNORECASE)


def _first_word(question: str) -> str:
    found = _BARE_KIND.match(question)
    return found["wh"].lower() if found else ""


def _first_reply(
    question: str, form: QuestionForm, of: RecalledTurn, asked: FollowingTurn, later: tuple[FollowingTurn, ...]
) -> FollowingTurn | None:
    """What came back: by who said the first turn, or else by anybody but the one who asked."""
    others = [one for one in later if one.speaker != asked.speaker]
    own = [one for one in others if one.speaker == of.speaker]
    for one in own or others[:1]:
        if _asks(one.text) or not any(sign.isalnum() for sign in one.text):
            continue
        is_time = form.wants != "date" or bool(intervals(one.text, one.said_at))
        if is_time and has_shape(form.wants, one.text) and tells_kind(question, one.text):
            return one
    return None


def _asks(text: str) -> bool:
    parts = split_turn(text)
    return bool(parts) and (parts[0].asks or asks_unmarked(parts[0].text) or bool(_kind_of(text)))


def _as_read(read: ReadTurn, asked: FollowingTurn, told: FollowingTurn) -> ReadTurn:
    """The reply as a turn that was read, said after the question."""
    turn = replace(
        read.turn,
        turn_id=told.turn_id,
        speaker=told.speaker,
        said_at=told.said_at,
        text=told.text,
        before=f"{asked.speaker}: {asked.text}",
        after=(),
    )
    first = split_turn(told.text)[0]
    return replace(read, turn=turn, span=(0, first.end), window=(0, len(told.text)), told=(first.start, first.end))


def with_words_of(sentence: TurnSentence, found: ReadTurn) -> TurnSentence:
    """A reply with the words of what it is a reply to, which it leaves out."""
    return replace(sentence, stems=sentence.stems | find_content_stems(found.turn.text))
