"""What a memory knows of people: by conversation, as a whole, and what was decided on the way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from .errors import BadInput, StoreError
from .models.llm import LLM
from .people.agent import Agent
from .people.decisions import decision_get
from .people.decisions import decisions as stored_decisions
from .people.entities import keys_named
from .people.reconcile import Judge
from .people.settle import Settled, mark, overrule, remembered, settle, settle_person
from .people.workspace import PersonMemory
from .people_calls import PeopleCalls
from .records import Act
from .records.people import Decision, OneOrTwo
from .times import from_micros

MOST_PEOPLE = 10_000
LONGEST_REASON = 2_000  # characters of a user's reason


@dataclass(frozen=True, slots=True)
class PersonInfo:
    """Somebody of whom something was said: how much, in how many conversations, from when to when."""

    name: str
    conversations: int
    claims: int
    first_said_at: datetime
    last_said_at: datetime


@dataclass(frozen=True, slots=True)
class Reconciled:
    """What reconciling did, and how a model fared where one was asked: asked, decided, fallback, tool_calls, …"""

    people: int
    decided: int
    dropped: int
    model: Mapping[str, int]


class PersonCalls(PeopleCalls):
    """Calls about people. Each first extracts and reconciles what came since."""

    def people(self, limit: int = 1_000) -> list[PersonInfo]:
        """Everybody of whom something was said, those of most conversations first."""
        if type(limit) is not int or not 1 <= limit <= MOST_PEOPLE:
            raise BadInput(f"limit must be from 1 to {MOST_PEOPLE:,}, not {limit!r:.80}.")
        self._caught_up()
        return [
            PersonInfo(
                row["name"],
                row["conversations"],
                row["claims"],
                from_micros(row["first_at"]),
                from_micros(row["last_at"]),
            )
            for row in self.store.all("people_listed", limit=limit)
        ]

    def person(self, name: str) -> PersonMemory | None:
        """All that is known of somebody: by conversation, and across them with timelines, contradictions and what was
        decided. None if nothing was said of anybody called so."""
        self._caught_up()
        key = self._person_key(name)
        if key is None:
            return None
        self._settled(key)
        with self.store.snapshot():
            return remembered(self.store, key)

    def decisions(self, person: str | None = None) -> list[Decision]:
        """What was decided about whose things, with reason, evidence and by whom; overruled ones are marked."""
        self._caught_up()
        if person is None:
            self._settled(None)
            with self.store.snapshot():
                return stored_decisions(self.store)
        key = self._person_key(person)
        if key is None:
            return []
        self._settled(key)
        with self.store.snapshot():
            found = remembered(self.store, key)
        return [] if found is None else list(found.decisions)

    def overrule(self, decision_id: int, verdict: OneOrTwo, reason: str = "") -> Decision:
        """Decide otherwise, or confirm a decision. It stays whatever is said later, until `undo` takes it back."""
        if verdict not in ("MERGE", "SEPARATE"):
            raise BadInput(f"A verdict is MERGE or SEPARATE, not {verdict!r:.80}.")
        if not isinstance(reason, str) or len(reason) > LONGEST_REASON:
            raise BadInput(f"A reason is a text of at most {LONGEST_REASON:,} characters.")
        if type(decision_id) is not int or not 0 < decision_id < 2**63:
            raise BadInput(f"A decision's id is its number in `decisions`, not {decision_id!r:.80}.")
        why = self.mask(reason.strip()).text or "decided by the user"
        with self.store.transaction():
            decision = decision_get(self.store, decision_id)
            if decision is None:
                raise BadInput(f"There is no decision {decision_id} here. `engramma decisions` lists them.")
            made = overrule(self.store, decision, verdict, why)
            key = self._mark(made)
        if key is not None:
            self._settled(key)
        return made

    def reconcile(self, person: str | None = None, llm: LLM | None = None, limit: int | None = None) -> Reconciled:
        """Reconcile of whom something came since; with a model, it decides about a person, or everybody, anew.

        What users decided stays. With a `limit`, at most so many people, and nothing is extracted first: a little at
        a time, beside other work.
        """
        if limit is not None and (type(limit) is not int or limit < 1):
            raise BadInput(f"limit must be a whole number from 1, not {limit!r:.80}.")
        if limit is None:
            self._caught_up()
        key = None if person is None else self._person_key(person)
        if person is not None and key is None:
            raise BadInput(f"Nobody is called {person!r:.80}. `engramma people` lists everybody.")
        if llm is None:
            done = settle(self.store, limit) if key is None else settle_person(self.store, key)
            return Reconciled(done.people, done.decided, done.dropped, {})
        agent = Agent(llm)

        def judging(partners: Mapping[str, Sequence[str]]) -> Judge:
            agent.partners = partners
            return agent.judge

        everybody = [row["key"] for row in self.store.all("people_listed", limit=limit or MOST_PEOPLE)]
        done = Settled()
        for one in everybody if key is None else [key]:
            done += settle_person(self.store, one, judging)
        return Reconciled(done.people, done.decided, done.dropped, dict(agent.counts))

    # --- steps ---------------------------------------------------------------------------------

    def _person_key(self, name: str) -> int | None:
        if not isinstance(name, str) or not name.strip():
            raise BadInput("Give somebody's name.")
        keys = keys_named(self.store, name, ("person",))
        return keys[0] if keys else None

    def _settled(self, key: int | None) -> None:
        """Reconcile one person, or everybody who waits. A store that cannot be written is read as it is."""
        try:
            if key is None:
                settle(self.store)
            elif self.store.one("unsettled_of", person=key) is not None:
                settle_person(self.store, key)
        except StoreError:
            self.store.check_place()

    def _mark(self, decision: Decision) -> int | None:
        key = self._person_key(decision.person)
        if key is not None:
            mark(self.store, key, decision.entity)
        return key

    def _undo_decide(self, act: Act) -> None:
        decision = decision_get(self.store, act.detail.get("decision", 0))
        super()._undo_decide(act)
        if decision is not None:
            self._mark(decision)
