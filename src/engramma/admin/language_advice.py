"""Advises on the encoder of a store that was made for English and holds talk in other languages."""

from __future__ import annotations

from itertools import islice

from ..core.core import Core
from ..language.detect import is_foreign
from ..models.embed import MINI, PACKAGED
from ..store.store import Store, encode_keys

SAMPLE = 100  # segments of a namespace that are looked at
NAMESPACES = 10  # of a store: enough to tell, however many there are
BEGINNING = 500  # characters of a turn, which tell its language
FEWEST, SHARE = 3, 0.1  # turns in other languages that are worth a reindex, and their share of the sample


def language_advice(core: Core) -> str | None:
    """One sentence for a store that has engramma-mini-1 and a fair share of talk that is not English; else None."""
    if core.store.meta("embedder_name") != MINI:
        return None
    texts = sample_turns(core)
    foreign = sum(is_foreign(text) for text in texts)
    if foreign < max(FEWEST, SHARE * len(texts)):
        return None
    return (
        f"About {100 * foreign / len(texts):.0f} % of what was said is not in English, and {MINI} finds that by its "
        f"words only: `engramma reindex --embedder {PACKAGED}` makes it findable by meaning."
    )


def sample_turns(core: Core) -> list[str]:
    """The beginnings of some turns of every namespace."""
    database = core.store.database
    texts = []
    for row in islice(database.all("namespace_names", {}), NAMESPACES):
        store = Store(database, row["name"], create=False)
        keys = encode_keys(found["key"] for found in store.all("segment_sample", limit=SAMPLE))
        texts += [turn["text"][:BEGINNING] for turn in store.all("turns_by_segments", keys=keys)]
    return texts
