"""Claims out of talk by rules: deterministic, explainable, and without a model.

Every sentence is read for clauses with a person or a named thing as subject; each verb tells which relation it says
(`grammar/verbs.py`), and what follows it is the value. How sure a claim is depends on who says it of whom
(`CONFIDENCE`) and on how: see docs/explanation/people.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from hashlib import blake2b

from engramma.language.dates import Interval
from engramma.language.sentence_language import may_be_english
from engramma.language.times import EPOCH, wall_clock
from engramma.people.claims.assistants_words import asks_for_writing, is_no_fact
from engramma.people.claims.imitated_lines import imitated_in, imitated_spans
from engramma.people.claims.name_cues import NameCues, may_be_person, read_cues
from engramma.people.claims.name_types import subject_type_of, value_type_of
from engramma.people.claims.names import Cast, addressee, cast_of, learn_names
from engramma.people.claims.relations import relation as relation_of
from engramma.people.grammar.acts import RelationReading
from engramma.people.grammar.clauses import Clause, clauses
from engramma.people.grammar.readings import readings
from engramma.people.grammar.remarks import read_remarks
from engramma.people.grammar.sets import wordset
from engramma.people.grammar.spoken_of import spoken_of_another
from engramma.people.grammar.subjects import SpeakerScene, SubjectMention, mentions
from engramma.people.grammar.times import bounds, describe_time, since_in, times_in
from engramma.people.grammar.words import TextWords, WordRun, read_words, split_words
from engramma.records import Turn
from engramma.records.people import UNKNOWN, Claim, Modality

from ..grammar.nouns import is_job

METHOD = "rules"
# Who knows best: somebody about himself, then a friend to his face, then somebody about a third.
CONFIDENCE = {"self": 0.9, "addressee": 0.7, "named": 0.6, "pronoun": 0.5, "unknown": 0.2}
# What takes away from it.
HEDGED, REPORTED, ELIDED, ASSISTANT = 0.7, 0.8, 0.95, 0.7
MOODS: dict[Modality, float] = {"fact": 1.0, "plan": 0.9, "wish": 0.8, "hypothetical": 0.4, "question": 0.2}
_WORK = re.compile(r"\b(?:jobs?|careers?|profession|work)\b", re.IGNORECASE)
# What a word with a capital at the beginning of a sentence is not believed to do: "Music helps me".
_OF_NAMES = wordset("did does is_a has feels helped made gave described_as can needs started")
_ASKING = wordset("what where who why how when which whose whom what's")
_GENERAL = wordset("when if whenever once until as how what where like that the because unless so whatever")
_OF_YOU = wordset("be have love like enjoy hate prefer live work play study own speak eat drink teach run visit use")
_LASTS = wordset("be have need want like love enjoy prefer hate know own believe feel think")  # so now, whatever comes
_REQUESTS = wordset("can could would will")
_ONCE = wordset("work live be study")  # "I worked there": of these the past is over
_HELD = wordset("works_as works_at lives_in is_a studies_at")
_HABITS = wordset("usually always often sometimes generally normally typically mostly never regularly")
_NO_VOCATIVE = wordset("and or with for to from of by at in on like than about")
# What somebody is called at the end of a sentence, also without a capital: "I'm a nurse dad".
_CALLED = wordset("dad daddy papa mum mummy mom mama gran grandma grandad grandpa nan sis bro mate pal love")


@dataclass(frozen=True, slots=True)
class Talk:
    """Where turns stand: conversation and session."""

    conversation: str
    session: str


def extract(
    turns: Sequence[Turn], conversation: str, session: str, people: Sequence[str] = (), *, is_document: bool = False
) -> list[Claim]:
    """The claims that the turns of a session make, in order; `people` are those who take part beside the speakers.

    In a document each turn is a part of its own: "she" is nobody of the part before.
    """
    cast = cast_of(people, turns)
    read = [read_words(turn.text) for turn in turns]
    for words in read:
        learn_names(words, cast)
    talk = Talk(conversation, session)
    cues = read_cues(turns)
    found: list[Claim] = []
    earlier: list[SubjectMention] = []
    age = 0  # turns since the last one in which anybody was mentioned
    for i, (turn, words) in enumerate(zip(turns, read, strict=True)):
        if turn.role in ("system", "tool") or not words.low:
            continue
        scene = SpeakerScene(
            cast, turn.speaker or UNKNOWN, addressee(turns, i, cast), turn.role == "assistant", earlier=earlier
        )
        scene.of_another = partial(spoken_of_another, turns, read, i, cast)
        scene.mentioned = [one for one in mentions(words, scene) if _is_meant(one.name, scene, cues)]
        before = turns[i - 1].text[-600:] if i else ""
        scene.asked_about_work = "?" in before and turns[i - 1].speaker != turn.speaker and bool(_WORK.search(before))
        drafted = scene.is_assistant and asks_for_writing(before)
        imitated = imitated_spans(turn.text, turn.speaker, cast.people)
        found.extend(
            one
            for one in _claims(turn, words, scene, talk, cues, i)
            if imitated_in(one.start, one.start + len(one.quote), imitated) is None
            and not (scene.is_assistant and is_no_fact(one, drafted))
        )
        earlier, age = (scene.mentioned, 0) if scene.mentioned else (earlier, age + 1) if age < 1 else ([], 0)
        if is_document:
            earlier = []
    return found


def _is_meant(name: str, scene: SpeakerScene, cues: NameCues) -> bool:
    """Whether a later "he" or "she" may be somebody of this name."""
    return (
        name == UNKNOWN
        or name in scene.cast.people
        or "'s " in name
        or name.lower() in scene.cast.pets
        or may_be_person(name, cues)
    )


def _claims(turn: Turn, words: TextWords, scene: SpeakerScene, talk: Talk, cues: NameCues, at: int) -> Iterator[Claim]:
    said_at, seen = turn.said_at or EPOCH, set[tuple[str, str, str, bool, Modality]]()
    for sentence in split_words(words):
        times: dict[bool, tuple[Interval, ...]] = {}
        text = words.slice(sentence.first, sentence.last)
        if not may_be_english(text, turn.text):  # "Lieber am 7. März" is no age
            continue
        for clause, given in _said(words, sentence, scene, text, said_at, times):
            ahead = _looks_ahead(clause)
            if ahead not in times:
                times[ahead] = times_in(text, said_at, ahead)
            for reading in given:
                claim = _claim(turn, words, sentence, scene, talk, cues, clause, reading, times[ahead], at)
                key = (claim.subject, claim.relation, claim.value.lower(), claim.negated, claim.modality)
                if key not in seen and not is_of_itself(claim.subject, claim.relation, claim.value, scene.cast):
                    seen.add(key)
                    yield claim


def is_of_itself(subject: str, relation: str, value: str, cast: Cast) -> bool:
    """Whether a claim would join somebody or something with itself: "Göran likes Göran". A name is called so."""
    if relation == "is_called":
        return False
    return value.casefold() == subject.casefold() or (value[:1].isupper() and cast.resolve(value) == subject)


def _said(
    words: TextWords,
    sentence: WordRun,
    scene: SpeakerScene,
    text: str,
    said_at: datetime,
    times: dict[bool, tuple[Interval, ...]],
) -> Iterator[tuple[Clause, list[RelationReading]]]:
    """Each clause with what it says, then what a sentence says without a clause of its own."""
    for clause in clauses(words, sentence, scene):
        ahead = _looks_ahead(clause)
        if ahead not in times:
            times[ahead] = times_in(text, said_at, ahead)
        cuts = _cuts(words, sentence, times[ahead])
        if ahead and not _HABITS.isdisjoint(words.low[clause.first : clause.group.verb]):
            clause = replace(clause, timeless=True)  # "we usually meet at Christmas"
        elif ahead and clause.modality == "fact" and clause.group.lemma not in _LASTS and not clause.group.leads:
            begins = _when(words, sentence, clause, times[ahead], said_at)[0]
            if begins is not None and begins > wall_clock(said_at):  # "She starts school in September"
                clause = replace(clause, modality="plan")
        if clause.group.kind == "ing" and clause.modality == "fact" and not clause.group.past | clause.group.perfect:
            ahead_of = times_in(text, said_at, True)
            moving = clause.group.lemma in ("move", "relocate")  # "I'm moving", "I'm starting on 23 May"
            if moving or any(time.start > wall_clock(said_at) for time in ahead_of):
                clause, cuts = replace(clause, modality="plan"), _cuts(words, sentence, ahead_of)
        if _is_told(words, sentence, clause):
            given = readings(words, clause, scene, cuts)
            if not clause.subject.known:
                given = [reading for reading in given if reading.relation not in _OF_NAMES]
            if given:
                yield clause, given
    yield from read_remarks(words, sentence, scene)


def _looks_ahead(clause: Clause) -> bool:
    """Whether its Friday is the next one: of what is planned, wished, supposed, or said in the present."""
    group = clause.group
    present = group.kind in ("s", "base") and not (group.past or group.perfect or group.ended)
    return present or clause.modality in ("plan", "wish", "hypothetical")


def _is_told(words: TextWords, sentence: WordRun, clause: Clause) -> bool:
    """Whether a clause tells anything: advice, open questions and questions about oneself do not."""
    if clause.modality == "question":
        if clause.subject.how == "addressee" and words.low[clause.first - 1] in _REQUESTS:
            return False  # "Can you send me a link?"
        yes_or_no = words.low[sentence.first] not in _ASKING and clause.first - sentence.first < 4
        return yes_or_no and clause.subject.how in ("addressee", "named")
    if clause.subject.how in ("addressee", "unknown"):
        general = clause.modality in ("hypothetical", "plan") or "can" in clause.group.leads
        return not general and not (words.low[clause.first] == "you" and _is_general(words, clause))
    return True


def _is_general(words: TextWords, clause: Clause) -> bool:
    """Whether "you" may be anybody: "when you need to think", "you learn a lot"."""
    group = clause.group
    if group.past or group.perfect or group.kind == "ing":
        return False
    if clause.first and words.low[clause.first - 1] in _GENERAL:
        return True
    return group.lemma not in _OF_YOU


def _cuts(words: TextWords, sentence: WordRun, times: tuple[Interval, ...]) -> frozenset[int]:
    """The words at which a time begins, with the preposition before it: a value ends there."""
    if not times:
        return frozenset()
    offset, found = words.start[sentence.first], set[int]()
    for time in times:
        for i in range(sentence.first, sentence.last):
            if words.start[i] >= offset + time.span[0]:
                while i > sentence.first and words.low[i - 1] in (
                    "on",
                    "in",
                    "at",
                    "since",
                    "by",
                    "until",
                    "around",
                    "about",
                    "just",
                ):
                    i -= 1
                found.add(i)
                break
    return frozenset(found)


def _claim(
    turn: Turn, words: TextWords, sentence: WordRun, scene: SpeakerScene, talk: Talk, cues: NameCues, clause: Clause,
    reading: RelationReading, times: tuple[Interval, ...], at: int,
) -> Claim:  # fmt: skip
    said_at = turn.said_at or EPOCH
    first = min(clause.first, clause.subject.first) if not clause.elided else clause.first
    first = reading.first if 0 <= reading.first < first else first
    last = max(clause.end, clause.group.end, reading.end)
    start, end = words.start[first], words.end[last - 1]
    kind = relation_of(reading.relation)
    habit = kind.kind == "preference" and _looks_ahead(clause)  # "I love hiking in October"
    valid_from, valid_to = (None, None) if clause.timeless or habit else _when(words, sentence, clause, times, said_at)
    if reading.relation in _HELD and valid_from is valid_to is None and _is_over(clause):
        valid_to = said_at
    modality = clause.modality if reading.moot else "fact"
    none = reading.value[:3].lower() == "no " and len(reading.value) > 3  # "I have no siblings"
    reading = replace(reading, value=reading.value[3:].strip()) if none and reading.value[3:].strip() else reading
    reading = replace(reading, value=_without_address(reading.value, scene))
    subject = reading.subject or clause.subject.name
    by_pronoun = clause.subject.how == "pronoun" and "'s " not in subject  # "she" may be taken for what has no name
    subject_type = reading.subject_type or ("" if by_pronoun else clause.subject.type)
    subject_type = subject_type or subject_type_of(subject, reading.relation, scene.cast, cues, clause.subject.known)
    turn_id = turn.id or str(at)
    draft = Claim(
        subject=subject,
        subject_type=subject_type,
        relation=reading.relation,
        value=reading.value,
        value_type=reading.value_type
        or value_type_of(reading.value, reading.relation, kind.value_type, scene.cast, cues),
        speaker=turn.speaker,
        conversation=talk.conversation,
        session=talk.session,
        turn_ids=(turn_id,),
        said_at=said_at,
        quote=turn.text[start:end],
        start=start,
        valid_from=valid_from,
        valid_to=valid_to,
        negated=clause.group.negated != none,
        modality=modality,
        confidence=_confidence(clause, reading, scene),
        mentioned_by=(turn.speaker,),
        method=METHOD,
        questions=_questions(
            words, clause, reading, subject, describe_time(valid_from, valid_to), clause.group.negated != none
        ),
        id=_id(talk, turn_id, start, end, reading),
    )
    return draft


def _is_over(clause: Clause) -> bool:
    """Whether a state is told in the past alone: "I was a waitress", "I worked at the museum"."""
    group = clause.group
    return group.past and not group.perfect and group.lemma in _ONCE and clause.modality == "fact"


def _without_address(value: str, scene: SpeakerScene) -> str:
    """A value without the name of the one who is spoken to at its end: "doing a great job, Ana"."""
    *before, last = value.split() or [""]
    called = scene.cast.resolve(last) == scene.addressee != UNKNOWN and last[:1].isupper()
    if called and len(before) > 1 and before[-1].lower() not in _NO_VOCATIVE:
        return value[: value.rindex(last)].rstrip(" ,")
    is_whole = bool(before) and (before[-1][:1].isupper() or is_job(before[-1].lower()))  # not "a single dad"
    return value[: value.rindex(last)].rstrip(" ,") if last.lower() in _CALLED and is_whole else value


def _id(talk: Talk, turn_id: str, start: int, end: int, reading: RelationReading) -> str:
    """From where it was said and what it says: extracting twice gives the same."""
    parts = (talk.conversation, talk.session, turn_id, str(start), str(end), reading.relation, reading.value, METHOD)
    key = "\x1f".join(parts).encode("utf-8", "surrogatepass")
    return f"claim_{blake2b(key, digest_size=10).hexdigest()}"


def _confidence(clause: Clause, reading: RelationReading, scene: SpeakerScene) -> float:
    value = CONFIDENCE[clause.subject.how] * MOODS[clause.modality if reading.moot else "fact"] * reading.weight
    for holds, factor in (
        (clause.hedged, HEDGED),
        (bool(clause.reported), REPORTED),
        (clause.elided, ELIDED),
        (scene.is_assistant, ASSISTANT),
    ):
        value *= factor if holds else 1.0
    return round(value, 3)


def _when(
    words: TextWords, sentence: WordRun, clause: Clause, times: tuple[Interval, ...], said_at: datetime
) -> tuple[datetime | None, datetime | None]:
    """The time that stands in the clause, or the only one of the sentence if it opens it."""
    offset = words.start[sentence.first]
    begin, end = words.start[clause.first] - offset, words.end[max(clause.end, clause.group.end) - 1] - offset
    within = [time for time in times if begin <= time.span[0] < end]
    leading = [time for time in times if time.span[1] <= begin and time.span[0] <= 12]
    after = [time for time in times if end <= time.span[0] <= end + 6]
    for choice in (within, leading, after):
        if choice:
            return bounds(choice[0])
    since = since_in(words.text[words.start[clause.first] : words.end[max(clause.end, clause.group.end) - 1]], said_at)
    if since is not None and not clause.group.past:
        return since, None
    return None, (said_at if clause.group.ended else None)


def _questions(
    words: TextWords, clause: Clause, reading: RelationReading, subject: str, when: str, negated: bool
) -> tuple[tuple[str, str], ...]:
    """What a claim answers, with the answers; what is asked, supposed or of nobody answers nothing."""
    if clause.modality in ("question", "hypothetical") or subject == UNKNOWN:
        return ()

    asks = [(ask.format(s=subject, v=reading.value), ("not " if negated else "") + reading.value)
            for ask in relation_of(reading.relation).asks]  # fmt: skip
    if when and not negated and not reading.subject:
        rest = words.slice(clause.rest, clause.end)
        phrase = " ".join(f"{clause.group.lemma} {rest}".split()[:14])
        if clause.modality in ("plan", "wish"):
            asks.append((f"When is {subject} going to {phrase}?", when))
        elif clause.group.lemma == "be":
            asks.append((f"When was {subject} {rest}?", when))
        else:
            asks.append((f"When did {subject} {phrase}?", when))
    return tuple(asks)
