"""The review queue: lists what waits for a decision, and applies the decision."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from ..core.core import Core
from ..core.undo import Undo
from ..errors import BadInput
from ..ingest.note_repeats import put_link
from ..language.text import segment_id
from ..language.times import from_micros, to_micros
from ..people import (
    MOST_COMPARED,
    Called,
    Entities,
    Namesakes,
    Pair,
    People,
    catch_up,
    find_namesakes,
    find_similar_names,
    part_namesakes,
)
from ..records import Act
from ..records.people import OneOrTwo
from ..records.review import Proposal, Review
from ..steward.plan import KINDS
from ..steward.proposals import DIFFER, Due
from ..steward.run import JOINING, REFUSE
from ..steward.steward import Steward
from ..store.acts import add_act, get_act
from ..store.database import Row
from ..store.links import values_of
from ..store.store import encode_keys
from .proposal_views import (
    ENTITY,
    NAMESAKES,
    gone,
    read_decision,
    show_conflicts,
    show_decisions,
    show_namesakes,
    show_pairs,
    show_steps,
)

QUEUE = (
    "conflict",
    DIFFER,
    "merge",
    "consolidate",
    "decision",
    ENTITY,
    NAMESAKES,
    "expire",
    "prune",
    "archive",
)  # as shown
AGREE = "agree"  # acts.kind: somebody said that a conflict is one, and there was nothing to link
CONTRADICTS = "contradicts"
MOST_SHOWN = 200  # proposals of one page
MOST_STEPS = 10_000  # of each kind that the steward proposes at once
MINUTE = 60_000_000  # microseconds: so long a plan of the steward's is shown again if nothing was written
ID = re.compile(r"([a-z]{1,20})-([0-9]{1,19})")


class ReviewQueue:
    """What waits for a decision: contradictions, near-duplicate notes, what may be archived."""

    def __init__(self, core: Core, steward: Steward, people: People, entities: Entities) -> None:
        self._core, self._steward, self._people, self._entities = core, steward, people, entities
        self._planned: tuple[tuple[int, ...], list[Due], list[Pair]] | None = None
        self._twos: list[Namesakes] = []
        self._decided: tuple[tuple[int, ...], int] | None = None

    def all(self, kind: str | None = None, limit: int = 30, offset: int = 0) -> Review:
        """What waits for a decision: contradictions, near-duplicate notes, whether a person's things are the same, and
        what the steward would do. All, or of one kind; what was rejected does not come back."""
        if kind is not None and kind not in QUEUE:
            raise BadInput(f"There are no proposals of kind {kind!r:.80}; known: {', '.join(QUEUE)}.")
        if type(limit) is not int or not 1 <= limit <= MOST_SHOWN or type(offset) is not int or not 0 <= offset < 2**62:
            raise BadInput(f"limit must be from 1 to {MOST_SHOWN} and offset from 0.")
        catch_up(self._core)
        self._people.settle(None)
        return self.page(kind, limit, offset)

    def accept(self, proposal_id: str) -> Act:
        """Do what a proposal says; after `undo` the proposal waits again.

        A confirmed contradiction becomes a link, and recall then shows both sides together; a decision stands
        from then on, whatever is said later; the rest is done as the steward would.
        """
        kind, number = _named(proposal_id)
        if kind == "decision":
            return self._decide(number, is_right=True)
        if kind == "conflict":
            return self._contradict(number)
        if kind == ENTITY:
            pair = self._pair_of(number)
            return self._known_act(self._entities.merge([pair.other.key], pair.kept.key).act)
        if kind == NAMESAKES:
            with self._core.store.transaction():
                act = part_namesakes(self._core.store, self._namesakes_of(number))
                self._core.store.run("reviewed_put", item=number, act=act)
            return self._known_act(act)
        one = self._due_of(kind, number)
        done = self._steward.act(one.step, reviewed=True)
        if done is None:
            raise BadInput("This changed meanwhile. Look at the queue again.")
        return self._known_act(done)

    def reject(self, proposal_id: str) -> Act:
        """Reject a proposal: it does not come back, and the steward does not do it either. Can be undone.

        Rejecting a decision overrules it.
        """
        kind, number = _named(proposal_id)
        if kind == "decision":
            return self._decide(number, is_right=False)
        if kind == "conflict":
            with self._core.store.transaction():
                self._conflict(number)
                return self._say(REFUSE, "no contradiction", {"kind": kind}, number)
        if kind == ENTITY:
            self._pair_of(number)
            with self._core.store.transaction():
                return self._say(REFUSE, "two entities, not one", {"kind": kind}, number)
        if kind == NAMESAKES:
            self._namesakes_of(number)
            with self._core.store.transaction():
                return self._say(REFUSE, "one person, not two", {"kind": kind}, number)
        one = self._due_of(kind, number)
        into = self._steward.into(one.step)
        detail = {"kind": kind, "ids": list(one.step.ids), **({"into": into} if kind in JOINING else {})}
        with self._core.store.transaction():
            return self._say(REFUSE, f"not to {kind}: {one.step.reason}", detail, number)

    # --- the queue -----------------------------------------------------------------------------

    def page(self, kind: str | None, limit: int, offset: int) -> Review:
        """A part of the queue as it is, without looking for what is new."""
        listed, pairs = self._due()
        with self._core.store.snapshot():
            counts = {name: sum(one.kind == name for one in listed) for name in QUEUE} | {
                ENTITY: len(pairs),
                NAMESAKES: len(self._twos),
            }
            row = self._core.store.one("conflicts_open_count")
            assert row is not None
            counts["conflict"], counts["decision"] = int(row[0]), self._open_decisions()
            items: list[Proposal] = []
            skip, total = offset, 0
            for name in QUEUE if kind is None else (kind,):
                total += counts[name]
                if (room := limit - len(items)) > 0 and counts[name] > skip:
                    own = [one for one in listed if one.kind == name]
                    items += self._proposals(name, own, pairs, room, skip)
                skip = max(0, skip - counts[name])
        return Review(tuple(items), total, {name: count for name, count in counts.items() if count})

    def _proposals(
        self, kind: str, listed: Sequence[Due], pairs: Sequence[Pair], limit: int, offset: int
    ) -> list[Proposal]:
        if kind == ENTITY:
            return show_pairs(self._core.store, pairs[offset : offset + limit])
        if kind == NAMESAKES:
            return [show_namesakes(self._core.store, one) for one in self._twos[offset : offset + limit]]
        if kind == "conflict":
            return show_conflicts(self._core.store, self._core.store.all("conflicts_open", limit=limit, offset=offset))
        if kind == "decision":
            return show_decisions(
                self._core.store, self._core.store.keys("decisions_open", limit=limit, offset=offset).tolist()
            )
        return show_steps(self._core.store, listed[offset : offset + limit])

    def _due(self) -> tuple[list[Due], list[Pair]]:
        """What the steward would do now, and entities that may be one; what was found in the same minute of the same
        store is not looked for again."""
        now = to_micros(datetime.now(UTC))
        mark, claims = self._core.store.one("acts_mark"), self._core.store.one("claim_next")
        assert mark is not None and claims is not None
        state = (self._core.store.last_change(), int(mark["last"]), int(mark["undone"]), int(claims[0]), now // MINUTE)
        if self._planned is None or self._planned[0] != state:
            rules = self._steward.rules(from_micros(now), dict.fromkeys(KINDS, MOST_STEPS))
            found = self._steward.proposals(rules)
            self._planned = state, found, self._alike()
            self._twos = self._two_of_one_name()
        return self._planned[1], self._planned[2]

    def _open_decisions(self) -> int:
        """How many decisions wait; counted again only when one was made, or something was done or said."""
        marks = [self._core.store.one(name) for name in ("acts_mark", "decisions_mark")]
        state = (self._core.store.last_change(), *(int(value) for mark in marks if mark is not None for value in mark))
        if self._decided is None or self._decided[0] != state:
            row = self._core.store.one("decisions_open_count")
            assert row is not None
            self._decided = state, int(row[0])
        return self._decided[1]

    def _alike(self) -> list[Pair]:
        with self._core.store.snapshot():
            rows = self._core.store.all("entities_most_named", limit=MOST_COMPARED)
            found = find_similar_names(
                [Called(row["key"], row["type"], row["name"], row["owner"], row["mentions"]) for row in rows]
            )
            items = encode_keys([pair.item for pair in found])
            refused = {row["item"] for row in self._core.store.all("reviewed_among", items=items)}
        return [pair for pair in found if pair.item not in refused]

    def _two_of_one_name(self) -> list[Namesakes]:
        with self._core.store.snapshot():
            found = find_namesakes(self._core.store)
            items = encode_keys([one.item for one in found])
            decided = {row["item"] for row in self._core.store.all("reviewed_among", items=items)}
        return [one for one in found if one.item not in decided]

    def _namesakes_of(self, item: int) -> Namesakes:
        self._due()
        found = next((one for one in self._twos if one.item == item), None)
        if found is None:
            raise gone(f"{NAMESAKES}-{item}")
        return found

    def _pair_of(self, item: int) -> Pair:
        found = next((pair for pair in self._due()[1] if pair.item == item), None)
        if found is None:
            raise gone(f"{ENTITY}-{item}")
        return found

    def _due_of(self, kind: str, item: int) -> Due:
        found = next((one for one in self._due()[0] if (one.kind, one.item) == (kind, item)), None)
        if found is None:
            raise gone(f"{kind}-{item}")
        return found

    # --- a word is given ----------------------------------------------------------------------------

    def _decide(self, key: int, is_right: bool) -> Act:
        row = read_decision(self._core.store, key)
        if row["overruled"] or row["made_by"] == "user":
            raise gone(f"decision-{key}")
        verdict: OneOrTwo = "MERGE" if (row["verdict"] == "MERGE") == is_right else "SEPARATE"
        made = self._people.overrule(key, verdict, "confirmed in review" if is_right else "refused in review")
        return self._known_act(read_decision(self._core.store, made.id)["act"])

    def _conflict(self, item: int) -> Row:
        row = self._core.store.one("conflict_get", item=item)
        if row is None:
            raise gone(f"conflict-{item}")
        return row

    def _contradict(self, item: int) -> Act:
        """Link what contradicts; in one segment it stands together anyway."""
        now = to_micros(datetime.now(UTC))
        with self._core.store.transaction():
            row = self._conflict(item)
            places = self._core.store.all("segments_of_claims", keys=encode_keys([row["earlier"], row["later"]]))
            at = {place["claim"]: place for place in places}
            if len(at) < 2:
                raise gone(f"conflict-{item}")
            source, target = at[row["later"]], at[row["earlier"]]
            if source["key"] == target["key"]:
                return self._say(AGREE, "a contradiction within one segment", {"kind": "conflict"}, item)
            ends = {"src": source["key"], "dst": target["key"]}
            before = self._core.store.one("link_get", kind=CONTRADICTS, **ends)
            after = {"weight": 1.0, "label": row["about"], "author": "user", "provenance": "review", "made_at": now}
            put_link(self._core.store, ends["src"], CONTRADICTS, ends["dst"], 1.0, "user", "review", now, row["about"])
            ids = [segment_id(end["conversation"], end["session"], end["idx"]) for end in (source, target)]
            named_ends = {"source": ids[0], "kind": CONTRADICTS, "target": ids[1]}
            detail = {**named_ends, "before": None if before is None else values_of(before), "after": after}
            return self._say("link", f"{ids[0]} {CONTRADICTS} {ids[1]}", detail, item)

    def _say(self, kind: str, reason: str, detail: dict[str, Any], item: int) -> Act:
        """Write down an act and that a proposal was decided by it, inside the caller's transaction."""
        number = add_act(self._core.store, kind, reason, detail)
        self._core.store.run("reviewed_put", item=item, act=number)
        return self._known_act(number)

    def _known_act(self, number: int) -> Act:
        act = get_act(self._core.store, number)
        assert act is not None
        return act


def _undo_word(core: Core, act: Act) -> None:
    """Nothing to do: `undo` takes the note of it away, and with that it waits again."""


UNDO: Undo = {REFUSE: _undo_word, AGREE: _undo_word}


def _named(proposal_id: str) -> tuple[str, int]:
    """The kind and the number in a proposal's id."""
    found = ID.fullmatch(proposal_id) if isinstance(proposal_id, str) else None
    if found is None or found[1] not in QUEUE or int(found[2]) >= 2**63:
        raise BadInput(f"A proposal's id is one of those in `review`, not {proposal_id!r:.80}.")
    return found[1], int(found[2])
