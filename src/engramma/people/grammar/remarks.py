"""Remarks that tell something beside their clause: congratulations, relatives and pets by name, favourites."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from engramma.people.claims.names import KIN, PETS
from engramma.people.grammar.acts import RelationReading
from engramma.people.grammar.auxiliaries import NOT
from engramma.people.grammar.clauses import Clause, verbless
from engramma.people.grammar.introductions import apposed_person, one_of_theirs, person_called
from engramma.people.grammar.sets import wordset
from engramma.people.grammar.subjects import How, SpeakerScene, Subject, apposed, ends_noun
from engramma.people.grammar.values import EMPTY, PREPOSITIONS, clause_end, nouns_end, skip_determiners, whole_end
from engramma.people.grammar.verbs import BE, FORMS
from engramma.people.grammar.words import TextWords, WordRun
from engramma.records.people import UNKNOWN

from ..grammar.nouns import is_job

_CONGRATULATING = wordset("congrats congratulations kudos")
_FAVOURITE = wordset("favourite favorite fav fave")
_EVERYBODYS = wordset("family fam folks relatives")  # who has none?
_AIMS = wordset("dream goal plan ambition hope wish aim intention")
_OWNERS = wordset("my our your")
_ADDRESSES = wordset("girl boy baby child girls boys")
_DEAR = wordset("darling dear sweet lovely good big clever poor precious")
_DISHES = wordset("fish chicken chickens rabbit")
_COOKING = wordset("make cook bake roast eat fry grill serve order taste season")
_POINTING = wordset("that this those these it he she they")


def read_remarks(
    words: TextWords, sentence: WordRun, scene: SpeakerScene
) -> Iterator[tuple[Clause, list[RelationReading]]]:
    """What a sentence says of somebody without making it a clause of its own."""
    low = words.low
    if scene.is_assistant:
        return
    for i in range(sentence.first, sentence.last):
        word = low[i]
        if (
            low[i + 1 : i + 2]
            and low[i + 1] in _AIMS
            and low[i + 2 : i + 4] in (("is", "to"), ("'s", "to"), ("was", "to"))
        ):
            yield from _aimed(words, i, sentence, scene)
        elif word in _OWNERS and i + 1 < sentence.last:
            yield from _owned(words, i, sentence, scene)
        elif word == "call" and low[i + 1 : i + 2] == ("me",) and apposed(words, i + 2, sentence.last)[0]:
            name, end = apposed(words, i + 2, sentence.last)
            speaker = Subject(scene.speaker, "person", "self", i, i)
            yield verbless(words, speaker, i, end, sentence), [RelationReading("is_called", name)]
        elif word in _CONGRATULATING:
            yield from _congratulated(words, i, sentence, scene)
        elif word in PETS and i + 2 < sentence.last and low[i + 1] in ("called", "named"):
            yield from _pet_called(words, i, sentence, scene)
        elif word in ("called", "named"):
            yield from person_called(words, i, sentence, scene)
        elif word in KIN and low[i + 1 : i + 2] == ("of",):
            yield from one_of_theirs(words, i, sentence, scene)
        else:
            yield from apposed_person(words, i, sentence, scene)


def _whose(scene: SpeakerScene, word: str, i: int) -> Subject | None:
    name = scene.owner(word, i)
    if name == UNKNOWN:
        return None
    how: How = "self" if name == scene.speaker else "addressee"
    return Subject(name, "person", how, i, i + 1)


def _owned(
    words: TextWords, i: int, sentence: WordRun, scene: SpeakerScene
) -> Iterator[tuple[Clause, list[RelationReading]]]:
    """My sister Ines, my dog Max, my favourite book is ..., my birthday is on ..., my name is ..."""
    low, last = words.low, sentence.last
    subject = _whose(scene, low[i], i)
    if subject is None or i in words.quoted:
        return
    at = i + 1
    while at < last and at - i < 4 and low[at] not in KIN and low[at] not in PETS and low[at].isalpha():
        if low[at] in _FAVOURITE:
            yield from _favourite(words, i, at, sentence, subject)
            return
        at += 1
    if low[i + 1] in ("name", "birthday", "job", "hometown", "major"):
        yield from _fixed(words, i, sentence, subject)
        return
    if at >= last or not (low[at] in KIN or low[at] in PETS) or (at + 1 < last and low[at + 1] in FORMS and at - i > 3):
        return
    noun = low[at]
    if not ends_noun(words, at + 1):
        return
    if any((word in FORMS and FORMS[word].kinds & {"base", "s"}) or word in PREPOSITIONS for word in low[i + 1 : at]):
        return  # "my works niece", "your experiences with pets"
    if noun in _ADDRESSES and (low[at - 1] in _DEAR or low[i - 1 : i] in (("oh",), ("aw",))):
        return  # "oh my darling girl"
    cooks = i > sentence.first and low[i - 1] in FORMS and FORMS[low[i - 1]].lemma in _COOKING
    if noun in _DISHES and cooks:
        return  # "making my fish in tinfoil"
    skipped = 3 if low[at + 1 : at + 4] == ("'s", "name", "is") else 0
    if low[at + 1 : at + 2] in (("is",), ("'s",)) and low[at + 2 : at + 3] in (("called",), ("named",)):
        skipped = 2  # "My cat is called Luna"
    if not skipped and low[at + 1 : at + 2] in (("is",), ("'s",)) and sentence.mark != "?":
        skipped = _names_only(words, at + 2, last)  # "My boss is Sofia"
    name, end = apposed(words, at + 1 + skipped, last)
    if skipped and not name:
        end = at + 1
    if end > at + 1 and low[end - 1] == ",":
        end -= 1
    relation = "has_pet" if noun in PETS else KIN[noun][0]
    if (relation == "knows" or noun in _EVERYBODYS) and not name:
        return
    if name:
        scene.cast.kin[f"{subject.name}'s {noun}".lower()] = name
        if noun in PETS:
            scene.cast.pets[name.lower()] = name
        else:
            scene.cast.named[name.lower()] = name
            scene.cast.gender[name] = KIN[noun][1]
    clause = verbless(words, subject, i, max(end, at + 1), sentence)
    pointing = low[i - 1] in _POINTING and low[i - 2] in BE if i - 2 >= sentence.first else False
    if sentence.mark == "?" and pointing:  # "Is that your son?"
        clause = replace(clause, modality="question")
    found = [RelationReading(relation, name or words.slice(i + 1, at + 1), "pet" if noun in PETS else "person")]
    if name and noun in PETS:
        found.append(RelationReading("is_a", noun, "thing", name, "pet"))
    yield clause, found


def _names_only(words: TextWords, i: int, last: int) -> int:
    """1 if a name stands here and nothing that it would belong to: "Sofia, she ...", not "Swiss by birth"; else 0."""
    name, end = apposed(words, i, last)
    return int(bool(name) and (end >= last or words.low[end] in (",", "and", "but", "-", "(", "who")))


def _aimed(
    words: TextWords, i: int, sentence: WordRun, scene: SpeakerScene
) -> Iterator[tuple[Clause, list[RelationReading]]]:
    """My dream is to become a pilot, the plan is to move in May."""
    low, last, begin = words.low, sentence.last, i + 4
    subject = _whose(scene, "my" if low[i] == "the" else low[i], i) if low[i] in ("my", "our", "your", "the") else None
    if subject is None or begin >= last or sentence.mark == "?":
        return
    end = clause_end(words, begin + 1, last)
    stop = whole_end(words, begin, end)
    career = low[begin] in ("become", "work") or is_job(low[stop - 1])
    plans = low[i + 1] in ("plan", "goal", "aim", "intention")
    clause = replace(
        verbless(words, subject, i, end, sentence), modality="plan" if plans else "wish", rest=begin, timeless=False
    )
    yield clause, [RelationReading("aspires_to" if career else "plans" if plans else "wants", words.slice(begin, stop))]


def _favourite(
    words: TextWords, i: int, at: int, sentence: WordRun, subject: Subject
) -> Iterator[tuple[Clause, list[RelationReading]]]:
    """My favourite book is The Peregrine: of what, and which."""
    low, last = words.low, sentence.last
    verb = next((k for k in range(at + 1, min(at + 6, last)) if low[k] in ("is", "'s", "are", "was", "were")), -1)
    if verb <= at + 1 or sentence.mark == "?":
        return
    begin = skip_determiners(words, verb + 1, last)
    end = clause_end(words, begin, last)
    stop = nouns_end(words, begin, end) if begin < end else begin
    if stop <= begin or (stop - begin == 1 and low[begin] in EMPTY):
        return
    clause = replace(verbless(words, subject, i, stop, sentence), before=at)
    yield clause, [RelationReading("favourite", words.slice(begin, stop), words.slice(at + 1, verb))]


def _fixed(
    words: TextWords, i: int, sentence: WordRun, subject: Subject
) -> Iterator[tuple[Clause, list[RelationReading]]]:
    low, last, noun = words.low, sentence.last, words.low[i + 1]
    if i + 3 >= last or low[i + 2] not in ("is", "'s", "was") or sentence.mark == "?":
        return
    relation = {"name": "is_called", "birthday": "birthday", "job": "works_as", "hometown": "from", "major": "studies"}[
        noun
    ]
    denied = low[i + 3] in NOT
    at = i + 3 + denied
    if at >= last:
        return
    begin = skip_determiners(words, at + (low[at] in ("on", "in")), last)
    end = clause_end(words, begin, last)
    stop = (whole_end if relation == "birthday" else nouns_end)(words, begin, end) if begin < end else begin
    if relation == "works_as" and not is_job(low[stop - 1]) and (begin > at or stop - begin < 2):
        return  # "my job is hard", "my job was a real pain", but "my job is customer support"
    if stop > begin and low[begin] not in EMPTY and not (relation == "works_as" and low[begin] in FORMS):
        clause = verbless(words, subject, i, stop, sentence)
        clause = replace(clause, group=replace(clause.group, negated=denied))
        yield clause, [RelationReading(relation, words.slice(begin, stop))]


def _congratulated(
    words: TextWords, i: int, sentence: WordRun, scene: SpeakerScene
) -> Iterator[tuple[Clause, list[RelationReading]]]:
    """Congrats on your new job, congrats on winning the race: it is theirs, and hearsay."""
    low, last = words.low, sentence.last
    at = next((k for k in range(i + 1, min(i + 5, last)) if low[k] in ("on", "for")), -1)
    if at < 0 or at + 1 >= last or scene.addressee == UNKNOWN:
        return
    subject = Subject(scene.addressee, "person", "addressee", i, i + 1)
    begin = at + 1
    while begin < last and low[begin] in ("your", "the", "a", "all"):
        begin += 1
    end = clause_end(words, begin, last)
    form = FORMS.get(low[begin]) if begin < end else None
    doing = form is not None and "ing" in form.kinds
    stop = whole_end(words, begin, end) if doing else nouns_end(words, begin, end) if begin < end else begin
    if stop <= begin or (stop - begin == 1 and low[begin] in EMPTY) or low[begin] in ("how", "what", "that", "it"):
        return
    clause = replace(verbless(words, subject, i, stop, sentence), hedged=True)
    yield clause, [RelationReading("did" if doing else "has", words.slice(begin, stop), "text" if doing else "thing")]


def _pet_called(
    words: TextWords, i: int, sentence: WordRun, scene: SpeakerScene
) -> Iterator[tuple[Clause, list[RelationReading]]]:
    """A cat called Okra: whose it is the clause around it tells; here only what she is."""
    name, end = apposed(words, i + 2, sentence.last)
    if not name:
        return
    scene.cast.pets[name.lower()] = name
    subject = Subject(name, "pet", "named", i, i + 1)
    yield verbless(words, subject, i, end, sentence), [RelationReading("is_a", words.low[i], "thing")]
    begin = next(
        (k for k in range(i, max(i - 6, sentence.first), -1) if words.low[k - 1] in ("my", "our", "a", "an")), -1
    )
    mine = words.low[sentence.first : i]
    if begin > 0 and any(word in ("i", "my", "we", "our") for word in mine):
        owner = Subject(scene.speaker, "person", "self", begin, begin)
        yield verbless(words, owner, begin, end, sentence), [RelationReading("has_pet", name, "pet", weight=0.9)]
