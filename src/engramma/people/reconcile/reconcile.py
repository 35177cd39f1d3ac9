"""Reconciling: claims become facts within a session, facts a conversation's memory, and conversations a person's.

Everything here is a pure function of claims and of what users decided: whatever the order in which sessions came, the
same claims give the same memory. Only the last layer decides; what it decided comes back with its reasons.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ...language.text import digest
from ...records.people import Claim, Decision, Period
from ..claims.alike_names import AlikeNames
from ..claims.hydrate import Fact
from ..claims.labels import find_label
from ..claims.relation_groups import GROUPS, RelationGroup, group_of
from ..claims.values import form, same_name, same_value
from .policy import Verdict, decide
from .timeline import build_timeline
from .workspace import Aspect, Conflict, ConversationMemory, PersonMemory, find_start, order

FUZZY = 48  # values of one relation up to which each is compared with each; beyond, only their words decide
RECENT = 3  # conversations of a thing that a new one is compared with: the latest

Judge = Callable[[Aspect, Aspect], Verdict | None]


@dataclass(frozen=True, slots=True)
class Ruling:
    """A verdict about two things, with where they come from: what is stored as a decision."""

    entity: str
    conversations: tuple[str, str]
    verdict: Verdict
    basis: int = 0  # a number for what was compared
    overruled_by: int = 0  # the user's decision that holds instead


# --- layer 1 and 2: facts ------------------------------------------------------------------------------


def session_facts(claims: Iterable[Claim]) -> tuple[Fact, ...]:
    """Layer 1: what was said more than once within a session is one fact."""
    return merged(map(_alone, sorted(claims, key=order)))


def merged(facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """Facts of one subject with one relation and one value, both denied or both not, made one."""
    kept: dict[tuple[str, str, bool, str], dict[tuple[str, ...], list[Fact]]] = defaultdict(dict)
    for fact in facts:
        values = kept[(fact.subject, fact.relation, fact.negated, fact.modality)]
        key = tuple(sorted(form(fact.value))) or (fact.value.lower(),)
        if key not in values and len(values) <= FUZZY:
            key = next((known for known, same in values.items() if same_value(same[0].value, fact.value)), key)
        values.setdefault(key, []).append(fact)
    joined = [_joined(same) for values in kept.values() for same in values.values()]
    return tuple(sorted(joined, key=lambda fact: order(fact.claims[0])))


def _alone(claim: Claim) -> Fact:
    kind = (claim.value, claim.value_type, claim.negated, claim.modality)
    return Fact(claim.subject, claim.subject_type, claim.relation, *kind, (claim,))


def _joined(facts: Sequence[Fact]) -> Fact:
    if len(facts) == 1:
        return facts[0]
    claims = tuple(sorted((claim for fact in facts for claim in fact.claims), key=order))
    return replace(facts[0], value=claims[0].value, claims=claims)


def conversation_memory(
    person: str, conversation: str, partners: Sequence[str], claims: Iterable[Claim]
) -> ConversationMemory:
    """Layer 2: a person's facts of one conversation, session by session, then across them. Others' are left out."""
    own = [claim for claim in claims if claim.subject == person and claim.conversation == conversation]
    sessions: dict[str, list[Claim]] = defaultdict(list)
    for claim in own:
        sessions[claim.session].append(claim)
    facts = merged(fact for session in sessions.values() for fact in session_facts(session))
    return ConversationMemory(conversation, person, tuple(partners), facts, aspects_of(person, facts))


def aspects_of(person: str, facts: Sequence[Fact]) -> tuple[Aspect, ...]:
    """The sides of a life that some facts of one conversation tell of."""
    grouped: dict[str, list[Fact]] = defaultdict(list)
    for fact in facts:
        group = group_of(fact.claims[0])
        if group is not None and fact.modality not in ("question", "hypothetical"):
            grouped[group.name].append(fact)
    found = []
    for name, group in GROUPS.items():
        if own := grouped.get(name):
            for things in _things(own, group) if group.many else [own]:
                talks = tuple(dict.fromkeys(claim.conversation for fact in things for claim in fact.claims))
                found.append(Aspect(name, name, person, talks, tuple(things)))
    return _named(found)


def _things(facts: Sequence[Fact], group: RelationGroup) -> list[list[Fact]]:
    """Facts of things that are told apart by name. What has no name goes to the only thing there is, if it fits."""
    things: list[tuple[tuple[str, ...], list[Fact]]] = []
    places = AlikeNames[int]()
    nameless: dict[tuple[str, ...], list[Fact]] = defaultdict(list)
    for fact in facts:
        name = find_label(fact.claims[0], group) if fact.relation not in group.also else ()
        if not name:
            nameless[form(fact.value) if not group.is_exclusive else ()].append(fact)
            continue
        near = (things[at] for at in sorted(places.find(name)))
        same = next((own for known, own in near if same_name(known, name)), None)
        if same is None:
            places.put(name, len(things))
            things.append((name, [fact]))
        else:
            same.append(fact)
    if group.is_exclusive and things:
        for fact in (fact for left in nameless.values() for fact in left):
            at = find_start(fact.claims[0])
            before = [own for _, own in things if find_start(own[0].claims[0]) <= at] or [things[0][1]]
            before[-1].append(fact)
        return [own for _, own in things]
    if not group.by_name:
        nameless.clear()  # "a project" without a word of which is no thing
    return [own for _, own in things] + list(nameless.values())


def _named(aspects: Sequence[Aspect]) -> tuple[Aspect, ...]:
    """Names that tell things of one group apart: relationship_1 and relationship_2, pet Max."""
    count = {name: sum(aspect.group == name for aspect in aspects) for name in GROUPS}
    seen: dict[str, int] = defaultdict(int)
    found = []
    for aspect in aspects:
        group = GROUPS[aspect.group]
        seen[group.name] += 1
        if group.many and not group.is_exclusive:
            name = f"{group.name} {aspect.label.text}"
        else:
            name = group.name if count[group.name] == 1 else f"{group.name}_{seen[group.name]}"
        found.append(replace(aspect, name=name))
    return tuple(found)


# --- layer 3: across conversations -------------------------------------------------------------------------


def person_memory(
    person: str,
    claims: Iterable[Claim],
    partners: Mapping[str, Sequence[str]],
    standing: Sequence[Decision] = (),
    judge: Judge = decide,
) -> tuple[PersonMemory, tuple[Ruling, ...]]:
    """A person's memory across conversations, and every ruling that it rests on. `standing`: what users decided."""
    memories = _by_conversation(person, claims, partners)
    aspects, rulings = unify(memories, standing, judge)
    held, conflicts = _lines_of(person, aspects)
    facts = merged(fact for memory in memories for fact in memory.facts)
    return PersonMemory(person, memories, aspects, facts, held, conflicts), rulings


