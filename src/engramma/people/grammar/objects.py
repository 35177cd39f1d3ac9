"""What stands in an object: relatives and pets with their names, a workplace, what a job was left for."""

from __future__ import annotations

from collections.abc import Iterator

from engramma.people.claims.names import KIN, PETS, is_name
from engramma.people.grammar.acts import RelationReading
from engramma.people.grammar.clauses import Clause
from engramma.people.grammar.nouns import is_founded
from engramma.people.grammar.subjects import SpeakerScene, apposed, ends_noun
from engramma.people.grammar.values import EMPTY, nouns_end, skip_determiners, split_list
from engramma.people.grammar.words import TextWords


def kin_or_pet(
    words: TextWords, begin: int, stop: int, clause: Clause, scene: SpeakerScene, relation: str
) -> list[RelationReading]:  # fmt: skip
    """Relatives and pets in a noun phrase, with their names: "two sons", "a cat called Okra"."""
    low, found = words.low, []
    end = clause.end
    for first, last in split_list(words, begin, stop):
        noun_at = next((k for k in range(first, last) if low[k] in KIN or low[k] in PETS), -1)
        if noun_at < 0 or (noun_at + 1 < last and low[noun_at + 1] not in ("called", "named", "of", "who", ",")
                           and not is_name(words.as_is[noun_at + 1])):  # fmt: skip
            continue
        noun = low[noun_at]
        if not ends_noun(words, noun_at + 1):
            continue
        at = noun_at + 1
        while at < min(end, noun_at + 3) and low[at] in ("called", "named", "is", ","):
            at += 1
        name, _ = apposed(words, at, end)
        if noun in PETS:
            found.append(RelationReading("has_pet", name or words.slice(first, noun_at + 1), "pet"))
            if name:
                scene.cast.pets[name.lower()] = name
                found.append(RelationReading("is_a", noun, "thing", name, "pet"))
        elif relation == "has":
            found.append(RelationReading(KIN[noun][0], name or words.slice(first, noun_at + 1), "person"))
            if name:
                scene.cast.named[name.lower()] = name
                scene.cast.gender[name] = KIN[noun][1]
    return found


def read_workplace(words: TextWords, clause: Clause, stop: int, cuts: frozenset[int]) -> Iterator[RelationReading]:
    """Where somebody works who works as something: "a software engineer at TechCorp"."""
    low = words.low
    if stop < clause.end and low[stop] in ("at", "for", "with", "as"):
        relation = "works_as" if low[stop] == "as" else "works_at"
        begin = skip_determiners(words, stop + 1, clause.end)
        end = nouns_end(words, begin, clause.end, cuts)
        if end > begin and low[stop + 1] not in ("my", "our") and low[begin] not in EMPTY:
            if relation == "works_as" or words.as_is[begin][:1].isupper() or low[stop + 1] in ("a", "an", "the"):
                yield RelationReading(relation, words.slice(begin, end))
            yield from read_workplace(words, clause, end, cuts)


def purpose(words: TextWords, clause: Clause) -> Iterator[RelationReading]:
    """What somebody left a job for: "to start a startup"."""
    low = words.low
    for at in range(clause.rest, clause.end - 1):
        if low[at] == "to" and low[at + 1] in ("start", "found", "launch", "open", "run"):
            begin = skip_determiners(words, at + 2, clause.end)
            end = nouns_end(words, begin, clause.end)
            if end > begin and is_founded(low[end - 1], low[begin - 1]):
                yield RelationReading("founded", words.slice(begin, end), "organisation")
                yield RelationReading("works_as", "founder", "role", weight=0.8)
            return
