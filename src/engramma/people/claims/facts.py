"""Facts beside a recall: what the knowledge graph says of those who are named in what was found, one hop and two.

A fact counts by how sure it is, how lately it was said, how many hops away it is, and how many words of the question
it has. What the segments themselves say is not said again.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from ...language.lexical import STOP_WORDS, stems, terms
from ...records.people import UNKNOWN
from ...store.store import Store, encode_keys
from ..answers.structured import around
from .hydrate import Fact

HALF_LIFE_DAYS = 180.0  # a fact's weight halves with every such span since it was last said
HOP = 0.5  # what a second hop costs
SHARED = 2.0  # what every word of the question in it adds
MOST_ENTITIES = 30  # named in what was found; those of the best segments first
MOST_CLAIMS = 400  # from or to them, the latest


def facts_for(
    store: Store,
    question: str,
    turns: Sequence[int],
    limit: int,
    hops: int = 2,
    until: datetime | None = None,
    shown: Collection[tuple[str, str]] = (),
) -> list[Fact]:
    """The best facts about what some turns name, at most so many; `shown` are (conversation, turn id) left out."""
    if not turns or limit < 1:
        return []
    words = content_stems(question)
    seeds = [row["entity"] for row in store.all("mention_entities", turns=encode_keys(turns))][:MOST_ENTITIES]
    scores: dict[Fact, float] = {}
    reached = set(seeds)
    for hop in range(hops):
        facts = [fact for fact in around(store, seeds, MOST_CLAIMS) if _tells(fact, until, shown)]
        newest = max((fact.last_said for fact in facts), default=None)
        for fact in facts:
            assert newest is not None
            scores.setdefault(fact, HOP**hop * _weight(fact, words, newest))
        best = sorted(facts, key=lambda fact: -scores[fact])[:MOST_ENTITIES]
        seeds = [k for fact in best for k in (fact.subject_key, fact.value_key) if k and k not in reached]
        reached |= set(seeds)
        if not seeds:
            break
    ranked = sorted(scores, key=lambda fact: (-scores[fact], fact.subject, fact.relation, fact.value))
    return [fact for fact in ranked if _has_words(fact, words)][:limit]


def _tells(fact: Fact, until: datetime | None, shown: Collection[tuple[str, str]]) -> bool:
    """Whether a fact adds anything: told, not asked; known by then; and not said in what is shown anyway."""
    if fact.negated or fact.modality in ("question", "hypothetical") or fact.subject == UNKNOWN:
        return False
    if until is not None and any(claim.said_at > until for claim in fact.claims):
        return False
    return not any((claim.conversation, claim.turn_ids[0]) in shown for claim in fact.claims)


def _weight(fact: Fact, words: set[str], newest: datetime) -> float:
    age = (newest - fact.last_said).total_seconds() / 86_400
    shared = len(words & content_stems(f"{fact.subject} {fact.relation.replace('_', ' ')} {fact.value}"))
    return float(fact.confidence * 0.5 ** (age / HALF_LIFE_DAYS) * (1 + SHARED * shared))


def _has_words(fact: Fact, words: set[str]) -> bool:
    """Whether it shares more with the question than whom it is about."""
    return bool(words & content_stems(f"{fact.relation.replace('_', ' ')} {fact.value}"))


def content_stems(text: str) -> set[str]:
    """The stems of the words that say anything: "depend" and "depends_on" share one."""
    return {stem for word in terms(text) if word not in STOP_WORDS for stem in stems(word)}
