"""Subjects: whom a clause is about. "I" is who speaks, "you" who is spoken to; what cannot be told is unknown."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from engramma.people.names import KIN, PETS, PLURAL, Cast, is_name
from engramma.people.patterns.groups import ADVERBS
from engramma.people.patterns.sets import wordset
from engramma.people.patterns.verbs import BE, FORMS
from engramma.people.patterns.words import Words
from engramma.records.people import UNKNOWN

How = Literal["self", "addressee", "named", "pronoun", "unknown"]

OWNERS = wordset("my our your his her their")
_QUALIFIERS = wordset(
    "little big older younger elder eldest oldest youngest twin best good close old new dear late two three four 2 3 4"
    " own sweet beloved adorable cute rescue lovely first second whole entire ex former future"
)
_GROUP_WORDS = wordset("project app service module library team repo system package feature api bot script")


@dataclass(frozen=True, slots=True)
class Subject:
    """Whom or what a clause is about, how that was told, and the words that tell it."""

    name: str
    type: str
    how: How
    first: int
    last: int


@dataclass(slots=True)
class Scene:
    """Who speaks to whom, and who was mentioned of late."""

    cast: Cast
    speaker: str
    addressee: str
    is_assistant: bool = False
    asked_about_work: bool = False  # the turn right before asked about jobs
    mentioned: list[tuple[str, str]] = field(default_factory=list)  # name and "he", "she", "they" or ""

    def mention(self, name: str, gender: str) -> None:
        self.mentioned = [entry for entry in self.mentioned if entry[0] != name] + [(name, gender)]

    def owner(self, word: str) -> str:
        """Whose "my", "your" or "her" is."""
        if word in ("my", "our"):
            return self.speaker
        if word == "your":
            return self.addressee
        return self.meant_by({"his": "he", "her": "she"}.get(word, "they"))

    def meant_by(self, pronoun: str) -> str:
        """Who "he", "she" or "they" is: the only one mentioned that it fits, else unknown."""
        fitting = [
            name
            for name, gender in self.mentioned
            if (gender == "they") == (pronoun == "they") and gender in ("", pronoun)
        ]
        return fitting[0] if len(set(fitting)) == 1 else UNKNOWN


def read_subject(words: Words, i: int, last: int, scene: Scene, opens: bool) -> Subject | None:
    """The subject that begins at a word, or none; only a pronoun needs no clause to open there."""
    word = words.low[i]
    if i in words.quoted:
        return None
    if word in ("i", "we"):
        return None if scene.is_assistant else Subject(scene.speaker, "person", "self", i, i + 1)
    if word == "you":
        end = i + 2 if i + 1 < last and words.low[i + 1] in ("guys", "all", "both") else i + 1
        if scene.is_assistant:
            return None
        how: How = "addressee" if scene.addressee != UNKNOWN else "unknown"
        return Subject(scene.addressee, "person", how, i, end)
    if word in ("he", "she", "they"):
        name = scene.meant_by(word)
        if name == UNKNOWN and word == "they":
            return None
        kind = "pet" if name.lower() in scene.cast.pets else "person"
        return Subject(name, kind, "pronoun" if name != UNKNOWN else "unknown", i, i + 1)
    if not opens:
        return None
    if word in OWNERS or word in ("the", "a", "an"):
        return _owned(words, i, last, scene)
    if is_name(words.as_is[i]):
        return _named(words, i, last, scene)
    return None


def _owned(words: Words, i: int, last: int, scene: Scene) -> Subject | None:
    """My sister Ines, your kids, our dog Max, the app."""
    low, at = words.low, i + 1
    while at < last and (low[at] in _QUALIFIERS or (at + 1 < last and low[at + 1] in KIN and low[at].isalpha())):
        at += 1
        if at - i > 4:
            return None
    if at >= last:
        return None
    noun = low[at]
    if low[i] in ("the", "a", "an"):
        if noun in ("kids", "children", "twins") and low[i] == "the":
            return Subject(scene.cast.kin_of(scene.speaker, noun), "person", "named", i, at + 1)
        return None
    if noun not in KIN and noun not in PETS:
        return None
    owner = scene.owner(low[i])
    name, end = apposed(words, at + 1, last)
    if end < last and low[end] == "'s" and not _is_verb_after(words, end, last):
        return None
    if owner == UNKNOWN:
        return Subject(UNKNOWN, "person", "unknown", i, end)
    kind = "pet" if noun in PETS else "person"
    full = name or scene.cast.kin_of(owner, noun)
    if name:
        scene.cast.kin[f"{owner}'s {noun}".lower()] = name
        (scene.cast.pets if kind == "pet" else scene.cast.named)[name.lower()] = name
    gender = "they" if noun in PLURAL or (noun.endswith("s") and noun != "boss") else KIN.get(noun, ("", ""))[1]
    scene.mention(full, gender)
    return Subject(full, kind, "named", i, end)


def apposed(words: Words, i: int, last: int) -> tuple[str, int]:
    """A name right after a noun, also after a comma and before another one: "my sister, Ines, ..."."""
    if i < last and is_name(words.as_is[i]) and words.low[i] not in FORMS:
        return _whole_name(words, i, last)
    inside = i + 2 < last and words.low[i] == "," and is_name(words.as_is[i + 1])
    if inside and words.low[i + 1] not in FORMS:
        name, end = _whole_name(words, i + 1, last)
        if end < last and words.low[end] == ",":
            return name, end + 1
    return "", i


def _whole_name(words: Words, i: int, last: int) -> tuple[str, int]:
    end = i + 1
    while end < last and end - i < 3 and is_name(words.as_is[end]) and words.low[end] not in BE:
        end += 1
    return words.slice(i, end), end


def _named(words: Words, i: int, last: int, scene: Scene) -> Subject | None:
    """Somebody or something by name: a participant, one who was named before, or a project."""
    low = words.low
    name, end = _whole_name(words, i, last)
    if end < last and low[end][:1].isdigit() and words.as_is[i].lower() not in scene.cast.aliases:
        name, end = words.slice(i, end + 1), end + 1
    if low[i] in ("project", "issue", "ticket") and end == i + 1 and end < last:
        name, end = words.slice(i, end + 1), end + 1
    if end < last and low[end] == "'s" and not _is_verb_after(words, end, last):
        return None
    if end < last and low[end] in _GROUP_WORDS:
        return Subject(name, "project", "named", i, end + 1)
    known = scene.cast.resolve(name) or scene.cast.resolve(words.as_is[i])
    if known == scene.speaker:
        known = None if end >= last or low[end] in (",", "!") else known
    if known:
        kind = "pet" if known.lower() in scene.cast.pets else "person" if known in scene.cast.people else ""
        if known not in (scene.speaker, scene.addressee):
            scene.mention(known, scene.cast.gender.get(known, ""))
        return Subject(known, kind, "named", i, end)
    return Subject(name, "", "named", i, end)


def _is_verb_after(words: Words, i: int, last: int) -> bool:
    """Whether 's is "is" or "has" and not a genitive."""
    if i + 1 >= last:
        return False
    word = words.low[i + 1]
    if word in ADVERBS or word in ("not", "a", "an", "the", "been", "got", "in", "at"):
        return True
    form = FORMS.get(word)
    return form is not None and bool(form.kinds & {"ing"}) and i + 2 < last
