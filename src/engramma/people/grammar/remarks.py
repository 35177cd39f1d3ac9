"""Remarks that tell something beside their clause: congratulations, relatives and pets by name, favourites."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from engramma.people.claims.names import KIN, LONGEST_NAME, PETS, is_name
from engramma.people.grammar.acts import RelationReading
from engramma.people.grammar.auxiliaries import NOT
from engramma.people.grammar.clauses import Clause
from engramma.people.grammar.nouns import is_job
from engramma.people.grammar.sets import wordset
from engramma.people.grammar.subjects import How, SpeakerScene, Subject, apposed, ends_noun
from engramma.people.grammar.values import EMPTY, clause_end, nouns_end, skip_determiners, whole_end
from engramma.people.grammar.verb_groups import VerbGroup
from engramma.people.grammar.verbs import BE, FORMS
from engramma.people.grammar.words import TextWords, WordRun
from engramma.records.people import UNKNOWN

_CONGRATULATING = wordset("congrats congratulations kudos")
_FAVOURITE = wordset("favourite favorite fav fave")
_ASKS = wordset("what which who how do does did is are have has")
_EVERYBODYS = wordset("family fam folks relatives")  # who has none?
_AIMS = wordset("dream goal plan ambition hope wish aim intention")
_OWNERS = wordset("my our your")
_ARTICLES = wordset("a an another some this one")
# Nouns for anybody, and whether "he" or "she" may mean them.
_PEOPLE = {
    **dict.fromkeys(("man", "guy", "bloke", "chap", "gentleman", "boy"), "he"),
    **dict.fromkeys(("woman", "lady", "girl"), "she"),
    **dict.fromkeys(("person", "stranger", "physio", "physiotherapist", "warden", "client", "customer"), ""),
}
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
            yield _bare(words, speaker, i, end, sentence), [RelationReading("is_called", name)]
        elif word in _CONGRATULATING:
            yield from _congratulated(words, i, sentence, scene)
        elif word in PETS and i + 2 < sentence.last and low[i + 1] in ("called", "named"):
            yield from _pet_called(words, i, sentence, scene)
        elif word in ("called", "named"):
            yield from _person_called(words, i, sentence, scene)
        elif word in KIN and low[i + 1 : i + 2] == ("of",):
            yield from _one_of_theirs(words, i, sentence, scene)


def _bare(words: TextWords, subject: Subject, first: int, last: int, sentence: WordRun) -> Clause:
    """A clause without a verb, for what is said in passing."""
    group = VerbGroup("have", first, last, "base", False, "fact", False, False, False, False, False, ())
    asked = sentence.mark == "?" and words.low[sentence.first] in _ASKS and first == sentence.first
    return Clause(subject, group, first, last, last, sentence.last, "question" if asked else "fact", timeless=True)


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
    if any(word in FORMS and "base" in FORMS[word].kinds for word in low[i + 1 : at]):
        return
    skipped = 3 if low[at + 1 : at + 4] == ("'s", "name", "is") else 0
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
    clause = _bare(words, subject, i, max(end, at + 1), sentence)
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
        _bare(words, subject, i, end, sentence), modality="plan" if plans else "wish", rest=begin, timeless=False
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
    clause = replace(_bare(words, subject, i, stop, sentence), before=at)
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
    if stop > begin and low[begin] not in EMPTY and not (relation == "works_as" and low[begin] in FORMS):
        clause = _bare(words, subject, i, stop, sentence)
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
    clause = replace(_bare(words, subject, i, stop, sentence), hedged=True)
    yield clause, [RelationReading("did" if doing else "has", words.slice(begin, stop), "text" if doing else "thing")]


def _person_called(
    words: TextWords, i: int, sentence: WordRun, scene: SpeakerScene
) -> Iterator[tuple[Clause, list[RelationReading]]]:
    """A man named Duncan Ashworth, a man from Olten called Krasniqi, my physio is called Bettina Kunz."""
    low, at = words.low, i - 1
    is_said = at > sentence.first and low[at] in ("is", "'s", "was")
    at -= is_said
    if at - 2 >= sentence.first and low[at - 1] == "from" and is_name(words.as_is[at]):
        at -= 2
    if at <= sentence.first or not _is_person_noun(low[at]):
        return
    if not is_said and low[i] == "called" and _ARTICLES.isdisjoint(low[max(sentence.first, at - 2) : at]):
        return  # "my boss called Peter"
    name, end = apposed(words, i + 1, sentence.last)
    if name and low[i + 1] != "," and low[end : end + 1] != ("&",):  # Smith & Sons is no plumber's name
        yield from _introduced(words, at, name, end, sentence, scene)


def _one_of_theirs(
    words: TextWords, i: int, sentence: WordRun, scene: SpeakerScene
) -> Iterator[tuple[Clause, list[RelationReading]]]:
    """A colleague of Joost's, Ilse Maurer: a whole name, so that no list of names is taken for one."""
    low, at = words.low, i + 2
    while at < sentence.last and is_name(words.as_is[at]):
        at += 1
    at += low[at : at + 1] == ("'s",)
    is_owned = at > i + 2 or low[at : at + 1] in (("mine",), ("ours",))
    at += at == i + 2
    if not is_owned or low[at : at + 1] != (",",) or not _is_person_noun(low[i]):
        return
    end = at + 1
    while end < sentence.last and is_name(words.as_is[end]):
        end += 1
    is_closed = end == sentence.last or low[end] in (",", ".", "!", ";", ")")
    if is_closed and 2 <= end - at - 1 <= LONGEST_NAME:
        yield from _introduced(words, i, words.slice(at + 1, end), end, sentence, scene)


def _introduced(
    words: TextWords, at: int, name: str, end: int, sentence: WordRun, scene: SpeakerScene
) -> Iterator[tuple[Clause, list[RelationReading]]]:
    """Somebody whom a noun introduces by name: what the noun says is what is known."""
    noun = words.low[at]
    scene.cast.named.setdefault(name.lower(), name)
    scene.cast.gender.setdefault(name, _PEOPLE.get(noun, KIN[noun][1] if noun in KIN else ""))
    subject = Subject(name, "person", "named", at, at + 1)
    yield _bare(words, subject, at, end, sentence), [RelationReading("is_a", noun, "role")]


def _is_person_noun(noun: str) -> bool:
    """Whether a noun is somebody: a man, a plumber, a colleague; relatives are told by whose they are."""
    return noun in _PEOPLE or is_job(noun) or (noun in KIN and KIN[noun][0] in ("has_friend", "knows"))


def _pet_called(
    words: TextWords, i: int, sentence: WordRun, scene: SpeakerScene
) -> Iterator[tuple[Clause, list[RelationReading]]]:
    """A cat called Okra: whose it is the clause around it tells; here only what she is."""
    name, end = apposed(words, i + 2, sentence.last)
    if not name:
        return
    scene.cast.pets[name.lower()] = name
    subject = Subject(name, "pet", "named", i, i + 1)
    yield _bare(words, subject, i, end, sentence), [RelationReading("is_a", words.low[i], "thing")]
    begin = next(
        (k for k in range(i, max(i - 6, sentence.first), -1) if words.low[k - 1] in ("my", "our", "a", "an")), -1
    )
    mine = words.low[sentence.first : i]
    if begin > 0 and any(word in ("i", "my", "we", "our") for word in mine):
        owner = Subject(scene.speaker, "person", "self", begin, begin)
        yield _bare(words, owner, begin, end, sentence), [RelationReading("has_pet", name, "pet", weight=0.9)]
