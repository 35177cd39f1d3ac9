"""Typed links: creates, removes and lists them, and adjusts their weights by feedback."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, get_args

from ..core.core import Core
from ..core.names import known_key, segment_key
from ..core.undo import Undo
from ..errors import BadInput
from ..ingest.note_repeats import put_link
from ..ingest.validate import check_name, checked_name
from ..language.text import plural
from ..language.times import to_micros
from ..recall.count import note_recalled
from ..recall.pipeline import recall_by_plan
from ..recall.recipes import plan_for
from ..records import Act, Candidate, Link, LinkKind, Neighbor, Query, Recall
from ..records.recall import MOST_NEIGHBORS
from ..store.acts import act_of, add_act, get_act
from ..store.links import link_of, list_visible_ids, read_links, remove_link, values_of
from ..store.store import encode_keys
from .graph import neighbors
from .learn import faded, gained, learnt, lessons

KINDS: tuple[str, ...] = get_args(LinkKind)
OF_THE_STORE = ("extends", "supersedes")  # drawn by the store itself; they can be listed and taken away

Values = Mapping[str, Any]  # of a link, as an act keeps them


class Links:
    """Typed links between segments, and what may be found along edges of every kind."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def add(
        self,
        source_id: str,
        kind: str,
        target_id: str,
        *,
        weight: float = 1.0,
        label: str | None = None,
        author: str = "user",
        provenance: str | None = None,
    ) -> Link:
        """Join two segments. Again with other values replaces them; what the old weight had learnt is gone then.

        `label` is a word of your own, `author` who says so, `provenance` where it is known from.
        """
        if kind not in KINDS:
            raise BadInput(f"There is no kind of link {kind!r:.80} to create. Known: {', '.join(KINDS)}.")
        if type(weight) not in (int, float) or not (math.isfinite(weight) and 0 < weight <= 1):
            raise BadInput(f"weight must be a number above 0 and at most 1, not {weight!r:.80}.")
        author = checked_name(author, "author", self._core.mask)
        for name, text in (("label", label), ("provenance", provenance)):
            if text is not None:
                check_name(text, name)
        label, provenance = (None if text is None else self._core.look(text).text for text in (label, provenance))
        (src, source_id), (dst, target_id) = self._end(source_id), self._end(target_id)
        if src == dst:
            raise BadInput(f"{source_id!r:.200} cannot be linked to itself.")
        now = to_micros(datetime.now(UTC))
        wanted = {"weight": float(weight), "label": label, "author": author, "provenance": provenance}
        with self._core.store.transaction():
            row = self._core.store.one("link_get", src=src, kind=kind, dst=dst)
            before = None if row is None else values_of(row)
            if before is None or {**before, **wanted} != before:
                put_link(self._core.store, src, kind, dst, float(weight), author, provenance, now, label)
                named = {"source": source_id, "kind": kind, "target": target_id}
                detail = {**named, "before": before, "after": {**wanted, "made_at": now}}
                add_act(self._core.store, "link", f"{source_id} {kind} {target_id}", detail)
            row = self._core.store.one("link_get", src=src, kind=kind, dst=dst)
        assert row is not None
        return link_of(row, source_id, target_id)

    def remove(self, source_id: str, kind: str, target_id: str) -> bool:
        """Take a typed link away, whoever made it; False if there is none."""
        if kind not in (*KINDS, *OF_THE_STORE):
            raise BadInput(f"There is no kind of link {kind!r:.80}. Known: {', '.join((*KINDS, *OF_THE_STORE))}.")
        (src, source_id), (dst, target_id) = self._end(source_id), self._end(target_id)
        with self._core.store.transaction():
            row = self._core.store.one("link_get", src=src, kind=kind, dst=dst)
            if row is None:
                return False
            remove_link(self._core.store, src, kind, dst)
            named = {"source": source_id, "kind": kind, "target": target_id}
            detail = {**named, "before": values_of(row), "after": None}
            add_act(self._core.store, "unlink", f"{source_id} {kind} {target_id}", detail)
        return True

    def all(self, segment_id: str | None = None, kind: str | None = None) -> list[Link]:
        """The typed links, all or those at one segment, whichever way they point; in the order of their ids."""
        if kind is not None and kind not in (*KINDS, *OF_THE_STORE):
            raise BadInput(f"There is no kind of link {kind!r:.80}. Known: {', '.join((*KINDS, *OF_THE_STORE))}.")
        with self._core.store.snapshot():
            if segment_id is None:
                rows = self._core.store.all("links_all")
            else:
                rows = self._core.store.all("links_at", keys=encode_keys([self._end(segment_id)[0]]))
            found = read_links(self._core.store, [row for row in rows if kind in (None, row["kind"])])
        return sorted(found, key=lambda link: (link.source, link.kind, link.target))

    def used(self, found: Recall, segment_ids: Iterable[str]) -> Act | None:
        """Say which of what a recall brought back was of use, and let the links that it followed learn from it.

        Those that led there gain weight, the others that it followed fade. Returns the act, which says what moved
        and can be undone; None if no link was followed.
        """
        ids = list(dict.fromkeys([segment_ids] if isinstance(segment_ids, str) else segment_ids))
        if others := sorted(set(ids) - {c.segment_id for c in found.candidates}):
            raise BadInput(f"This recall did not bring back {', '.join(map(repr, others[:5]))}.")
        shown = set(found.shown)
        at = to_micros(datetime.now(UTC))
        with self._core.store.transaction():
            moved = []
            for (source, kind, target), is_used in lessons(found, set(ids), shown).items():
                src, dst = segment_key(self._core, source), segment_key(self._core, target)
                row = self._core.store.one("link_get", src=src, kind=kind, dst=dst)
                if row is None:
                    continue  # taken away since
                weight = gained(row["weight"]) if is_used else faded(row["weight"])
                self._core.store.run("edge_put", src=src, kind=kind, dst=dst, weight=weight)
                named = {"source": source, "kind": kind, "target": target, "used": is_used}
                moved.append({**named, "from": row["weight"], "to": weight})
            last = self._count_uses(ids, at)
            if not moved:
                return None
            led = sum(link["used"] for link in moved)
            reason = f"of {plural(len(moved), 'link')} that a recall followed, {led} led to a useful segment"
            act = get_act(
                self._core.store, add_act(self._core.store, "learn", reason, {"links": moved, "uses": last, "at": at})
            )
        return act

    def match(self, query: str, k: int = 10) -> tuple[Candidate, ...]:
        """The k nearest segments by meaning alone (recipe vector), the nearest first."""
        return self._entries(query, k, "vector")

    def match_hybrid(self, query: str, k: int = 10) -> tuple[Candidate, ...]:
        """The k best by the ranks of meaning and of proximity in the graph together (recipe takizen)."""
        return self._entries(query, k, "takizen")

    def neighbors(self, ids: str | Iterable[str], hops: int = 1, cap: int = MOST_NEIGHBORS) -> tuple[Neighbor, ...]:
        """The nearest segments around some, along edges of every kind, either way; the nearest first.

        Proximity is the product of the weights on the best way, halved for a second hop. What is archived,
        retired or forgotten is neither shown nor passed, and the given ones are not their own neighbours.
        """
        return neighbors(self._core, ids, hops, cap)

    # --- taking it back ------------------------------------------------------------------------

    def restore(self, act: Act) -> None:
        """The link as it was without this act, whatever else was undone or not."""
        detail = _whole(act)
        source, kind, target = detail["source"], detail["kind"], detail["target"]
        rows = self._core.store.all("acts_on_link", source=source, kind=kind, target=target)
        history = [act_of(row) for row in rows]
        if any(other.id > act.id and other.undone_at is None for other in history):
            return  # a later act decides what is there; when that goes, it looks at what stands before it
        values = value_without(act, history)
        src, dst = segment_key(self._core, source), segment_key(self._core, target)
        if src is None or dst is None:
            if values is not None:
                raise BadInput(f"The link cannot be restored: {source if src is None else target} is gone.")
        elif values is None:
            remove_link(self._core.store, src, kind, dst)
        else:
            how = (values["author"], values["provenance"], values["made_at"], values["label"])
            put_link(self._core.store, src, kind, dst, values["weight"], *how)
            self._relearn(source, kind, target)

    def unlearn(self, act: Act) -> None:
        """Weights as all other answers make them, and the uses not counted."""
        detail = _whole(act)
        for link in detail["links"]:
            self._relearn(link["source"], link["kind"], link["target"], without=act.id)
        for id, last in (detail["uses"] or {}).items():  # none: a purge took them
            if (key := segment_key(self._core, id)) is not None:
                self._core.store.run("use_take_back", key=key, at=detail["at"], before=last)
                self._core.store.run("uses_none", key=key)

    # --- steps ---------------------------------------------------------------------------------

    def _entries(self, query: str, k: int, recipe: str) -> tuple[Candidate, ...]:
        found = recall_by_plan(self._core, plan_for(recipe, self._core.config.recipes), Query(query, k))
        note_recalled(self._core, found)
        return found.entries

    def _end(self, id: str) -> tuple[int, str]:
        """The key and the id, as it is spelled, of a segment that may be linked: known and not forgotten."""
        ids = list_visible_ids(self._core.store, [key := known_key(self._core, id)])
        if key not in ids:
            raise BadInput(f"There is no segment {id!r:.200} in this memory.")
        return key, ids[key]

    def _relearn(self, source: str, kind: str, target: str, without: int | None = None) -> None:
        """Give a link the weight that its first one and the answers since make, if it is still there."""
        src, dst = segment_key(self._core, source), segment_key(self._core, target)
        row = self._core.store.one("link_get", src=src, kind=kind, dst=dst)
        if row is not None:
            named = {"source": source, "kind": kind, "target": target, "since": row["made_at"]}
            answers = [bool(a["used"]) for a in self._core.store.all("learnt_of_link", **named) if a["id"] != without]
            weight = learnt(row["first_weight"], answers)
            self._core.store.run("edge_put", src=src, kind=kind, dst=dst, weight=weight)

    def _count_uses(self, ids: Sequence[str], at: int) -> dict[str, int | None]:
        """Count a use of each; returns when each was last used before."""
        last: dict[str, int | None] = {}
        for id in ids:
            if (key := segment_key(self._core, id)) is not None:
                row = self._core.store.one("use_last", key=key)
                last[id] = None if row is None else row["last_at"]
                self._core.store.run("use_add", key=key, hits=1, at=at)
        return last


def _whole(act: Act) -> Mapping[str, Any]:
    """What an act says, if a purge has not taken it away."""
    if not {"source", "links"} & act.detail.keys():
        raise BadInput(f"Act {act.id} cannot be undone: something it concerns was purged.")
    return act.detail


def value_without(act: Act, history: Sequence[Act]) -> Values | None:
    """What a link was before an act; if the act that made it so was undone since, what it was before that one."""
    while True:
        stood = [a for a in history if a.id < act.id and (a.undone_at is None or a.undone_at > act.at)]
        if not stood or stood[-1].undone_at is None:
            before: Values | None = act.detail["before"]
            return before
        act = stood[-1]


UNDO: Undo = {
    "link": lambda core, act: Links(core).restore(act),
    "unlink": lambda core, act: Links(core).restore(act),
    "learn": lambda core, act: Links(core).unlearn(act),
}
