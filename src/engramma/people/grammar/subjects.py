"""Subjects: whom a clause is about. "I" is who speaks, "you" who is spoken to; what cannot be told is unknown."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from engramma.people.claims.names import KIN, LONGEST_NAME, NO_NAMES, PETS, PLURAL, Cast, is_name
from engramma.people.entities.known_names import first_names, place_names, word_names
from engramma.people.grammar.auxiliaries import ADVERBS
from engramma.people.grammar.sets import wordset
from engramma.people.grammar.verbs import BE, FORMS
from engramma.people.grammar.words import TextWords
from engramma.records.people import UNKNOWN

How = Literal["self", "addressee", "named", "pronoun", "unknown"]

OWNERS = wordset("my our your his her their")
_QUALIFIERS = wordset(
    "little big older younger elder eldest oldest youngest twin best good close old new dear late two three four"
    " 2 3 4 own sweet beloved adorable cute rescue lovely first second whole entire ex former future"
)
_IDENTIFIER = re.compile(r"[a-z][a-z0-9]*(?:[-_./][a-z0-9]+)*(?:[-_./][a-z]*\d\w*|[_./][a-z]\w*)$")
_TICKETS = wordset("issue ticket bug task pr story epic incident case")
_BEFORE_KIN = OWNERS | {"a", "an", "the"}
_AFTER_NOUN = BE | wordset(
    "and or but who that which when where while because so as if in on at to from with by for of about after"
    " before during into over near than like called named has had have was will would can could should did does"
    " n't not 's just also really too i we you he she they it there here last this yesterday today"
)
_GROUP_WORDS = wordset(
    "project app service module library team repo repository system package feature api bot script backend frontend"
    " website site server database dashboard parser tool plugin pipeline platform cluster codebase program software"
    " extension compiler engine application microservice daemon"
)
_ONLY_KINDS = wordset("project repo repository")  # "the Atlas project" is Atlas
_CALLED_BY_KIN = wordset("mum mom mommy mummy dad daddy mama papa grandma grandpa granny nan granddad")
_OF_SOFTWARE = wordset("use depend rely require run")  # what shows that a word in small letters is a project's name
_OF_THE_HOUSE = wordset("kids children twins baby family fam parents")  # with "the": the speaker's
_TITLES = {
    **dict.fromkeys(("mrs", "ms", "miss", "madam", "aunt", "auntie", "lady"), "she"),
    **dict.fromkeys(("mr", "sir", "uncle", "lord"), "he"),
}


@dataclass(frozen=True, slots=True)
class Subject:
    """Whom or what a clause is about, how that was told, and the words that tell it."""

    name: str
    type: str
    how: How
    first: int
    last: int
    plural: bool = False
    known: bool = True  # not only a word with a capital at the beginning of a sentence


@dataclass(frozen=True, slots=True)
class SubjectMention:
    """Somebody who was mentioned, where, and whether as "he", "she" or "they" ("" if that cannot be told)."""

    name: str
    gender: str
    at: int


@dataclass(slots=True)
class SpeakerScene:
    """Who speaks to whom, and who was mentioned of late."""

    cast: Cast
    speaker: str
    addressee: str
    is_assistant: bool = False
    asked_about_work: bool = False  # the turn right before asked about jobs
    mentioned: list[SubjectMention] = field(default_factory=list)  # in this turn
    earlier: list[SubjectMention] = field(default_factory=list)  # in the one right before
    of_another: Callable[[], bool] = bool  # whether the turns right before are of somebody else

    def tells(self, subject: Subject) -> None:
        """Take it that who tells something is a person, also if the name only began a sentence."""
        if not subject.known:
            self.cast.named.setdefault(subject.name.lower(), subject.name)
            self.mentioned.append(SubjectMention(subject.name, "", subject.first))

    def owner(self, word: str, i: int) -> str:
        """Whose "my", "your" or "her" is."""
        if word in ("my", "our"):
            return self.speaker
        if word == "your":
            return self.addressee
        return self.meant_by({"his": "he", "her": "she"}.get(word, "they"), i)

    def meant_by(self, pronoun: str, i: int) -> str:
        """Who "he", "she" or "they" is: the only one mentioned before that it fits, else unknown."""
        for said in ([mention for mention in self.mentioned if mention.at < i], self.earlier):
            fitting = {
                m.name for m in said if (m.gender == "they") == (pronoun == "they") and m.gender in ("", pronoun)
            }
            if fitting:
                return fitting.pop() if len(fitting) == 1 else UNKNOWN
        return UNKNOWN


def read_subject(words: TextWords, i: int, last: int, scene: SpeakerScene, opens: bool) -> Subject | None:
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
        name = scene.meant_by(word, i)
        if name == UNKNOWN and word == "they":
            return None
        kind = "pet" if name.lower() in scene.cast.pets else "person"
        return Subject(name, kind, "pronoun" if name != UNKNOWN else "unknown", i, i + 1)
    if not opens:
        return None
    if word in _TICKETS and i + 1 < last and words.low[i + 1].lstrip("#").isdigit():
        return Subject(words.slice(i, i + 2), "thing", "named", i, i + 2, known=False)
    if _IDENTIFIER.match(words.as_is[i]):
        return Subject(words.as_is[i], "thing", "named", i, i + 1, known=False)
    if word in OWNERS or word in ("the", "a", "an"):
        return _owned(words, i, last, scene)
    if word in _CALLED_BY_KIN and i + 1 < last and words.low[i + 1] != "," and not scene.cast.resolve(word):
        name = scene.cast.kin_of(scene.speaker, word)  # "Mum is here": the speaker's
        return None if scene.is_assistant else Subject(name, "person", "named", i, i + 1)
    if is_name(words.as_is[i]) and ((word not in FORMS and word not in ADVERBS) or scene.cast.resolve(word)):
        return _named(words, i, last, scene)
    return None


def _owned(words: TextWords, i: int, last: int, scene: SpeakerScene) -> Subject | None:
    """My sister Ines, your kids, our dog Max, the app."""
    low, at = words.low, i + 1
    while at < last and (
        low[at] in _QUALIFIERS
        or (at + 1 < last and (low[at + 1] in KIN or low[at + 1] in _GROUP_WORDS) and low[at].isalpha())
    ):
        at += 1
        if at - i > 4:
            return None
    if at >= last:
        return None
    noun = low[at]
    if noun in _GROUP_WORDS and low[i] in ("the", "my", "our") and (name := _called(words, at + 1, last)):
        return Subject(name, "project", "named", i, at + 2)
    if noun in _GROUP_WORDS and low[i] == "the" and at - i < 4:
        named = noun in _ONLY_KINDS and at - i > 1 and all(is_name(word) for word in words.as_is[i + 1 : at])
        return Subject(words.slice(i + 1, at + (not named)), "project", "named", i, at + 1, known=False)
    if low[i] in ("the", "a", "an"):
        kin = noun in ("kids", "children", "twins") or (
            noun in KIN and KIN[noun][0] == "has_friend" and low[i] != "the"
        )
        if kin and ends_noun(words, at + 1) and (low[i] == "the" or not noun.endswith("s")):
            return Subject(
                scene.cast.kin_of(scene.speaker, noun),
                "person",
                "named",
                i,
                at + 1,
                plural=noun.endswith("s") or noun == "children",
            )
        return None
    if noun in _GROUP_WORDS and low[i] in ("my", "our"):
        return Subject(f"{scene.speaker}'s {words.slice(i + 1, at + 1)}", "project", "named", i, at + 1)
    if (noun not in KIN and noun not in PETS) or not ends_noun(words, at + 1):
        return None
    owner = scene.owner(low[i], i)
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
    plural = noun in PLURAL or (noun.endswith("s") and noun not in ("boss", "sis"))
    return Subject(full, kind, "named", i, end, plural)


def _called(words: TextWords, i: int, last: int) -> str:
    """The name between a project and its verb: "my project lantern uses ..."; "" if none stands there."""
    if i + 1 >= last or words.low[i] in _AFTER_NOUN or words.low[i] in FORMS or words.low[i] in ADVERBS:
        return ""
    verb, form = words.low[i + 1], FORMS.get(words.low[i + 1])
    if is_name(words.as_is[i]):
        follows = verb in BE or (form is not None and bool(form.kinds & {"s", "past"}))
    else:
        follows = form is not None and form.lemma in _OF_SOFTWARE and words.low[i].isalpha()
    return words.as_is[i] if follows else ""


def apposed(words: TextWords, i: int, last: int) -> tuple[str, int]:
    """A name right after a noun, also after a comma and before another one: "my sister, Ines, ..."."""
    if i < last and is_name(words.as_is[i]) and words.low[i] not in FORMS:
        return _whole_name(words, i, last)
    inside = i + 2 < last and words.low[i] == "," and is_name(words.as_is[i + 1])
    if inside and words.low[i + 1] not in FORMS:
        name, end = _whole_name(words, i + 1, last)
        if end < last and words.low[end] == ",":
            return name, end + 1
    return "", i


def _whole_name(words: TextWords, i: int, last: int) -> tuple[str, int]:
    end = i + 1
    while end < last and end - i < LONGEST_NAME and is_name(words.as_is[end]) and words.low[end] not in BE:
        end += 1
    return words.slice(i, end), end


def _named(words: TextWords, i: int, last: int, scene: SpeakerScene) -> Subject | None:
    """Somebody or something by name: a participant, one who was named before, or a project."""
    low = words.low
    name, end = _whole_name(words, i, last)
    if end < last and low[end][:1].isdigit() and words.as_is[i].lower() not in scene.cast.aliases:
        end += 1  # a version: "React 19"
        if (known := scene.cast.resolve(name)) is None or known not in scene.cast.people:
            return Subject(known or words.slice(i, end), "thing", "named", i, end)
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
        return Subject(known, kind, "named", i, end)
    inside = i > 0 and words.low[i - 1] not in ".!?\n" and not words.as_is[i].isupper()
    return Subject(name, "", "named", i, end, known=inside or end - i > 1)


def mentions(words: TextWords, scene: SpeakerScene) -> list[SubjectMention]:
    """The people and pets of a turn whom a later "he" or "she" may mean, with their places."""
    found, low = [], words.low
    for i, word in enumerate(low):
        if word in KIN or word in PETS:
            at = next((k for k in range(i - 1, max(i - 5, -1), -1) if low[k] in _BEFORE_KIN), -1)
            if at < 0 or not ends_noun(words, i + 1):
                continue
            if low[at] not in ("my", "our", "your") and KIN.get(word, ("knows",))[0] == "knows":
                continue
            if low[at] not in ("my", "our", "your") and not _is_speakers(word, low[at]):
                found.append(SubjectMention(UNKNOWN, KIN.get(word, ("", ""))[1], i))  # "her mom", "the girl"
                continue
            whose = low[at] if low[at] in ("my", "our", "your") else "my"
            owner = scene.addressee if whose == "your" else scene.speaker
            name = apposed(words, i + 1, len(low))[0]
            called = i + 2 < len(low) and low[i + 1] in ("called", "named")
            name = name or (apposed(words, i + 2, len(low))[0] if called else "")
            many = word in PLURAL or (word.endswith("s") and word not in ("boss", "sis"))
            gender = "they" if many else KIN.get(word, ("", ""))[1]
            found.append(SubjectMention(name or scene.cast.kin_of(owner, word), gender, i))
        elif words.as_is[i][:1].isupper() and word not in NO_NAMES:
            name = scene.cast.resolve(words.as_is[i]) or (words.as_is[i] if _is_given(low, i) else "")
            begins = i == 0 or scene.cast.named.get(low[i - 1]) != name
            apart = begins and name not in ("", scene.speaker, scene.addressee) and low[max(0, i - 1)] not in KIN
            if apart and (name in scene.cast.people or _may_be_person(words, i, scene)):
                found.append(SubjectMention(name, scene.cast.gender.get(name) or _gender_of_title(low, i), i))
    return found


def _is_given(low: Sequence[str], i: int) -> bool:
    """Whether a word that begins a sentence, where all have a capital, is a given name and nothing else."""
    begins = i == 0 or low[i - 1] in ".!?\n"
    return begins and low[i] in first_names() and low[i] not in word_names() | place_names()


def _is_speakers(noun: str, before: str) -> bool:
    """Whether a relative or pet without "my" is of who speaks: the kids, the dog, a friend; not the girl, her dog."""
    if before not in ("a", "an", "the"):
        return False
    if noun in _OF_THE_HOUSE:
        return before == "the"
    return noun in PETS or KIN[noun][0] == "has_friend"


def _gender_of_title(low: Sequence[str], i: int) -> str:
    """What pronoun the title before a name tells: "she" for Mrs Adler; "" if there is none that tells."""
    before = [word for word in low[max(0, i - 2) : i] if word != "."]
    return _TITLES.get(before[-1].rstrip("."), "") if before else ""


def _may_be_person(words: TextWords, i: int, scene: SpeakerScene) -> bool:
    """Whether a name is no place, product or part of a longer thing's name, as far as its form tells."""
    word = words.as_is[i]
    is_plain = word[1:].islower() and words.low[i] not in scene.cast.places
    return is_plain and (i == 0 or words.low[i - 1] not in ("a", "an", "the", "my", "your", "this", "that"))


def ends_noun(words: TextWords, i: int) -> bool:
    """Whether a noun phrase is over at a word: no further noun follows, as in "bird recorder"."""
    if i >= len(words.low):
        return True
    word = words.low[i]
    if word.endswith("ed") and len(word) > 3:
        return True
    return not word[:1].isalnum() or word in _AFTER_NOUN or word in FORMS or is_name(words.as_is[i]) or word in ADVERBS


def _is_verb_after(words: TextWords, i: int, last: int) -> bool:
    """Whether 's is "is" or "has" and not a genitive."""
    if i + 1 >= last:
        return False
    word = words.low[i + 1]
    if word in ADVERBS or word in ("not", "a", "an", "the", "been", "got", "in", "at"):
        return True
    form = FORMS.get(word)
    return form is not None and bool(form.kinds & {"ing"}) and i + 2 < last
