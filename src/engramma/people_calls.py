"""What a memory knows of people and things: claims with their sources, entities, and the graph between them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from .errors import BadInput, StoreError
from .fence import fenced, unfenced
from .parts import Parts
from .people.claims import claims_up_to_date
from .people.decisions import undo_decision
from .people.entities import EntityRow, Named, entities_by_keys, given_names, keys_named, names_of
from .people.facts import facts_for
from .people.graph_export import as_networkx, write_graph
from .people.query import GraphAnswer, graph_query, named_beside
from .people.reading import ALL, Fact, read_claims, read_facts
from .quoting import name_line
from .recall.context import Said, label, quotes
from .recall.query import Query
from .recall.recipes import Plan
from .records import Act, Recall
from .records.people import Claim
from .store.keys import context_key
from .store.store import as_json
from .text import estimate_tokens

if TYPE_CHECKING:
    from networkx import MultiDiGraph

MOST = 100_000  # claims or entities of one answer


@dataclass(frozen=True, slots=True)
class EntityInfo:
    """All that is known of an entity: what it was called and where, facts of it, facts that name it, its company."""

    entity: EntityRow
    names: tuple[Named, ...]
    facts: tuple[Fact, ...]
    named_in: tuple[Fact, ...]
    beside: tuple[str, ...]  # entities named in the same turns, the most often first
    others: tuple[EntityRow, ...] = ()  # further entities that the name may mean


class PeopleCalls(Parts):
    """Calls about claims and entities. Each first extracts what came since, so it sees what was just said."""

    def extract_claims(self, limit: int | None = None) -> int:
        """Extract claims from what came or changed since, at most so many blocks of 200 turns; returns how many."""
        if limit is not None and (type(limit) is not int or limit < 1):
            raise BadInput(f"limit must be a whole number from 1, not {limit!r:.80}.")
        return claims_up_to_date(self.store, limit)

    def claims(
        self,
        person: str | None = None,
        relation: str | None = None,
        conversation: str | None = None,
        turn: str | None = None,
        limit: int = 100,
    ) -> list[Claim]:
        """What was said of somebody, by a relation, in a conversation or in one turn (its id), the latest first."""
        checked_page(limit, 0)
        for name, given in (("person", person), ("relation", relation), ("turn", turn)):
            if given is not None and not isinstance(given, str):
                raise BadInput(f"{name} must be a text, not {given!r:.80}.")
        self._caught_up()
        talk = None if conversation is None else self._conversation(conversation)
        with self.store.snapshot():
            keys = self._claim_keys(person, relation, talk, turn, limit)
            found = read_claims(self.store, keys)
        kept = [
            claim
            for claim in found
            if (relation is None or claim.relation == relation)
            and (talk is None or claim.conversation == talk)
            and (turn is None or turn in claim.turn_ids)
        ]
        return kept[:limit]

    def entity(self, name: str) -> EntityInfo | None:
        """All that is known of somebody or something by name, with sources; None if nobody is called so."""
        if not isinstance(name, str) or not name.strip():
            raise BadInput("Give the name of somebody or something.")
        self._caught_up()
        store = self.store
        with store.snapshot():
            rows = entities_by_keys(store, keys_named(store, name))
            if not rows:
                return None
            best, listed = rows[0], as_json([rows[0].key])
            names = names_of(store, [best.key]).get(best.key, ())
            given = given_names(store, [best.key]).get(best.key, ())
            of = store.keys("claim_keys_of_subjects", entities=listed, relation=None, limit=ALL).tolist()
            to = store.keys("claim_keys_of_objects", entities=listed, relation=None, limit=ALL).tolist()
            return EntityInfo(
                with_aliases(best, names, given),
                names,
                tuple(read_facts(store, of)),
                tuple(read_facts(store, to)),
                tuple(entity.name for entity in named_beside(store, [best.key])),
                tuple(rows[1:]),
            )

    def graph_query(self, text: str, limit: int = 200) -> GraphAnswer:
        """Answer a structured question from the graph: "Who works at TechCorp?", "What projects use Python?", "What is
        related to issue 42?", or `subject=… relation=… value=…`. It says how it understood the question."""
        if not isinstance(text, str) or not text.strip():
            raise BadInput("Ask something, for example: Who works at TechCorp?")
        checked_page(limit, 0)
        self._caught_up()
        with self.store.snapshot():
            return graph_query(self.store, text, limit)

    def export_graph(self, path: str | Path, format: Literal["json", "graphml"] = "json") -> tuple[int, int]:
        """Write the knowledge graph to a file; returns how many entities and how many facts are in it."""
        if format not in ("json", "graphml"):
            raise BadInput(f"A graph is written as json or graphml, not as {format!r:.80}.")
        self._caught_up()
        try:
            return write_graph(self.store, Path(path).expanduser(), format)
        except OSError as error:
            raise BadInput(f"Cannot write {path}: {error.strerror or error}.") from error

    def networkx(self) -> MultiDiGraph[str]:
        """The knowledge graph as a NetworkX graph (an extra: engramma[graph])."""
        self._caught_up()
        return as_networkx(self.store)

    def _with_facts(self, found: Recall, plan: Plan, asked: Query) -> Recall:
        """A recall with what the graph knows of those named in it, as many facts as its budget still takes."""
        self._caught_up()
        keys = [key for c in found.candidates if (key := self._segment_key(c.segment_id)) is not None]
        shown = {(c.conversation_id, id) for c in found.candidates for id in c.turn_ids}
        with self.store.snapshot():
            turns = self.store.keys("turns_in_segments", keys=as_json(keys)).tolist()
            facts = facts_for(self.store, found.query, turns, plan.facts, until=asked.as_of, shown=shown)
        if asked.conversation is not None:
            facts = [f for f in facts if all(c.conversation == asked.conversation for c in f.claims)]
        body, room, tied = unfenced(found.context), asked.budget_tokens or plan.budget_tokens, context_key(self.store)
        for fact in facts:
            more = fenced(f"{body}\n\n{fact_block(fact)}", tied)
            if room is not None and estimate_tokens(more) > room:
                break
            body = f"{body}\n\n{fact_block(fact)}"
            found = replace(found, context=more, tokens=estimate_tokens(more))
        return found

    # --- steps ---------------------------------------------------------------------------------

    def _caught_up(self) -> None:
        """Extract what is new. A store that cannot be written is read as it is."""
        try:
            claims_up_to_date(self.store)
        except StoreError:
            self.store.check_place()  # of a namespace that is gone nothing is read either

    def _claim_keys(
        self, person: str | None, relation: str | None, conversation: str | None, turn: str | None, limit: int
    ) -> list[int]:
        """The claims within the narrowest of the bounds; the others are applied to what is read."""
        store = self.store
        if turn is not None:
            bounds = {"conversation": conversation, "session": None}
            turns = store.keys("turns_with_id", id=turn, **bounds).tolist()
            keys = store.keys("claim_keys_of_turns", turns=as_json(turns), limit=ALL).tolist()
            return keys if person is None else [k for k in keys if k in set(self._of_person(person, relation, ALL))]
        if person is not None:
            return self._of_person(person, relation, limit if conversation is None else ALL)
        if conversation is not None:
            most = limit if relation is None else ALL
            return list(store.keys("claim_keys_of_conversation", conversation=conversation, limit=most).tolist())
        if relation is not None:
            return list(store.keys("claim_keys_of_relation", relation=relation, limit=limit).tolist())
        return list(store.keys("claim_keys_latest", limit=limit).tolist())

    def _of_person(self, person: str, relation: str | None, limit: int) -> list[int]:
        meant = as_json(keys_named(self.store, person))
        return list(self.store.keys("claim_keys_of_subjects", entities=meant, relation=relation, limit=limit).tolist())

    def _undo_decide(self, act: Act) -> None:
        undo_decision(self.store, act)


def fact_block(fact: Fact) -> str:
    """A fact as an entry of a context block: what its latest source says, with who said so and where."""
    last = fact.claims[-1]
    told = f"{fact.subject} {fact.relation.replace('_', ' ')} {fact.value}"
    place = name_line(last.turn_ids[0]), name_line(last.conversation)
    said = Said(last.speaker, last.said_at, told)
    return f"{label(last.said_at, 'fact', *place, 'known beside this')}\n{quotes([said], last.said_at)}"


def with_aliases(row: EntityRow, names: Iterable[Named], given: Iterable[str] = ()) -> EntityRow:
    """With what else it was called, and with what the user calls it."""
    called = dict.fromkeys([*(named.name for named in names), *given])
    return replace(row, aliases=tuple(name for name in called if name != row.name))


def checked_page(limit: int, offset: int) -> None:
    if type(limit) is not int or not 1 <= limit <= MOST or type(offset) is not int or not 0 <= offset < 2**62:
        raise BadInput(f"limit must be from 1 to {MOST:,} and offset from 0.")
