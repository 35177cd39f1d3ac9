"""Adds what the knowledge graph knows of those named in a recall to its context."""

from __future__ import annotations

from dataclasses import replace

from ...core.core import Core
from ...core.names import segment_key
from ...language.fence import fenced, unfenced
from ...language.quoting import name_line
from ...language.text import estimate_tokens
from ...recall.context import Utterance, called, label, quotes
from ...records import Plan, Query, Recall
from ...store.keys import context_key
from ...store.store import encode_keys
from .catch_up import catch_up
from .facts import facts_for
from .hydrate import Fact
from .predicates import predicate_words


def with_facts(core: Core, found: Recall, plan: Plan, asked: Query) -> Recall:
    """A recall with what the graph knows of those named in it, as many facts as its budget still takes."""
    catch_up(core)
    keys = [key for c in found.candidates if (key := segment_key(core, c.segment_id)) is not None]
    shown = {(c.conversation_id, id) for c in found.candidates for id in c.turn_ids}
    with core.store.snapshot():
        turns = core.store.keys("turns_in_segments", keys=encode_keys(keys)).tolist()
        facts = facts_for(core.store, found.query, turns, plan.facts, until=asked.as_of, shown=shown)
    if asked.conversation is not None:
        facts = [f for f in facts if all(c.conversation == asked.conversation for c in f.claims)]
    body, room, tied = unfenced(found.context), asked.budget_tokens or plan.budget_tokens, context_key(core.store)
    for fact in facts:
        more = fenced(f"{body}\n\n{fact_block(fact)}", tied)
        if room is not None and estimate_tokens(more) > room:
            break
        body = f"{body}\n\n{fact_block(fact)}"
        found = replace(found, context=more, tokens=estimate_tokens(more))
    return found


def fact_block(fact: Fact) -> str:
    """A fact as an entry of a context block: what it says stands in the label, the words it was read from below it."""
    last = fact.claims[-1]
    told = name_line(f"{fact.subject} {predicate_words(fact.relation, fact.value, fact.negated)}")
    said = Utterance(last.speaker, last.said_at, last.quote)
    place = called(last.conversation, last.session, None)
    return f"{label(last.said_at, 'fact', *place, told)}\n{quotes([said], last.said_at)}"
