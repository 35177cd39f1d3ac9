"""Claims out of a model's reply: nothing is believed that the turns do not say.

A claim is kept only if its quote stands in the turn that it names, said by whom it names, if its value is made of that
turn's words, and if its subject takes part or is named there. "I" is the speaker and "you" the one spoken to, whatever
the model says. Times, negation and mood are read by our own rules. What fails is dropped and counted by reason.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...language.times import EPOCH
from ...records import Turn
from ...records.people import UNKNOWN, Claim, Entity
from ..claims.extract import CONFIDENCE, MOODS, extract, is_of_itself
from ..claims.names import NO_NAMES, Cast, addressee, cast_of
from ..claims.relations import relation as relation_of
from ..claims.values import strip_owner
from ..grammar.sets import wordset
from .check import (
    claim_id,
    found_in,
    is_alias_of,
    is_another,
    is_made_of,
    is_quoted_in,
    relation_named,
    said_of,
    span_of,
    text_in,
    time_of,
)
from .cues import is_told
from .pieces import TalkPiece, TurnPart
from .prompt import MODALITIES, TYPES, reply_object

MOST = 200  # claims or entities of one reply that are looked at
LONGEST_VALUE = 200  # characters
LONGEST_QUESTION = 300
TRUST = 0.85  # of a model's claim against one of the rules

_I = re.compile(r"\b(?:i|i['’]\w+|my|me|mine|myself|we|we['’]\w+|our|ours|us)\b", re.IGNORECASE)
_YOU = re.compile(r"\b(?:you|you['’]\w+|your|yours|yourself)\b", re.IGNORECASE)
_WORDS = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_PERSONAL = re.compile(
    r"(?:i|we|you|he|she|they|my|our|your|his|her|their)(?:['’]\w+)?|(?:my|your|our|her|them)sel(?:f|ves)",
    re.IGNORECASE,
)
_PRONOUNS = wordset("he she they it him her them his hers their theirs its this that these those who")
_FIRST = wordset("i me my mine myself we us our speaker")
_SECOND = wordset("you your yours addressee listener")


@dataclass(slots=True)
class ReplyReading:
    """What a reply came to: what was kept of it, and why the rest was not."""

    claims: list[Claim] = field(default_factory=list)
    entities: list[Entity] = field(default_factory=list)
    proposed: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    is_readable: bool = True


def read_reply(
    text: str,
    piece: TalkPiece,
    conversation: str,
    session: str,
    people: Sequence[str],
    model: str,
    has_secret: Callable[[str], bool] = lambda _: False,
) -> ReplyReading:
    """What a reply says about a piece of talk, checked against its turns."""
    reply = reply_object(text)
    if reply is None:
        return ReplyReading(is_readable=False)
    reading = ReplyReading()
    turns = [*piece.before, *dict.fromkeys(part.turn for part in piece.parts)]
    cast = cast_of(people, turns)
    reader = _Reader(piece, turns, cast, conversation, session, model, has_secret)
    for one in _listed(reply.get("entities")):
        entity = reader.entity(one, reading.dropped)
        if entity is not None:
            reading.entities.append(entity)
    reader.types = {name.casefold(): e.type for e in reading.entities for name in (e.name, *e.aliases)}
    for one in _listed(reply.get("claims")):
        reading.proposed += 1
        kept = reader.claim(one)
        if isinstance(kept, str):
            reading.dropped[kept] += 1
        elif any(claim.id == kept.id for claim in reading.claims):
            reading.dropped["twice"] += 1
        else:
            reading.claims.append(kept)
    return reading


def _listed(value: Any) -> list[Any]:
    return value[:MOST] if isinstance(value, list) else []


class _Reader:
    """Checks one reply."""

    def __init__(
        self,
        piece: TalkPiece,
        turns: Sequence[Turn],
        cast: Cast,
        conversation: str,
        session: str,
        model: str,
        has_secret: Callable[[str], bool],
    ) -> None:
        self.piece, self.turns, self.cast = piece, turns, cast
        self.conversation, self.session, self.model, self.has_secret = conversation, session, model, has_secret
        self.types: Mapping[str, str] = {}
        self.text = "\n".join(part.text for part in piece.parts)
        self.rules = extract(turns, conversation, session, cast.people)

    def entity(self, one: Any, dropped: Counter[str]) -> Entity | None:
        """A named thing that the piece names, with the aliases that are forms of its name."""
        name = text_in(one, "name", LONGEST_VALUE)
        type = one.get("type") if isinstance(one, dict) else None
        said = found_in(name, self.text)  # as it was written, not as the model writes it
        if not said or not said[:1].isupper() or said.casefold() in NO_NAMES:
            dropped["entity"] += 1
            return None
        person = self.cast.aliases.get(said.casefold())
        name, type, aliases = (said, type, []) if person is None else (person, "person", [said])
        for alias in _listed(one.get("aliases")):
            said = found_in(alias, self.text) if isinstance(alias, str) else ""
            if said and is_alias_of(said, name) and self.cast.aliases.get(said.casefold(), name) == name:
                aliases.append(said)
            else:
                dropped["alias"] += 1
        return Entity(name, type if type in TYPES else "thing", tuple(dict.fromkeys(a for a in aliases if a != name)))

    def claim(self, one: Any) -> Claim | str:
        """The claim, or why there is none."""
        if not isinstance(one, dict):
            return "shape"
        parts = self._parts(one)
        quote, value = text_in(one, "quote", 2_000), text_in(one, "value", LONGEST_VALUE)
        subject = text_in(one, "subject", LONGEST_VALUE)
        if not parts or not quote or not value or not subject:
            return "shape"
        span = span_of(quote, parts[0].text)
        if span is None:
            return "quote"
        turn, start = parts[0].turn, parts[0].start + span[0]
        quoted = turn.text[start : parts[0].start + span[1]]
        if self._person(text_in(one, "speaker", LONGEST_VALUE)) != turn.speaker:
            return "speaker"
        relation = relation_named(one.get("relation"))
        if relation is None or not is_told(relation, quoted):
            return "relation"
        value = strip_owner(value.strip(" .,;!?\"'“”"))
        if not value or not is_made_of(value, [part.text for part in parts]):
            return "value"
        whom = self._subject(subject, turn, start, quoted)
        rules = [claim for claim in self.rules if claim.turn_ids[0] == turn.id]
        if (
            whom is None
            or is_of_itself(whom, relation, value, self.cast)
            or is_another(whom, value, start, quoted, rules, self.cast.people)
        ):
            return "subject"
        return self._built(one, parts, start, quoted, relation, value, whom)

    def _built(
        self,
        one: Mapping[str, Any],
        parts: Sequence[TurnPart],
        start: int,
        quoted: str,
        relation: str,
        value: str,
        whom: str,
    ) -> Claim | str:
        turn, said_at = parts[0].turn, parts[0].turn.said_at or EPOCH
        told = one.get("modality")
        negated, modality = said_of(
            quoted, value, turn.text, start, whom, self.rules, turn.id or "", bool(one.get("negated") is True),
            told if told in MODALITIES else "fact",
        )  # fmt: skip
        valid_from, valid_to = time_of(text_in(one, "time", 100), quoted, said_at, modality)
        how = "self" if whom == turn.speaker else "unknown" if whom == UNKNOWN else "named"
        verbatim = 1.0 if value.casefold() in quoted.casefold() else 0.8
        kind = relation_of(relation)
        is_person = whom in self.cast.people or whom == UNKNOWN
        turn_ids = tuple(dict.fromkeys(part.turn.id or "" for part in parts))
        asked = [text for text in _listed(one.get("questions")) if self._is_fair(text)]
        asks = [ask.format(s=whom, v=value) for ask in kind.asks] if whom != UNKNOWN else []
        is_told = modality not in ("question", "hypothetical")
        answer = f"not {value}" if negated else value
        claim = Claim(
            subject=whom,
            subject_type="person" if is_person else self.types.get(whom.casefold(), "thing"),
            relation=relation,
            value=value,
            value_type=self._value_type(value, kind.value_type),
            speaker=turn.speaker,
            conversation=self.conversation,
            session=self.session,
            turn_ids=turn_ids,
            said_at=said_at,
            quote=quoted,
            start=start,
            valid_from=valid_from,
            valid_to=valid_to,
            negated=negated,
            modality=modality,
            confidence=round(CONFIDENCE[how] * MOODS[modality] * TRUST * verbatim, 3),
            mentioned_by=(turn.speaker,),
            method=self.model,
            questions=tuple((ask, answer) for ask in dict.fromkeys([*asked[:3], *asks])) if is_told else (),
        )
        if any(self.has_secret(text) for text in (value, whom, *(ask for ask, _ in claim.questions))):
            return "secret"
        return replace(claim, id=claim_id(claim))

    def _parts(self, one: Mapping[str, Any]) -> list[TurnPart]:
        """The parts that a claim rests on, the one that it quotes first; none if it names one that is not there."""
        numbers = one.get("turns", one.get("turn"))
        found: list[TurnPart] = []
        for number in (numbers if isinstance(numbers, list) else [numbers])[:10]:
            known = [part for part in self.piece.parts if part.turn.id == number] if isinstance(number, str) else []
            told = number.strip(" []") if isinstance(number, str) else number
            if not known and isinstance(told, str) and told.isdecimal():
                told = int(told)
            if known:
                found.append(known[0])
            elif type(told) is int and 1 <= told <= len(self.piece.parts):
                found.append(self.piece.parts[told - 1])
            else:
                return []
        return found

    def _person(self, name: str) -> str | None:
        return self.cast.aliases.get(name.casefold()) if name else None

    def _subject(self, subject: str, turn: Turn, start: int, quoted: str) -> str | None:
        """Whom a claim is about: somebody here, or what the piece names; None if the words speak against it."""
        low = subject.casefold()
        quoted = self._with_subject(turn.text, start, quoted)
        at = next(i for i, one in enumerate(self.turns) if one == turn)
        if low in _FIRST:
            return turn.speaker if _I.search(quoted) else None
        if low in _SECOND:
            return addressee(self.turns, at, self.cast)
        if low in _PRONOUNS or low == UNKNOWN:
            return UNKNOWN
        person = self._person(subject)
        if person is None:
            if not is_quoted_in(subject, self.text):
                return None
            # What is somebody's own is not its owner: "I have a dog" says nothing of the dog as its subject.
            return subject if subject[:1].isupper() and low not in NO_NAMES else strip_owner(subject) or None
        named = any(is_quoted_in(word, quoted) for word, name in self.cast.aliases.items() if name == person)
        if person == turn.speaker:
            return None if _YOU.search(quoted) and not _I.search(quoted) and not named else person
        if _I.search(quoted) and not named:
            return person if _YOU.search(quoted) and addressee(self.turns, at, self.cast) == person else None
        return person

    def _with_subject(self, text: str, start: int, quoted: str) -> str:
        """A quote with what stands before it from its subject on: who leaves out the "I" may not change who it is."""
        if self._subjects(" ".join(quoted.split()[:4])):
            return quoted
        before = re.split(r"[.!?\n]", text[:start])[-1]
        found = self._subjects(before)
        return before[found[-1] :] + quoted if found else quoted

    def _subjects(self, text: str) -> list[int]:
        """Where the words stand that may be a subject: pronouns and the names of those who take part."""
        return [
            match.start()
            for match in _WORDS.finditer(text)
            if match[0].casefold() in self.cast.aliases or _PERSONAL.fullmatch(match[0])
        ]

    def _value_type(self, value: str, usual: str) -> str:
        known = self.types.get(value.casefold())
        return known if known and known != "thing" and usual in ("thing", "text", known) else usual

    def _is_fair(self, text: Any) -> bool:
        """A question that names nobody who is not here."""
        if not isinstance(text, str) or not text.strip().endswith("?") or len(text) > LONGEST_QUESTION:
            return False
        names = re.findall(r"(?<=\s)[A-Z][\w'’-]+", text)
        return all(
            name.casefold().removesuffix("'s").removesuffix("’s") in self.cast.aliases
            or is_quoted_in(re.sub(r"['’]s$", "", name), self.text)
            for name in names
        )