def life_lines(person: str, claims: Iterable[Claim]) -> tuple[dict[str, tuple[Period, ...]], tuple[Conflict, ...]]:
    """A person's timelines and conflicts alone, the same as in `person_memory`.

    They do not depend on which things of different conversations are one, which takes seconds to decide where somebody
    speaks in thousands of conversations.
    """
    memories = _by_conversation(person, claims, {})
    return _lines_of(person, [aspect for memory in memories for aspect in memory.aspects])


def _by_conversation(
    person: str, claims: Iterable[Claim], partners: Mapping[str, Sequence[str]]
) -> tuple[ConversationMemory, ...]:
    """What is known of somebody in each conversation, in the order in which they began."""
    talks: dict[str, list[Claim]] = defaultdict(list)
    for claim in claims:
        if claim.subject == person:
            talks[claim.conversation].append(claim)
    begun = sorted(talks, key=lambda talk: (min(claim.said_at for claim in talks[talk]), talk))
    return tuple(conversation_memory(person, talk, partners.get(talk, ()), talks[talk]) for talk in begun)


def _lines_of(person: str, aspects: Sequence[Aspect]) -> tuple[dict[str, tuple[Period, ...]], tuple[Conflict, ...]]:
    """What held when, by group, and where values follow or meet each other."""
    timelines: dict[str, tuple[Period, ...]] = {}
    conflicts: list[Conflict] = []
    for name, group in GROUPS.items():
        own = [claim for aspect in aspects if aspect.group == name for claim in aspect.claims]
        if own:
            timelines[name], met = build_timeline(own, group, person)
            conflicts += met
    return {name: periods for name, periods in timelines.items() if periods}, tuple(conflicts)


def unify(
    memories: Sequence[ConversationMemory], standing: Sequence[Decision] = (), judge: Judge = decide
) -> tuple[tuple[Aspect, ...], tuple[Ruling, ...]]:
    """Layer 3: things of one person from different conversations, merged or kept apart, the oldest first.

    Each thing is compared with the things there are already, the latest first, and joins the first that it may.
    """
    clusters: list[_Cluster] = []
    rulings: list[Ruling] = []
    every = sorted((aspect for memory in memories for aspect in memory.aspects), key=_age)
    alone = {(aspect.group, aspect.conversations[0]): 0 for aspect in every}
    for aspect in every:
        alone[aspect.group, aspect.conversations[0]] += 1
    by_group: dict[str, _Clusters] = defaultdict(_Clusters)
    for aspect in every:
        known = by_group[aspect.group]
        joined, made = _placed(aspect, known, standing, judge, alone)
        rulings += made
        if joined is None:
            joined = _Cluster()
            clusters.append(joined)
        joined.join(aspect)
        known.put(joined)
    return _named([together(cluster.members) for cluster in clusters]), tuple(rulings)


@dataclass(eq=False, slots=True)
class _Cluster:
    """Conversations' things that are one, the oldest first; `recent` are the latest of them, together."""

    members: list[Aspect] = field(default_factory=list)
    talks: set[tuple[str, ...]] = field(default_factory=set)
    recent: Aspect | None = None

    def join(self, aspect: Aspect) -> None:
        self.members.append(aspect)
        self.talks.add(aspect.conversations)
        self.recent = together(self.members[-RECENT:])


