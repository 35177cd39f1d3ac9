"""People: who is known, what is known about them per conversation and overall, and the decisions made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from ..core.core import Core
from ..core.undo import Undo
from ..errors import BadInput, StoreError
from ..ingest.validate import checked_name
from ..language.text import NAMELESS
from ..language.times import from_micros
from ..models.llm import LLM
from ..records import Act
from ..records.people import Decision, OneOrTwo
from .claims.catch_up import catch_up
from .entities.entities import keys_named
from .entities.parts_of_names import only_person_named, people_first_named, people_spelt_like, people_with_words
from .entities.short_names import join_short_names
from .entities.user_identity import Me, find_me, is_me_open, put_me
from .kin import kin_of_user
from .reconcile.agent import Agent
from .reconcile.decisions import decision_get, read_decisions, undo_decision
from .reconcile.reconcile import Judge
from .reconcile.reconcile_store import Settled, mark_undecided, remembered, settle, settle_person, write_overruling
from .reconcile.workspace import PersonMemory

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


class People:
    """Who is known, all that is known of somebody, and what was decided. Each call first extracts and reconciles."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def all(self, limit: int = 1_000, *, everything: bool = False) -> list[PersonInfo]:
        """Everybody something was said about, those in most conversations first.

        `everything` adds those of whom too little tells that they are people.
        """
        if type(limit) is not int or not 1 <= limit <= MOST_PEOPLE:
            raise BadInput(f"limit must be from 1 to {MOST_PEOPLE:,}, not {limit!r:.80}.")
        catch_up(self._core)
        return [
            PersonInfo(
                row["name"],
                row["conversations"],
                row["claims"],
                from_micros(row["first_at"]),
                from_micros(row["last_at"]),
            )
            for row in self._core.store.all("people_listed", limit=limit, everything=int(everything))
        ]

    def count(self, words: str | None = None, *, everything: bool = False) -> int:
        """How many people are known so far, or with these letters in a name: every list and figure has this."""
        row = self._core.store.one("persons_count", words=words or None, everything=int(everything))
        return 0 if row is None else int(row[0])

    def names_like(self, name: str, limit: int = 3) -> list[str]:
        """People whose names have the words of another, else its letters, or are spelt like it: who may be meant."""
        if found := people_with_words(self._core.store, name):
            return [one.name for one in found[:limit]]
        longest = max(name.split(), key=len, default="")
        rows = self._core.store.all("persons_named_like", words=longest, limit=limit) if longest else []
        return [row["name"] for row in rows] or people_spelt_like(self._core.store, name, limit)

    def names_meant(self, name: str) -> list[str]:
        """The name of the one person who is meant, whom `get` finds; else of everybody whose name begins so."""
        row = None if (key := self.key_meant(name)) is None else self._core.store.one("entity_get", key=key)
        return [one.name for one in people_first_named(self._core.store, name)] if row is None else [row["name"]]

    def me(self, name: str | None = None) -> Me | None:
        """Who the user of the chats is, by name. With a name: that it is this one, from now on and back to the start.

        What "user", "You" and "me" said and what is known of NAME is then one person's, and so is what somebody said by
        the first name who can be nobody else; `undo` takes it back. None if nobody has said who and nothing tells.
        """
        catch_up(self._core)
        if name is None:
            return find_me(self._core.store)
        called = checked_name(name.strip(), "name", self._core.mask)
        with self._core.store.transaction():
            found = put_me(self._core.store, called)
        pairs = join_short_names(self._core.store)  # "Nora" is nobody else now
        joined = (pair.other.name for pair in pairs if pair.kept.name == found.name)
        return replace(found, joined=(*found.joined, *joined))

    def is_me_open(self) -> bool:
        """Whether somebody speaks as "user", "You" or "me" and nobody has said who that is."""
        return is_me_open(self._core.store)

    def get(self, name: str) -> PersonMemory | None:
        """All that is known about a person: per conversation, and across them with timelines, contradictions and
        decisions. A first name will do where only one person has it, with or without its accents. None if
        nobody of that name is known, or several are (`names_like`), or nothing was said of them."""
        catch_up(self._core)
        key = self.key_meant(name)
        if key is None:
            return None
        self.settle(key)
        with self._core.store.snapshot():
            return remembered(self._core.store, key)

    def decisions(self, person: str | None = None) -> list[Decision]:
        """The decisions about people's things, with reason, evidence and author; overruled ones are marked."""
        catch_up(self._core)
        if person is None:
            self.settle(None)
            with self._core.store.snapshot():
                return read_decisions(self._core.store)
        key = self.key_meant(person)
        if key is None:
            return []
        self.settle(key)
        with self._core.store.snapshot():
            found = remembered(self._core.store, key)
        return [] if found is None else list(found.decisions)

    def overrule(self, decision_id: int, verdict: OneOrTwo, reason: str = "") -> Decision:
        """Overrule or confirm a decision. Your verdict stands whatever is said later, until `undo`."""
        if verdict not in ("MERGE", "SEPARATE"):
            raise BadInput(f"A verdict is MERGE or SEPARATE, not {verdict!r:.80}.")
        if not isinstance(reason, str) or len(reason) > LONGEST_REASON:
            raise BadInput(f"A reason may have at most {LONGEST_REASON:,} characters.")
        if type(decision_id) is not int or not 0 < decision_id < 2**63:
            raise BadInput(f"A decision's id is its number in `decisions`, not {decision_id!r:.80}.")
        why = self._core.mask(reason.strip()).text or "decided by the user"
        with self._core.store.transaction():
            decision = decision_get(self._core.store, decision_id)
            if decision is None:
                raise BadInput(f"There is no decision {decision_id} here. `engramma decisions` lists them.")
            made = write_overruling(self._core.store, decision, verdict, why)
            key = self._mark(made)
        if key is not None:
            self.settle(key)
        return made

    def reconcile(self, person: str | None = None, llm: LLM | None = None, limit: int | None = None) -> Reconciled:
        """Reconcile people with new claims; with a model, it decides again about one person, or everybody.

        What users decided stays. With a `limit`, at most so many people, and nothing is extracted first: a little at
        a time, beside other work.
        """
        if limit is not None and (type(limit) is not int or limit < 1):
            raise BadInput(f"limit must be a whole number from 1, not {limit!r:.80}.")
        if limit is None:
            catch_up(self._core)
        key = None if person is None else self.key_meant(person)
        if person is not None and key is None:
            raise BadInput(f"Nobody is called {person!r:.80}. `engramma people` lists everybody.")
        if llm is None:
            done = settle(self._core.store, limit) if key is None else settle_person(self._core.store, key)
            return Reconciled(done.people, done.decided, done.dropped, {})
        agent = Agent(llm)

        def judging(partners: Mapping[str, Sequence[str]]) -> Judge:
            agent.partners = partners
            return agent.judge

        everybody = [
            row["key"] for row in self._core.store.all("people_listed", limit=limit or MOST_PEOPLE, everything=1)
        ]
        done = Settled()
        for one in everybody if key is None else [key]:
            done += settle_person(self._core.store, one, judging)
        return Reconciled(done.people, done.decided, done.dropped, dict(agent.counts))

    # --- steps ---------------------------------------------------------------------------------

    def key_of(self, name: str) -> int | None:
        """The key of the person who is called so; "me" and "user" are who the user is, if `me` was told."""
        if not isinstance(name, str) or not name.strip():
            raise BadInput("Give a person's name.")
        if name.strip().casefold() in NAMELESS and (row := self._core.store.one("entity_me")) is not None:
            return int(row["key"])
        keys = keys_named(self._core.store, name, ("person",))
        return keys[0] if keys else None

    def key_meant(self, name: str) -> int | None:
        """The key of who is called so, else of the only person whose name begins so, or of the user's mum."""
        if (key := self.key_of(name)) is not None:
            return key
        if (key := only_person_named(self._core.store, name)) is not None:
            return key
        return None if people_first_named(self._core.store, name) else kin_of_user(self._core.store, name)

    def settle(self, key: int | None) -> None:
        """Reconcile one person, or everybody who waits. A store that cannot be written is read as it is."""
        try:
            if key is None:
                settle(self._core.store)
            elif self._core.store.one("unsettled_of", person=key) is not None:
                settle_person(self._core.store, key)
        except StoreError:
            self._core.store.check_place()

    def _mark(self, decision: Decision) -> int | None:
        key = self.key_of(decision.person)
        if key is not None:
            mark_undecided(self._core.store, key, decision.entity)
        return key

    def restore(self, act: Act) -> None:
        """Take a decision back, inside the transaction of `undo`."""
        decision = decision_get(self._core.store, act.detail.get("decision", 0))
        undo_decision(self._core.store, act)
        if decision is not None:
            self._mark(decision)


UNDO: Undo = {"decide": lambda core, act: People(core).restore(act)}
