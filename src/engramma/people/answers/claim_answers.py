"""Answers from claims: what holds of somebody now, what held before, and all that there is of a kind.

Where a question asks for a relation outright, the claims of the person asked about are the better answer than a piece
of what was said: they know which value is the latest, and whose it is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from ...language.lexical import stems
from ...language.times import from_micros
from ...records.people import Claim, Evidence, Period
from ...store.store import Store
from ..claims.hydrate import Fact, read_claims, read_facts
from ..claims.names import KIN
from ..claims.relation_groups import GROUPS, role_text, slot_of
from ..claims.values import find_name_stems, is_kind, strip_owner
from ..entities.entities import entities_by_keys, keys_named
from ..questions.relation_questions import RelationQuestion
from ..reconcile.timeline import HOLDS, build_timeline, month
from ..reconcile.workspace import order

LATEST = 800  # claims of one person that are looked at
MOST_LISTED = 8
LEAST_SURE = 0.45  # of a claim: what somebody unknown is said to be or have answers nothing

# Nouns that mean the same kind, and nouns for any of them.
_ALIKE = tuple(
    frozenset(words.split())
    for words in (
        "dog dogs puppy puppies pup pups doggo",
        "cat cats kitten kittens kitty",
        "rabbit rabbits bunny",
        "daughter daughters girl",
        "son sons boy",
        "brother brothers bro",
        "sister sisters sis",
        "mother mom mum mama",
        "father dad papa",
        "grandmother grandma granny nan",
        "grandfather grandpa granddad",
    )
)
_ANY = frozenset("pet pets animal animals child children kid kids sibling siblings parent parents".split())  # noqa: SIM905
CUES = {
    "allergic_to": ("allergic", "allergy", "intolerant", "intolerance"),
    "birthday": ("birthday", "born"),
    "born_in": ("born", "birthplace"),
    "learns": ("learn", "lesson", "course", "class", "teaching"),
    "partner": (
        "married",
        "marry",
        "dating",
        "engaged",
        "wedding",
        *(n for n, k in KIN.items() if k[0] == "has_partner"),
    ),
    "speaks": ("speak", "language", "fluent"),
}
_WORDS = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
_NUMBER = re.compile(r"\b(?:\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ClaimAnswer:
    """What claims say to a question: the words of an answer, how sure they are, and where they were said.

    Without words it may still say whose it is instead (`owner`), that only what holds now is known (`only_now`), or
    of which words an answer has to have one (`cues`).
    """

    text: str = ""
    sure: float = 0.0
    evidence: tuple[Evidence, ...] = ()
    owner: str = ""
    only_now: str = ""
    cues: tuple[str, ...] = ()


def answer_from_claims(
    store: Store, asked: RelationQuestion, person: str | None, talk: str | None, near: Collection[tuple[str, str]]
) -> ClaimAnswer:
    """What the claims say; `talk` bounds where, `near` are the (conversation, turn) that recall found."""
    name = person if asked.who == "I" else asked.who
    keys = keys_named(store, name, ("person",))[:1] if name else []
    if keys and asked.tie:
        keys = [fact.value_key for fact in _facts(store, keys[0], (KIN[asked.tie][0],), talk) if _fits(fact, asked.tie)]
        keys = [key for key in keys if key][:1]
    if not keys:
        return ClaimAnswer()
    rows = entities_by_keys(store, keys)
    if not rows:
        return ClaimAnswer()
    facts = _facts(store, keys[0], asked.relations, talk)
    found = _of_a_timeline(facts, asked, rows[0].name) if asked.group else _of_many(facts, asked)
    if found.text:
        return ClaimAnswer(found.text, found.sure, _sources(store, found.claims))
    other = _owner(store, asked, near, {rows[0].name})
    if other is None:
        return ClaimAnswer(only_now=found.only_now, cues=_cues(asked))
    return ClaimAnswer(evidence=_sources(store, (other,)), owner=other.subject)


def _cues(asked: RelationQuestion) -> tuple[str, ...]:
    """Words of which one is said by whoever tells this: who was born somewhere says "born"."""
    if asked.tie:
        return ()
    if asked.relations == ("favourite",):
        return ("favourite", "favorite", asked.noun)
    if asked.noun:
        return () if asked.noun in _ANY else tuple(sorted(_alike(asked.noun)))
    return CUES.get(asked.slot or asked.relations[0], ())


@dataclass(frozen=True, slots=True)
class _Found:
    text: str = ""
    claims: tuple[Claim, ...] = ()
    sure: float = 0.0
    only_now: str = ""


def _facts(store: Store, key: int, relations: Sequence[str], talk: str | None) -> list[Fact]:
    """A person's facts of some relations, the oldest first: told, not denied nor planned, and sure enough."""
    given = {"person": key, "relations": json.dumps(list(relations)), "limit": LATEST}
    facts = read_facts(store, store.keys("claim_keys_by_relations", **given).tolist(), whole=False)
    told = [f for f in facts if f.modality in HOLDS and f.confidence >= LEAST_SURE]
    if talk is not None:
        own = (replace(f, claims=tuple(c for c in f.claims if c.conversation == talk)) for f in told)
        told = [fact for fact in own if fact.claims]
    return sorted(told, key=lambda fact: order(fact.claims[0]))


