"""Whose it is: did the person asked about say or do it, or somebody else, or nobody?

Recall ranks turns without looking at who speaks, and each turn's share of that ranking counts for the person that
the turn is about. "I ran" is about its speaker; "you ran", "did you run?" and "wow, what a race!" are about the person
addressed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ...language.folded_names import telling_parts
from ...language.proper_names import proper_names
from ...language.question_language import question_language
from ...language.text import DOCUMENTS, infer_role
from ...language.unspaced import has_name
from ..claims.imitated_lines import imitated_in, imitated_spans
from .sentences import LOOKED_AT, TurnSentence, find_content_stems, split_turn
from .turns import RecalledTurn

_I = re.compile(r"\b(?:i|my|me|mine|myself|we|our|ours|us|i['’](?:m|ve|d|ll)|we['’](?:re|ve|d|ll))\b", re.IGNORECASE)
_YOU = re.compile(
    r"\b(?:you|your|yours|yourself|ya|u|you['’](?:re|ve|d|ll))\b(?<!thank you)(?! know\b)(?! see\b)", re.IGNORECASE
)
# "He" and "she", and "I" and "you", also of other languages.
_HE = re.compile(
    r"\b(?:he|she|(?:he|she)['’](?:s|d|ll)|er|sie|él|ella|il|elle|lui|lei|ele|ela|он|она|hij|zij|ze|han|hon|hun)\b",
    re.IGNORECASE,
)
_SPEAKS_OF_BOTH = re.compile(
    rf"{_I.pattern}|{_YOU.pattern}"
    r"|\b(?:ich|mir|mich|mein\w*|wir|du|dir|dich|dein\w*|yo|mi|t[uú]|je|moi|mon|ma|toi|io|mio|mia|eu|meu|minha|voc[eê]"
    r"|я|мне|меня|мой|моя|ты|ik|mijn|jij|je|jag|jeg|min|du)\b",
    re.IGNORECASE,
)
_PLACE = re.compile(r"\b(?:in|to|at|from|near) (?:the )?[A-Z]\w+")
_REACTION = re.compile(
    r"\W*(?:wow|whoa|woah|congrat\w*|that['’]?s|that is|that (?:sounds|looks|must)|sounds|looks|awesome|great|cool"
    r"|amazing|nice|oh|oops|sorry|way to go|good (?:for|luck|job|call)|well done|glad|so (?:glad|happy|sorry|cool)|hope"
    r"|love (?:that|it|the)|yay|aw+|keep|no way|really|happy for|proud of|take care|it['’]?s (?:great|awesome|cool"
    r"|amazing|wonderful|so|inspiring|nice))\b",
    re.IGNORECASE,
)
_SEEMS = re.compile(r"\b(?:sounds|(?:you|they|he|she) sound|seems?|must(?:['’]ve| have| be| feel))\b", re.IGNORECASE)
_STANCE = re.compile(
    r"\bi(?:['’]m| am|['’]ve| have)? (?:(?:so|really|just|also|totally|always|definitely) )*"
    r"(?:proud|happy|glad|sorry|excited|sure|hope|bet|love (?:that|how|your|the)|can (?:see|tell|imagine)|think|believe"
    r"|know|understand|admire|appreciate|wish|agree|remember you)\b[^.!?]*\byou",
    re.IGNORECASE,
)
_OPINES = re.compile(
    r"\bi(?:['’]m| am|['’]ve| have|['’]d| would)? (?:(?:so|really|just|also|totally|always|definitely|can|can['’]t) )*"
    r"(?:proud|happy|glad|sorry|excited for|sure|hope|bet|love (?:that|it|how|the)|see|tell|imagine|think|believe|know"
    r"|understand|admire|appreciate|wish|agree)\b",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?…]+")

# How likely a sentence is about its speaker, by its pronouns. Moving any of them by a third changes the figures by less
# than a point (docs/log.md, "Honest answers").
I_ALONE, BOTH, STANCE, YOU_ALONE, ASKED, REACTION, NEITHER = 0.95, 0.6, 0.3, 0.1, 0.15, 0.25, 0.85
NAMED = 1.0  # of those asked about, who do not talk there: more than anybody's own words
OTHERS = 0.5  # a turn that is less than this about the people asked for is somebody else's
ANYBODY = 0.7  # counts as this share
NEAREST = 12.0  # deviations; what is nearer is no surer
BY_ASSISTANT = 0.3  # what an assistant says without a pronoun is rather the user's matter than its own
LOOKED_BACK = 200  # characters before a pronoun in which the name stands that it is for
SAYS_SO = 0.5  # of the question's words by how rare they are: a turn with less does not say what is asked of anybody
OWN_TURNS = 5  # the person's best turns, around which the question's words are looked for


def about_speaker(sentence: str, turn: str, asks: bool, by_assistant: bool = False) -> float:
    """How likely a sentence is about the one who says it, rather than the one it is said to."""
    i, you = _I.search(sentence) is not None, _YOU.search(sentence) is not None
    if i and you:
        likely = STANCE if _STANCE.search(sentence) else BOTH
    elif i:
        likely = I_ALONE
    elif you:
        likely = YOU_ALONE
    elif by_assistant:
        likely = BY_ASSISTANT
    else:
        led = turn.partition(sentence)[0]
        reacts = _REACTION.match(sentence) or _SEEMS.search(sentence)
        goes_on = _REACTION.match(led) and not _turns_to_self(led)
        likely = REACTION if reacts or goes_on else NEITHER
    return min(likely, ASKED) if asks and not i else likely


def _turns_to_self(led: str) -> bool:
    """Whether somebody who began with a reaction has gone over to themself: "Cool! I've been cooking. Made a soup"."""
    parts = (part for part in _SENTENCE_END.split(led) if not _OPINES.search(part))
    return any(_I.search(part) and not _YOU.search(part) for part in parts)


def speaks_of_self(text: str) -> bool:
    """Whether who says a text says "I", "my" or the like."""
    return _I.search(text) is not None


@dataclass(frozen=True, slots=True)
class AttributedQuestion:
    """A question as attribution sees it: who is meant, and its telling words with how rare each is (0 to 1)."""

    people: tuple[str, ...]
    rarity: Mapping[str, float]  # by stem
    words: Mapping[str, str]  # the words as they were asked, by stem
    is_of_words: bool = False  # it asks what somebody said, whoever it was about

    def overlap(self, stems: frozenset[str]) -> float:
        """How much of the question's words these have; the same sum in whichever order a process has them."""
        return math.fsum(self.rarity[stem] for stem in stems if stem in self.rarity)


