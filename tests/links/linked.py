"""What the tests of typed links share: sessions of one turn, and recalls of which everything can be worked out."""

from __future__ import annotations

from dataclasses import replace

from engramma.language.handles import handle_of
from engramma.recall.recipes import RECIPES
from tests.conftest import talk

BARE = replace(RECIPES["vector"], thresholds="fixed", floor=0.4, dedup=2.0)  # entries by cosine, nothing else
PLAN = replace(BARE, typed=5)


def said(memory, **sessions):
    """Sessions of one turn, a day apart, by name."""
    for day, (name, text) in enumerate(sessions.items()):
        memory.remember_session("c", name, talk(f"Ana: {text}", day=day))


def seg(name):
    return f"seg_c/{name}_0"


def ask(memory, plan=PLAN, **options):
    return memory.recall("@0", recipe=plan, **options)


def scores(found):
    return {c.session_id: c.score for c in found.candidates}


def shown(found):
    """The session of each block of the context, in order, and how its label says that it stands to others."""
    names = {handle_of(c.segment_id): c.session_id for c in found.candidates}
    labels = [line.strip("[]").split(" | ") for line in found.context.splitlines() if line.startswith("[2")]
    told = ["".join(label[4:]) for label in labels]
    for handle, name in names.items():
        told = [one.replace(handle, name) for one in told]
    return [(names[label[3]], one) for label, one in zip(labels, told, strict=True)]
