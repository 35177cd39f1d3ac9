"""Names: who takes part in a talk, what they are called, whose sister it is, and who "you" and "she" are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from engramma.people.grammar.sets import wordset
from engramma.people.grammar.verbs import FORMS
from engramma.people.grammar.words import TextWords, split_words
from engramma.records import Turn
from engramma.records.people import UNKNOWN

LONGEST_NAME = 5  # words: "Hilton Lake Las Vegas Resort"
SHORTEST_ALIAS = 3  # letters of a short form such as Mel, which must fit one participant only

# Noun: relation of the one who has it, and whether "he" or "she" may mean it ("" if either).
KIN: dict[str, tuple[str, str]] = {}
for _relation, _he, _she, _either in (
    ("has_child", "son sons boy", "daughter daughters girl", "child children kid kids baby twins toddler stepson"),
    ("has_partner", "husband boyfriend fiancé hubby", "wife girlfriend fiancée", "partner spouse fiance fiancee"),
    ("has_sibling", "brother brothers bro stepbrother", "sister sisters sis stepsister", "sibling siblings twin"),
    ("has_parent", "father dad stepfather papa", "mother mom mum mama stepmother", "parents parent folks"),
    (
        "has_relative",
        "grandfather grandpa granddad uncle nephew grandson",
        "grandmother grandma granny nan aunt auntie niece granddaughter",
        "cousin cousins grandparents family fam relatives in-laws grandkids grandchildren nephews nieces",
    ),
    ("has_friend", "", "", "friend friends bestie buddy pal roommate roommates flatmate housemate"),
    (
        "knows",
        "landlord",
        "landlady",
        "neighbour neighbor neighbours neighbors colleague colleagues coworker coworkers boss teammate teammates"
        " teacher mentor coach doctor therapist tutor manager team vet",
    ),
):
    for _nouns, _gender in ((_he, "he"), (_she, "she"), (_either, "")):
        KIN.update(dict.fromkeys(_nouns.split(), (_relation, _gender)))
PETS = wordset(
    "dog dogs puppy puppies pup pups cat cats kitten kittens kitty rabbit rabbits bunny hamster hamsters parrot turtle"
    " tortoise fish goldfish horse pony snake lizard gecko ferret bird budgie labrador retriever poodle beagle husky"
    " pet pets doggo shepherd guinea-pig chicken chickens"
)
PLURAL = wordset("children kids twins parents folks family fam team")
_NAME = re.compile(r"[^\W\d_]")
# Words that begin a sentence or stand in capitals and are nobody's name.
NO_NAMES = wordset(
    "i i'm hey hi hello wow oh yes yeah yep no nope thanks thank congrats congratulations cool great nice good awesome"
    " amazing well so and but or if when while since because the a an my your our his her their this that these those"
    " it it's what where who why how which there here he she they we you let's just also maybe glad sure ok okay sorry"
    " monday tuesday wednesday thursday friday saturday sunday january february march april may june july august"
    " september october november december christmas easter halloween thanksgiving god lol omg tv dr mr mrs ms pm am"
    " american english french german italian spanish japanese chinese british european african indian mexican latin"
    " polish swedish danish finnish irish scottish welsh turkish dutch russian ukrainian brazilian canadian australian"
    " austrian norwegian belgian hungarian romanian bulgarian croatian serbian korean vietnamese portuguese greek swiss"
    " thai iranian egyptian nigerian kenyan argentinian chilean colombian peruvian cuban asian arab arabic czech slovak"
    " jewish muslim catholic protestant buddhist hindu"
    " nobody somebody everybody everyone anyone something everything nothing whatever one two notice then for"
    " any some all both each every none never ever always not only mine yours ours theirs being having doing here's"
    " another other others such neither either many most more few much less even still yet too now today tonight"
    " tomorrow yesterday please apparently maybe perhaps possibly probably supposedly hopefully honestly obviously"
    " luckily sadly unfortunately fortunately clearly actually basically finally suddenly recently currently lately"
    " suppose imagine assume remember according regarding speaking since although though unless until despite during"
    " with without from into about after before at by in on of to as than like per via"
    " im ive id ill youre theyre hes shes its thats whats dont cant wont didnt might could would should must someone"
    " people ppl lgbtq lgbtq+ lgbt diy ai it pc usa us uk eu"
)


_AT_PLACES = wordset("in from at near on of visit visited visiting")
_GOING = wordset(
    "go went gone going move moved moving travel travelled traveled fly flew trip been back drive drove come"
)


@dataclass(slots=True)
class Cast:
    """Those who take part or are named in a session, and what they are called by."""

    people: tuple[str, ...]
    aliases: dict[str, str] = field(default_factory=dict)  # a word in lower case to a participant's name
    kin: dict[str, str] = field(default_factory=dict)  # "mira's sister" to a name
    pets: dict[str, str] = field(default_factory=dict)  # a pet's name in lower case to its name
    named: dict[str, str] = field(default_factory=dict)  # others: a name in lower case to the name
    places: set[str] = field(default_factory=set)  # names that stand after "in", "to" or "from"
    gender: dict[str, str] = field(default_factory=dict)  # a name to "he" or "she", where a noun told

    def resolve(self, word: str) -> str | None:
        """The full name for a word that means a participant, somebody named, or a pet."""
        lower = word.lower()
        return self.aliases.get(lower) or self.named.get(lower) or self.pets.get(lower)

    def kin_of(self, owner: str, noun: str) -> str:
        """What somebody's sister is called: her name where it was said, else whose sister she is."""
        return self.kin.get(f"{owner}'s {noun}".lower()) or f"{owner}'s {noun}"