@dataclass(frozen=True, slots=True)
class Attributed:
    """A turn, the sentence of it that matches the question best, and how far it is about whom."""

    said: RecalledTurn
    sentence: TurnSentence
    about: Mapping[str, float]  # by person; at most 1 together
    own: float  # how far it is about the people asked for

    @property
    def weight(self) -> float:
        return self.said.share * self.own


def attributed(asked: AttributedQuestion, found: Sequence[RecalledTurn]) -> list[Attributed]:
    """Each turn with whom it is about."""
    return [told for said in found if (told := _attributed(asked, said)) is not None]


def _attributed(asked: AttributedQuestion, said: RecalledTurn) -> Attributed | None:
    parts = split_turn(said.text)
    if not parts:
        return None
    present = (said.teller, *said.to)
    is_listed = said.conversation == DOCUMENTS  # "Ana: allergic to nuts" is a line of a list, not in Ana's mouth
    best = max(parts, key=lambda part: (asked.overlap(part.stems), bool(spoken_of(part.text, asked.people, present))))
    spans = [] if is_listed else imitated_spans(said.text, said.speaker, (*asked.people, *said.to))
    start = said.text.find(best.text) if spans else -1
    if start >= 0 and (voices := imitated_in(start, start + len(best.text), spans)) is not None:
        # words put into somebody's mouth are the speaker's alone
        if not asked.people and is_asked_for(asked, voices):
            return None  # nothing else was ever heard of whom it imitates
        is_own = not asked.people or said.teller in asked.people
        return Attributed(said, best, {said.speaker: 1.0}, 1.0 if is_own else 0.0)
    by_assistant = infer_role(said.speaker, None) == "assistant"
    likely = 1.0 if asked.is_of_words else about_speaker(best.text, said.text, best.asks, by_assistant)
    about = {said.teller: likely, **dict.fromkeys(said.to, (1 - likely) / max(1, len(said.to)))}
    headed = f"{said.speaker} {best.text}" if is_listed else best.text
    for name in spoken_of(headed, asked.people, present):
        about = {name: 1.0}  # a third person, by name
    for name in _meant_by_he(best, said, asked.people):
        about = {name: 1.0}  # who is present, by a pronoun
    own = sum(about.get(person, 0.0) for person in asked.people) if asked.people else 1.0
    return Attributed(said, best, about, min(1.0, own))


def is_asked_for(asked: AttributedQuestion, voices: Sequence[str]) -> bool:
    """Whether a question has a word of the name of somebody who is imitated."""
    return any(stem in asked.rarity for name in voices for stem in find_content_stems(name))


