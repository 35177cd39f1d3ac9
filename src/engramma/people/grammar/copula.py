"""What "be" says: a job, an age, an origin, a taste, a state of mind, a kind of thing."""

from __future__ import annotations

from collections.abc import Iterator

from engramma.people.claims.names import PETS
from engramma.people.grammar.auxiliaries import ADVERBS
from engramma.people.grammar.clauses import Clause
from engramma.people.grammar.nouns import CAREER, COURTESY, FEELINGS, STUDENTS, is_job
from engramma.people.grammar.sets import wordset
from engramma.people.grammar.subjects import SpeakerScene
from engramma.people.grammar.values import EMPTY, nouns_end, skip_determiners, split_list, whole_end
from engramma.people.grammar.verbs import FORMS
from engramma.people.grammar.words import TextWords

Found = tuple[str, str, str]
"""A relation, its value, and the value's type ("" for the relation's own)."""

# Adjective and preposition: relation.
_WITH = {
    ("keen", "on"): "likes", ("interested", "in"): "likes", ("passionate", "about"): "likes", ("fond", "of"): "likes",
    ("obsessed", "with"): "likes", ("crazy", "about"): "likes", ("big", "on"): "likes", ("fan", "of"): "likes",
    ("allergic", "to"): "allergic_to", ("good", "at"): "good_at", ("great", "at"): "good_at", ("married", "to"):
    "married_to", ("engaged", "to"): "engaged_to", ("born", "in"): "born_in", ("related", "to"): "related_to",
    ("tired", "of"): "dislikes", ("sick", "of"): "dislikes", ("afraid", "of"): "dislikes", ("scared", "of"): "dislikes",
    ("born", "on"): "birthday", ("linked", "to"): "related_to", ("dependent", "on"): "depends_on",
    ("dating", ""): "dating",
}  # fmt: skip
_STATUS = wordset("married single divorced engaged widowed separated")
_DIETS = wordset("vegan vegetarian pescatarian diabetic")
# States that one is in, not kinds of people; after "in" and "on" with the noun that they are about.
_STATES = wordset(
    "pregnant lactose-intolerant left-handed right-handed retired unemployed homeless bedridden deaf blind sober"
    " vaccinated dead asleep overseas"
)
_STATES_OF = {
    "in": wordset("hospital prison jail quarantine rehab labour labor love"),
    "on": wordset("leave vacation holiday holidays strike probation call"),
}
_NUMBERED = wordset("number no nr room flat house row seat gate table platform")
_YOUNGEST = 10  # who writes of himself
_SPANS = wordset("week day night month fortnight weekend")  # "homeless a week"
# Heads of clubs and teams as well as of firms: "I am the captain" is said of the darts.
_OF_CLUBS = wordset("captain leader lead president player driver judge champion")
# How well somebody does it, who need not live on it: "a great cook".
_EVALUATING = wordset("great good bad terrible amazing excellent awful best decent lousy wonderful fantastic slow fast")
_NO_MORE = wordset("retired former ex ex- one-time aspiring would-be future")  # a retired teacher does not teach
_AGES = wordset("kid child teenager teen baby boy girl toddler")  # "when I was a kid": nobody is one for good
_NO_KINDS = wordset("way moment day part idea reminder time mix bummer shame pity mess support pleasure")
_MEASURES = wordset("bit little lot big huge great good")


def copula(words: TextWords, clause: Clause, scene: SpeakerScene, cuts: frozenset[int]) -> Iterator[Found]:
    """What a clause with "be" says of its subject."""
    low, at, end = words.low, clause.rest, clause.end
    while at < end and low[at] in ADVERBS:
        at += 1
    if at >= end:
        return
    for skip in range(3):
        here = at + skip
        pair = (low[here], low[here + 1] if here + 1 < end else "") if here < end else ("", "")
        relation = _WITH.get(pair)
        if relation and not (skip and low[at] not in ("a", "an", "the", *_MEASURES, "really")):
            yield from _with(words, clause, scene, relation, here + 2, cuts)
            return
    word = low[at]
    if word == "to" and low[clause.group.verb] == "been":
        yield from _with(words, clause, scene, "visited", at + 1, cuts)
    elif word in ("from", "into"):
        yield from _with(words, clause, scene, "from" if word == "from" else "likes", at + 1, cuts)
    elif word[:1].isdigit() and clause.subject.type != "thing":
        alone = at + 1 >= end or low[at + 1] in ("years", "now", ",")
        if alone and word.isascii() and word.isdigit() and 0 < int(word[:4]) < 120 and _is_age(words, clause, at):
            yield "age", word, "text"
    elif word in _STATUS:
        yield "relationship_status", word, "text"
    elif word in _DIETS:
        yield "is_a", word, "text"
    elif (state := _state_end(words, at, end)) > at:
        if low[state : state + 1] in (("a",), ("one",), ("this",)) and not _SPANS.isdisjoint(
            low[state + 1 : state + 3]
        ):
            return
        yield "is", words.slice(at, state), "text"
    elif word in FEELINGS:
        if clause.subject.how not in ("addressee", "unknown") and not _is_courtesy(words, at, end):
            yield "feels", words.slice(at, whole_end(words, at, end, cuts)), "text"
    elif word in ("a", "an", "the", "my", "one") or (
        is_job(low[nouns_end(words, at, end, cuts) - 1]) and not _is_participle(word)
    ):
        yield from _kind(words, clause, at, cuts)