def cast_of(people: Iterable[str], turns: Sequence[Turn]) -> Cast:
    """The participants with the short forms of their names that fit one of them only."""
    names = tuple(dict.fromkeys(name for name in [*people, *(turn.speaker for turn in turns)] if name.strip()))
    cast = Cast(names)
    for name in names:
        for word in (name, *name.split()):
            cast.aliases.setdefault(word.lower(), name)
    first = [name.split()[0].lower() for name in names]
    for turn in turns:
        for word in set(re.findall(r"\b[A-Z][a-z]{2,}\b", turn.text[:20_000])):
            lower = word.lower()
            if lower in cast.aliases or lower in NO_NAMES or len(lower) < SHORTEST_ALIAS:
                continue
            fits = [name for name, start in zip(names, first, strict=True) if start.startswith(lower)]
            if len(fits) == 1 and len(lower) < len(fits[0]):
                cast.aliases[lower] = fits[0]
    return cast


def is_name(word: str) -> bool:
    """Whether a word is written like a name."""
    return word[:1].isupper() and word.lower() not in NO_NAMES and bool(_NAME.match(word))


def addressee(turns: Sequence[Turn], i: int, cast: Cast) -> str:
    """Whom "you" means in a turn: the other of two; of more, the one who is named or whom it answers."""
    speaker = turns[i].speaker
    others = [name for name in cast.people if name != speaker]
    if len(others) == 1:
        return others[0]
    named = {cast.aliases[word] for word in _called(turns[i].text) if word in cast.aliases} - {speaker}
    if len(named) == 1:
        return named.pop()
    if not named and i > 0 and turns[i - 1].speaker != speaker:
        before = turns[i - 1]
        words = {cast.aliases.get(word) for word in re.findall(r"\w+", before.text[:2_000].lower())}
        if "?" in before.text[:20_000] or speaker in words:
            return before.speaker or UNKNOWN
    return UNKNOWN


_CALL = re.compile(
    r"(?:^|[,.!?]\s*|\b(?:hey|hi|hello|thanks|wow|congrats)\s+)@?([^\W\d_]+)\s*(?=[,.!?:]|$)", re.IGNORECASE
)


def _called(text: str) -> set[str]:
    """Words that stand where somebody is spoken to: "Mira, ...", "thanks, Mira!"."""
    return {match[1].lower() for match in _CALL.finditer(text[:2_000])}


def learn_names(words: TextWords, cast: Cast) -> None:
    """Names that are written as such within a sentence; at its beginning every word has a capital."""
    for sentence in split_words(words):
        i = sentence.first + 1
        while i < sentence.last:
            end = i
            while (
                end < sentence.last and end - i < LONGEST_NAME and is_name(words.as_is[end]) and end not in words.quoted
            ):
                end += 1
            low = words.low[i]
            if (
                end > i
                and len(low) > 2
                and low not in FORMS
                and words.low[i - 1] not in (":", "-", "the")
                and low not in cast.aliases
            ):
                name = words.slice(i, end)
                for key in (name.lower(), *(words.low[i:end] if name[1:].replace(" ", "").isalpha() else (low,))):
                    cast.named.setdefault(key, name)
                before = words.low[i - 1]
                beside = before in ("and", "or", ",") and i > 1 and words.low[i - 2] in cast.places
                going = before == "to" and words.low[i - 2] in _GOING
                if going or beside or before in _AT_PLACES:
                    cast.places.update(words.low[i:end])
            i = max(end, i + 1)
