"""Claims with their sources, what is known of an entity, and questions to the graph between them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ...core.core import Core
from ...core.names import conversation_name
from ...errors import BadInput, StoreError
from ...records.people import Claim
from ...store.store import encode_keys
from ..answers.structured import GraphAnswer, answer_graph_query, named_beside
from ..entities.entities import (
    EntityRow,
    Named,
    entities_by_keys,
    given_names,
    read_entity_names,
    with_aliases,
)
from ..entities.parts_of_names import keys_meant
from ..pages import checked_page
from .catch_up import catch_up, extract_new
from .graph_export import as_networkx, graph_parts, write_graph
from .hydrate import ALL, Fact, read_claims, read_facts
from .store import RULES, extract_block, waiting

if TYPE_CHECKING:
    from networkx import MultiDiGraph

MOST = 100_000  # claims or entities of one answer
PIECES = 16  # blocks of one session that are read while somebody waits


@dataclass(frozen=True, slots=True)
class EntityInfo:
    """All that is known of an entity: what it was called and where, facts of it, facts that name it, its company."""

    entity: EntityRow
    names: tuple[Named, ...]
    facts: tuple[Fact, ...]
    named_in: tuple[Fact, ...]
    beside: tuple[str, ...]  # entities named in the same turns, the most often first
    others: tuple[EntityRow, ...] = ()  # further entities that the name may mean


class Claims:
    """Claims about people and things, with sources. Each call first extracts claims from new turns."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def extract(self, limit: int | None = None) -> int:
        """Extract claims from new and changed turns, at most `limit` blocks of 200 turns; returns how many."""
        if limit is not None and (type(limit) is not int or limit < 1):
            raise BadInput(f"limit must be a whole number from 1, not {limit!r:.80}.")
        return extract_new(self._core.store, limit)

    def all(
        self,
        person: str | None = None,
        relation: str | None = None,
        conversation: str | None = None,
        turn: str | None = None,
        limit: int = 100,
    ) -> list[Claim]:
        """Claims about somebody, by relation, in a conversation or in one turn (its id), latest first."""
        checked_page(limit, 0)
        for name, given in (("person", person), ("relation", relation), ("turn", turn)):
            if given is not None and not isinstance(given, str):
                raise BadInput(f"{name} must be a string, not {given!r:.80}.")
        catch_up(self._core)
        talk = None if conversation is None else conversation_name(self._core, conversation)
        with self._core.store.snapshot():
            keys = self._claim_keys(person, relation, talk, turn, limit)
            found = read_claims(self._core.store, keys)
        kept = [
            claim
            for claim in found
            if (relation is None or claim.relation == relation)
            and (talk is None or claim.conversation == talk)
            and (turn is None or turn in claim.turn_ids)
        ]
        return kept[:limit]

    def of_session(self, session: int) -> list[Claim]:
        """What was said in one session (its key), in order; a little of what waits there is extracted first."""
        store = self._core.store
        try:
            for row in store.all("extraction_waiting_of", session=session, version=RULES, limit=PIECES):
                extract_block(store, session, row["block"])
        except StoreError:
            store.check_place()  # what cannot be written is read as it is
        with store.snapshot():
            return read_claims(store, store.keys("claim_keys_of_session", session=session).tolist())

    def waiting(self) -> int:
        """How many blocks of 200 turns wait to be extracted."""
        return waiting(self._core.store)

    def entity(self, name: str) -> EntityInfo | None:
        """All that is known about a person or thing by name, with sources; None if there is no such name."""
        if not isinstance(name, str) or not name.strip():
            raise BadInput("Give the name of a person or thing.")
        catch_up(self._core)
        store = self._core.store
        with store.snapshot():
            rows = entities_by_keys(store, keys_meant(store, name))
            if not rows:
                return None
            best, listed = rows[0], encode_keys([rows[0].key])
            names = read_entity_names(store, [best.key]).get(best.key, ())
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
        catch_up(self._core)
        with self._core.store.snapshot():
            return answer_graph_query(self._core.store, text, limit)

    def export_graph(self, path: str | Path, format: Literal["json", "graphml"] = "json") -> tuple[int, int]:
        """Write the knowledge graph to a file; returns how many entities and how many facts are in it."""
        if format not in ("json", "graphml"):
            raise BadInput(f"A graph is written as json or graphml, not as {format!r:.80}.")
        catch_up(self._core)
        try:
            return write_graph(self._core.store, Path(path).expanduser(), format)
        except OSError as error:
            raise BadInput(f"Cannot write {path}: {error.strerror or error}.") from error

    def graph_parts(self) -> tuple[list[dict[str, Any]], list[dict[str, Any]], list[dict[str, Any]]]:
        """Entities, facts between two of them, and facts whose value is a text; nothing is extracted first."""
        return graph_parts(self._core.store)

    def networkx(self) -> MultiDiGraph[str]:
        """The knowledge graph as a NetworkX graph (an extra: engramma[graph])."""
        catch_up(self._core)
        return as_networkx(self._core.store)

    # --- steps ---------------------------------------------------------------------------------

    def _claim_keys(
        self, person: str | None, relation: str | None, conversation: str | None, turn: str | None, limit: int
    ) -> list[int]:
        """The claims within the narrowest of the bounds; the others are applied to what is read."""
        store = self._core.store
        if turn is not None:
            bounds = {"conversation": conversation, "session": None}
            turns = store.keys("turns_with_id", id=turn, **bounds).tolist()
            keys = store.keys("claim_keys_of_turns", turns=encode_keys(turns), limit=ALL).tolist()
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
        meant = encode_keys(keys_meant(self._core.store, person))
        return list(
            self._core.store.keys("claim_keys_of_subjects", entities=meant, relation=relation, limit=limit).tolist()
        )
