"""What each kind of typed link is worth in recall, and which ways it is followed.

One constant a kind: the share of a score, times the link's weight, that the other end gets. A kind whose constant is 0
does nothing at all. What each is worth in use is in docs/explanation/links.md. PostgreSQL's functions for SQL clients
have the same table (`link_worth`, compared by a test).
"""

from __future__ import annotations

SUPPORT = 0.5  # what supports an entry, or what it supports: strengthened, yet by itself never above its entry
COUNTERPOINT = 1.0  # whoever reads one side has to read the other
STEP = 0.9  # the next and the previous step of a procedure; a step further on gets it once more
WHOLE = 0.7  # what an entry is a part of
CAUSE = 0.8  # what caused what an entry tells
RELATED = 0.6  # a lateral neighbour, as an edge of that cosine would pass on
EXTENSION = 0.6  # a note and the document it extends
NEWER = 1.0  # what supersedes an entry; the superseded is never brought

WORTH: dict[str, float] = {
    "supports": SUPPORT,
    "contradicts": COUNTERPOINT,
    "before": STEP,
    "after": STEP,
    "part_of": WHOLE,
    "caused_by": CAUSE,
    "related_to": RELATED,
    "extends": EXTENSION,
    "supersedes": NEWER,
}
# What the graph's own edges pass on in hybrid search. The turn beside one is worth more than what is like it on another
# day: meaning has found that already (docs/log/hybrid.md).
EDGE_WORTH = {"semantic": 0.5, "chain": 0.7}

# Ways a link is followed: True from where it begins to where it points, False backwards.
FOLLOWED: dict[str, tuple[bool, ...]] = {
    "part_of": (True,),
    "caused_by": (True,),
    "supersedes": (False,),
    **dict.fromkeys(("supports", "contradicts", "before", "after", "related_to", "extends"), (True, False)),
}