def _state_end(words: TextWords, at: int, end: int) -> int:
    """Where a state ends that begins at a word: "pregnant", "in hospital", "on parental leave"; the word if none."""
    low = words.low
    if low[at] in _STATES:
        return at + 1
    nouns = _STATES_OF.get(low[at], frozenset())
    return next((k + 1 for k in range(at + 1, min(at + 4, end)) if low[k] in nouns), at) if nouns else at


def _is_age(words: TextWords, clause: Clause, at: int) -> bool:
    """Whether a bare number is an age: who lives "at number 9. im 7" is not seven, and who is seven does not chat."""
    low = words.low
    if low[at + 1 : at + 2] == ("years",):
        return True
    numbered = any(low[k] in _NUMBERED and low[k + 1][:1].isdigit() for k in range(max(0, at - 15), at))
    return not numbered and (clause.subject.how != "self" or int(low[at]) >= _YOUNGEST)


def _is_participle(word: str) -> bool:
    """Whether something was done to whom it is said of: who "was offered senior engineer" is none yet."""
    form = FORMS.get(word)
    return word.endswith("ed") or (form is not None and "part" in form.kinds)


def _kind(words: TextWords, clause: Clause, at: int, cuts: frozenset[int]) -> Iterator[Found]:
    """A software engineer at TechCorp, a mother of two, a dog person."""
    low, end = words.low, clause.end
    definite = low[at] in ("the", "my")
    begin = skip_determiners(words, at, end)
    stop = nouns_end(words, begin, end, cuts)
    if stop <= begin or low[begin] in ("one", "same", "best", "only", "first"):
        return
    head = next((k for k in range(begin, stop) if low[k] == "of"), stop) - 1
    if is_job(low[head]) and clause.modality in ("plan", "wish"):
        yield "aspires_to", words.slice(begin, head + 1), "role"
    elif low[head] in STUDENTS:
        yield "is_a", words.slice(begin, head + 1), "role"
        if low[stop : stop + 1] == ("at",) and stop + 1 < end and words.as_is[stop + 1][:1].isupper():
            yield "studies_at", words.slice(stop + 1, nouns_end(words, stop + 1, end, cuts)), "organisation"
    elif is_job(low[head]) and (
        not _NO_MORE.isdisjoint(low[begin:head])
        or low[begin] in _EVALUATING
        or (low[at] == "the" and low[head] in _OF_CLUBS and low[stop : stop + 1] not in (("at",), ("for",)))
    ):
        yield "is_a", words.slice(begin, head + 1), "role"
    elif is_job(low[head]):
        yield "works_as", words.slice(begin, head + 1), "role"
        if stop < end and low[stop] in ("at", "for") and low[stop + 1 : stop + 2] not in (("my",), ("our",), ("a",)):
            place = skip_determiners(words, stop + 1, end)
            place_end = nouns_end(words, place, end, cuts)
            if place_end > place and words.as_is[place][:1].isupper():
                yield "works_at", words.slice(place, place_end), "organisation"
    elif (
        not definite
        and low[head] not in EMPTY | _NO_KINDS
        and not (clause.group.past and low[head] in _AGES)
        and low[begin] not in _MEASURES
        and not (low[head] in PETS and clause.subject.type == "person")  # "I was a chicken"
        and clause.subject.how in ("self", "named", "pronoun")
    ):
        yield "is_a", words.slice(begin, stop), "role"


def _with(
    words: TextWords, clause: Clause, scene: SpeakerScene, relation: str, at: int, cuts: frozenset[int]
) -> Iterator[Found]:
    """An adjective with its preposition and what it is about, each part of a list alone."""
    low, end = words.low, clause.end
    begin = skip_determiners(words, at, end)
    if begin >= end:
        return
    if relation == "born_in" and (low[begin][:1].isdigit() or at - 1 in cuts):  # "in 1951 in Krakow": when, then where
        day_end = nouns_end(words, begin, end)
        yield "birthday", words.slice(begin, day_end), ""
        if low[day_end : day_end + 1] != ("in",) or day_end + 1 >= end:
            return
        begin = skip_determiners(words, day_end + 1, end)
    career = relation == "likes" and (
        scene.asked_about_work
        or any(word in CAREER for word in low[begin:end])
        or any(low[k] == "working" for k in range(begin, end))
    )
    if career:
        relation = "aspires_to"
    is_doing = low[begin].endswith("ing")
    stop = (whole_end if is_doing or career else nouns_end)(words, begin, end, () if relation == "birthday" else cuts)
    if stop <= begin or (stop - begin == 1 and low[begin] in EMPTY) or low[begin] in ("you", "your", "it"):
        return
    parts = split_list(words, begin, stop) if relation in ("likes", "aspires_to", "allergic_to") else [(begin, stop)]
    for first, last in parts:
        if last > first:
            yield relation, words.slice(first, last), "role" if relation == "aspires_to" else ""


def _is_courtesy(words: TextWords, at: int, end: int) -> bool:
    """Whether a feeling is only the answer to what somebody else said: happy for you, sorry to hear that."""
    following = words.low[at + 1 : min(end, at + 4)]
    return any(word in ("you", "your", "hear", "that") for word in following) or bool(
        following and following[0] in COURTESY and len(following) > 1 and following[1] in COURTESY
    )