# --- what holds once at a time ---------------------------------------------------------------------


def _of_a_timeline(facts: Sequence[Fact], asked: RelationQuestion, name: str) -> _Found:
    """The value that holds and since when, or the one before it and until when."""
    group = GROUPS[asked.group]
    periods, _ = build_timeline((claim for fact in facts for claim in fact.claims), group, name)
    line = [one for one in periods if slot_of(one.claims[0], group) == asked.slot and _tells(one, asked.slot)]
    current = next((one for one in reversed(line) if one.until is None), None)
    if not asked.before:
        if current is None:
            return _Found()
        past = [one for one in line if one.since < current.since]
        return _told(current, f", since {month(current.since)}", past[-1:]) if past else _told(current, "")
    earlier = [one for one in line if one is not current and (current is None or one.since <= current.since)]
    if not earlier:
        return _Found(only_now="" if current is None else strip_owner(current.value))
    last = earlier[-1]
    return _told(last, "" if last.until is None else f", until {month(last.until)}")


def _told(period: Period, when: str, past: Sequence[Period] = ()) -> _Found:
    """A period's value in its fullest words, with the claims that say so, the latest first, then what was before."""
    claims = tuple(sorted(period.claims, key=order, reverse=True))
    text = max((role_text(claim) for claim in claims), key=lambda value: (len(find_name_stems(value)), len(value)))
    earlier = tuple(one.claims[-1] for one in past)
    return _Found(f"{strip_owner(text)}{when}", (*claims, *earlier), max(claim.confidence for claim in claims))


def _tells(period: Period, slot: str) -> bool:
    """Whether a period says which one: "my company" and "here" do not."""
    first = period.claims[0]
    return not is_kind(role_text(first)) and (slot == "role" or bool(find_name_stems(first.value, first.quote)))


# --- what there may be several of --------------------------------------------------------------------


def _of_many(facts: Sequence[Fact], asked: RelationQuestion) -> _Found:
    own = [fact for fact in facts if not fact.negated and _fits(fact, asked.noun)]
    if not own:
        return _Found()
    claims = tuple(claim for fact in own for claim in fact.claims)
    sure = max(fact.confidence for fact in own)
    if asked.counts:
        count = next((found[0] for claim in reversed(claims) if (found := _NUMBER.search(claim.quote))), "")
        return _Found(count, claims, sure)
    if asked.relations == ("favourite",):
        own = own[-1:]
    values = list(dict.fromkeys(strip_owner(fact.value) for fact in own))[-MOST_LISTED:]
    names = [value for value in values if value[:1].isupper()]
    if (asked.names and not names) or (asked.single and len(values) > 1):
        return _Found()
    if asked.names:
        values = names
    if asked.noun and asked.relations != ("has_pet",) and names:
        values = names  # "daughter" beside "Lucy" says nothing more
    return _Found(", ".join(values), claims, sure)


def _fits(fact: Fact, noun: str) -> bool:
    """Whether a fact is of the kind that was asked for: by the noun in the words that tell it."""
    if not noun or noun in _ANY:
        return True
    meant = {stem for word in _alike(noun) for stem in stems(word)}
    words = {stem for claim in fact.claims for word in _WORDS.findall(claim.quote.lower()) for stem in stems(word)}
    return not meant.isdisjoint(words)


def _alike(noun: str) -> frozenset[str]:
    return next((kind for kind in _ALIKE if noun in kind), frozenset({noun}))


# --- whose and where -----------------------------------------------------------------------------------


def _owner(
    store: Store, asked: RelationQuestion, near: Collection[tuple[str, str]], people: Collection[str]
) -> Claim | None:
    """What says whose it is instead: the same of somebody else, in one of the turns that recall found."""
    if asked.group or asked.tie:
        return None
    keys = [k for r in asked.relations for k in store.keys("claim_keys_of_relation", relation=r, limit=LATEST).tolist()]
    claims = [claim for claim in read_claims(store, keys) if (claim.conversation, claim.turn_ids[0]) in near]
    fitting = [claim for claim in claims if claim.subject not in people and claim.subject_type == "person"]
    if asked.noun:
        fitting = [claim for claim in fitting if not set(stems(asked.noun)).isdisjoint(stems(claim.quote))]
    return fitting[0] if fitting else None


def _sources(store: Store, claims: Sequence[Claim]) -> tuple[Evidence, ...]:
    """The turns that claims rest on, whole."""
    places = list(dict.fromkeys((claim.conversation, claim.session, claim.turn_ids[0]) for claim in claims))
    rows = {row["place"]: row for row in store.all("ask_turns", places=json.dumps(places))}
    told = ((place, rows[number]) for number, place in enumerate(places) if number in rows)
    return tuple(
        Evidence(*place, row["speaker"], from_micros(row["said_at"]), row["text"], row["title"]) for place, row in told
    )
