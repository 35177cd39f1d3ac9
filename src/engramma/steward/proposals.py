"""What the steward would do, one step at a time for somebody to decide, and notes that say different things."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..language.text import digest, same_facts
from ..store.store import Store, encode_keys
from .merge import Alike, may_replace
from .plan import Seen, StewardRules, StewardStep, Vetoes, live_notes
from .run import Compared, collect_step_keys, plan, texts_of, vetoes_of

DIFFER = "differ"  # two notes almost alike whose facts are not: the newer one may stand for both


@dataclass(frozen=True, slots=True)
class Due:
    """A step that waits for somebody's word."""

    item: int  # a hash of what it is about
    kind: str  # of the proposal
    step: StewardStep


def find_due_steps(store: Store, rules: StewardRules, known: Compared | None) -> tuple[list[Due], Compared]:
    """Every step that was not refused. What somebody accepted here and took back is asked for again."""
    with store.snapshot():
        vetoes = vetoes_of(store, with_reviews=False)
        found, compared = plan(store, rules, known, vetoes)
        taken = collect_step_keys(list(found.steps)) | {
            step.into.key for step in found.steps if isinstance(step.into, Seen)
        }
        apart = _differing(live_notes(store), compared.pairs, texts_of(store, compared), taken, rules, vetoes)
        listed = [Due(_item_of(DIFFER, step), DIFFER, step) for step in apart]
        listed += [Due(_item_of(step.kind, step), step.kind, step) for step in found.steps]
        refused = {row["item"] for row in store.all("reviewed_among", items=encode_keys([one.item for one in listed]))}
    return [one for one in listed if one.item not in refused], compared


def _differing(
    notes: Sequence[Seen], pairs: Alike, texts: Mapping[int, str], taken: set[int], rules: StewardRules, vetoes: Vetoes
) -> list[StewardStep]:
    """Notes of one speaker that are as alike as those that are merged and name other facts: the newer may stand for
    the older. The most alike first, and each note in one step."""
    gone = set(taken)
    found = []
    for one, other, cosine in zip(pairs.one.tolist(), pairs.other.tolist(), pairs.cosines.tolist(), strict=True):
        if cosine < rules.merge_floor:
            break  # they come the most alike first
        older, newer = sorted((notes[one], notes[other]), key=lambda note: (note.made_at, note.tie, note.key))
        if older.key in gone or newer.key in gone or not may_replace(newer, older):
            continue
        if vetoes.bars(DIFFER, older.id, newer.id) or same_facts(texts[older.key], texts[newer.key]):
            continue
        gone |= {older.key, newer.key}
        reason = f"cosine {cosine:.4f} (from {rules.merge_floor:g}) but different facts; the newer one would stay"
        found.append(StewardStep("merge", reason, (older.key,), (older.id,), (older, newer), newer, round(cosine, 4)))
    return found


def _item_of(kind: str, step: StewardStep) -> int:
    """A number for what a step is about, the same whenever it is planned."""
    into = (step.into.id,) if isinstance(step.into, Seen) else ()
    return int.from_bytes(digest(kind, *step.ids, *into)[:8], "big") >> 1