def spoken_of(sentence: str, people: Sequence[str], present: Sequence[str]) -> list[str]:
    """Those asked about who are not part of this talk but named in it."""
    words = set(re.findall(r"\w+", sentence.casefold()))
    absent = (name for name in people if name not in present and infer_role(name, None) is None)
    return [name for name in absent if words & telling_parts(name) or has_name(sentence, name)]


def _meant_by_he(part: TurnSentence, said: RecalledTurn, people: Sequence[str]) -> list[str]:
    """The one asked about, of whom somebody else says "he" or "she" right after that name was said."""
    he = None if said.teller in people else _tells_of_a_third(part.text)
    if he is None:
        return []
    told = f"{said.before.partition(': ')[2]}\n{said.text[: part.start + he.start()][-LOOKED_BACK:]}"
    for name in people:
        places = [one.end() for word in name.split() for one in re.finditer(rf"\b{re.escape(word)}\b", told, re.I)]
        if places and (question_language(told) == "de" or not proper_names(_PLACE.sub("", told[max(places) :]))):
            return [name]
    return []


def _tells_of_a_third(sentence: str) -> re.Match[str] | None:
    """Where a sentence says "he" or "she", if neither who speaks nor who listens is in it."""
    return None if _SPEAKS_OF_BOTH.search(sentence) else _HE.search(sentence)


def features(asked: AttributedQuestion, turns: Sequence[Attributed]) -> dict[str, float]:
    """What the confidence is made of.

    about: the share of the ranking that is about the people asked for; where the question names nobody, or everybody
    who spoke, that share tells nothing. near: how near in meaning their nearest turn
    is. missing: how rare the rarest of the question's words is that nobody says around their best turns.
    """
    told = (t for t in turns if not asked.people or t.said.teller in asked.people or t.own >= NAMED)
    own = sorted(told, key=lambda t: -t.said.share)
    heard = (_stems_around(t.said.around) for t in own[:OWN_TURNS])
    missing = (max((rare for stem, rare in asked.rarity.items() if stem not in said), default=0.0) for said in heard)
    speakers = {t.said.teller for t in turns}
    telling = bool(asked.people) and not speakers <= set(asked.people)
    return {
        "about": sum(t.weight for t in turns) if telling else ANYBODY,
        "near": min(NEAREST, max((t.said.near for t in own), default=0.0)),
        "missing": min(missing, default=1.0),
    }


@lru_cache(maxsize=4 * OWN_TURNS)  # the verdict looks at the same turns as the trace
def _stems_around(text: str) -> frozenset[str]:
    return find_content_stems(text)


def culprit(asked: AttributedQuestion, turns: Sequence[Attributed]) -> tuple[str, Attributed] | None:
    """Whose it is instead, and the turn that says so; None if that is nobody in particular.

    Only a turn that speaks of what is asked says so: what recall finds where nothing answers is somebody else's, too.
    """
    turns = [
        turn
        for turn in turns
        if _says_so(asked, turn) and not _names_asked(asked, turn) and not _tells_of_a_third(turn.sentence.text)
    ]
    best = max(turns, key=lambda t: t.said.share * (1 - t.own), default=None)
    if best is None or best.own > OTHERS or best.said.conversation == DOCUMENTS:
        return None  # a document is nobody: who wrote it may be the one asked about
    others = {name: share for name, share in best.about.items() if name not in asked.people}
    if not others:
        return None
    name = max(others, key=lambda other: others[other])
    if name != best.said.speaker and infer_role(name, None) == "assistant":
        return None  # a question to an assistant is not about it
    own_words = [t for t in turns if t.said.speaker == name and t.own <= OTHERS]  # better than what was said to them
    return name, max(own_words, key=lambda t: t.said.share, default=best)


def _names_asked(asked: AttributedQuestion, turn: Attributed) -> bool:
    """Whether a turn names somebody who is asked about and does not speak: then it may well be about them."""
    words = set(re.findall(r"\w+", turn.said.text[:LOOKED_AT].casefold()))
    others = [name for name in asked.people if name != turn.said.speaker]
    return any(not words.isdisjoint(re.findall(r"\w+", name.casefold())) for name in others)


def _says_so(asked: AttributedQuestion, turn: Attributed) -> bool:
    whole = asked.overlap(frozenset(asked.rarity))
    return whole > 0 and asked.overlap(find_content_stems(turn.said.text[:LOOKED_AT])) >= SAYS_SO * whole