class _Clusters:
    """The clusters of one group, the latest first."""

    def __init__(self) -> None:
        self._number = 0
        self._joined: dict[_Cluster, int] = {}
        self._alike = AlikeNames[_Cluster]()

    def put(self, cluster: _Cluster) -> None:
        """Let a cluster be the latest."""
        self._number += 1
        self._joined[cluster] = self._number
        if cluster.recent is not None:
            self._alike.put(_called(cluster.recent), cluster)

    def near(self, aspect: Aspect, *, by_name: bool) -> list[_Cluster]:
        """Those that a thing is compared with: all, or only what is called nearly so."""
        found = self._alike.find(_called(aspect)) if by_name else self._joined
        return sorted(found, key=self._joined.__getitem__, reverse=True)


def _called(aspect: Aspect) -> tuple[str, ...]:
    """The words by which a thing is compared with others that are told apart by name."""
    label = aspect.label
    return label.name or form(label.text) or (label.text.lower(),)


def _placed(
    aspect: Aspect,
    known: _Clusters,
    standing: Sequence[Decision],
    judge: Judge,
    alone: Mapping[tuple[str, str], int],
) -> tuple[_Cluster | None, list[Ruling]]:
    """The cluster that a thing joins, if any, and what was decided on the way: one ruling, and those overruled."""
    rulings: list[Ruling] = []
    apart: Ruling | None = None
    group, talk = GROUPS[aspect.group], aspect.conversations[0]
    words = [one for one in standing if one.entity.split(" ")[0] == group.name and one.conversations[-1] == talk]
    for cluster in known.near(aspect, by_name=group.many and not group.is_exclusive and not words):
        recent = cluster.recent
        if recent is None or aspect.conversations in cluster.talks:
            continue  # told apart within one conversation already
        told = _told(aspect, cluster.members, words, alone)
        verdict = judge(recent, aspect)
        if told is None and (verdict is None or (verdict.verdict == "SEPARATE" and apart is not None)):
            continue
        last = cluster.members[-1].conversations[0]
        about = (_entity(aspect), (last, aspect.conversations[0]))
        ruling = None if verdict is None else Ruling(*about, verdict, basis_of(recent, aspect))
        if told is not None:
            if ruling is not None:
                rulings.append(replace(ruling, overruled_by=told.id))
            if told.verdict == "MERGE":
                return cluster, rulings
            continue
        assert ruling is not None
        if ruling.verdict.verdict == "MERGE":
            return cluster, [*rulings, ruling]
        apart = ruling
    return None, [*rulings, *([apart] if apart else [])]


def _told(
    aspect: Aspect, cluster: Sequence[Aspect], standing: Sequence[Decision], alone: Mapping[tuple[str, str], int]
) -> Decision | None:
    """What a user decided about a thing and one of a cluster's: the latest word."""
    for decision in sorted(standing, key=lambda one: one.id, reverse=True):
        if _is_meant(aspect, decision, alone) and any(
            member.conversations[0] == decision.conversations[0] and _is_meant(member, decision, alone)
            for member in cluster
        ):
            return decision
    return None


def _is_meant(aspect: Aspect, decision: Decision, alone: Mapping[tuple[str, str], int]) -> bool:
    is_only = alone[aspect.group, aspect.conversations[0]] == 1
    return is_only or not set(aspect.evidence).isdisjoint(decision.evidence)


def together(aspects: Sequence[Aspect]) -> Aspect:
    """Several conversations' things as one."""
    talks = tuple(dict.fromkeys(talk for aspect in aspects for talk in aspect.conversations))
    facts = merged(fact for aspect in aspects for fact in aspect.facts)
    return replace(aspects[0], conversations=talks, facts=facts) if len(aspects) > 1 else aspects[0]


def basis_of(one: Aspect, other: Aspect) -> int:
    """A number for what is compared: the same for the same claims, whenever they were extracted."""
    parts = [
        "\x1f".join((claim.conversation, claim.session, *claim.turn_ids, str(claim.start), claim.relation, claim.value))
        for aspect in (one, other)
        for claim in aspect.claims
    ]
    return int.from_bytes(digest(one.group, *parts)[:8], "big") >> 1


def _entity(aspect: Aspect) -> str:
    group = GROUPS[aspect.group]
    return f"{group.name} {aspect.label.text}" if group.many and not group.is_exclusive else group.name


def _age(aspect: Aspect) -> tuple[object, ...]:
    first = aspect.claims[0]  # they are in the order in which they were said
    return (first.said_at, aspect.since, aspect.conversations, *order(first))


__all__ = [
    "Judge",
    "Ruling",
    "basis_of",
    "conversation_memory",
    "find_start",
    "life_lines",
    "merged",
    "person_memory",
    "session_facts",
    "unify",
]
