"""Writes the graph of a memory as one self-contained HTML page that asks nothing of anybody.

Nodes and edges are those of the dashboard's picture (dashboard/ego_graph.py), placed in lanes (dashboard/lanes.py);
style and script are the dashboard's own files. What each question brought back is text, readable without any script.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from importlib import resources
from string import Template
from typing import Any

from ..language.text import plural
from ..language.times import local_day
from ..memory import Memory
from ..records import Candidate, Segment
from .dashboard.ego_graph import PictureRequest, ego_of
from .dashboard.lanes import place_in_lanes
from .render import as_value

MOST = 1_000  # segments drawn
TEXT_LIMIT = 700  # characters shown of one; a long paste should not make the page heavy
EMPTY = "Nothing remembered yet. Import a conversation, then draw the picture again."
NO_SCRIPT = "The picture is drawn by a script on this page, which does not run here."
EVERYTHING = (
    '<section class="answer card" hidden data-found=""><h2>Everything, word for word</h2><p class="pad">Every dot is a '
    "moment of a conversation: point at one to read how it begins. Ask one of the questions to see what comes back.</p>"
    "</section>"
)


@dataclass(frozen=True, slots=True)
class Highlight:
    """What a question brought back."""

    question: str
    found: Sequence[Candidate]
    note: str = ""


def draw_graph(memory: Memory, asked: Sequence[Highlight] = (), *, title: str) -> str:
    """The whole page as text, the same each time."""
    segments, _ = memory.graph()
    ids = [segment.id for segment in segments][:MOST]
    told: dict[str, Any] = ego_of(memory, PictureRequest(ids=ids, most=MOST)) if ids else {"nodes": [], "edges": []}
    if ids:
        told |= in_lanes(segments[:MOST], told["nodes"])
    number = {node["id"]: n for n, node in enumerate(told["nodes"])}
    talks = len({node["conversation"] for node in told["nodes"]})
    counts = ((len(ids), "moment"), (talks, "conversation"), (len(told["edges"]), "link"))
    page = Template(asset("picture.html"))
    return page.substitute(  # one pass: a placeholder inside a conversation stays text
        title=shown(title),
        summary=" · ".join(plural(count, noun) for count, noun in counts) if ids else "Empty so far",
        style=asset("dashboard", "assets", "style.css"),
        buttons="".join(button(one.question, n == 0) for n, one in enumerate(asked))
        + (button("Show everything", False) if asked else ""),
        answers="".join(answer(one, number, n == 0) for n, one in enumerate(asked)) + (EVERYTHING if asked else ""),
        instead=NO_SCRIPT if ids else EMPTY,
        told=json.dumps(as_value(told), separators=(",", ":")).replace("<", "\\u003c"),
        graphology=asset("dashboard", "assets", "vendor", "graphology.umd.min.js"),
        drawing="".join(as_one_script(name) for name in ("cutting.js", "locale.js", "drawing.js")),
    )


def in_lanes(segments: Sequence[Segment], nodes: list[dict[str, Any]]) -> dict[str, Any]:
    """Move nodes into lanes, each in its conversation's colour; returns what is drawn around them."""
    lanes = place_in_lanes(segments)
    for node in nodes:
        x, y, group = lanes.places[node["id"]]
        node.update(x=round(x, 1), y=round(-y, 1), group=group)  # the page's y goes up
    around = {name: getattr(lanes, name) for name in ("bands", "months", "radius", "width", "height")}
    return {"lanes": {**around, "dates": [(local_day(began), x, y) for began, x, y in lanes.dates]}}


def as_one_script(name: str) -> str:
    """A script of the dashboard without its imports: what it imports stands before it."""
    lines = asset("dashboard", "assets", name).splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("import "))


def asset(*path: str) -> str:
    return resources.files("engramma.apps").joinpath(*path).read_text(encoding="utf-8")


def button(question: str, is_chosen: bool) -> str:
    return f'<button type="button" aria-pressed="{str(is_chosen).lower()}">{shown(question)}</button>'


def answer(one: Highlight, number: dict[str, int], is_shown: bool) -> str:
    """What a question brought back, in the order said; every entry tells how it was reached."""
    drawn = [c for c in sorted(one.found, key=lambda c: c.said_at) if c.segment_id in number]
    items = "".join(
        f'<li><div class="meta"><b>{shown(", ".join(c.speakers))}</b> <small>{local_day(c.said_at)}</small></div>'
        f'<p class="said" dir="auto">{shown(shortened(c.text))}</p>{reached(c)}</li>'
        for c in drawn
    )
    found = " ".join(str(number[c.segment_id]) for c in drawn)
    note = f'<p class="pad quiet">{shown(one.note)}</p>' if one.note else ""
    listed = f"<ol>{items}</ol>" if items else '<p class="pad">Nothing in this memory answers it.</p>'
    head = f'<section class="answer card"{"" if is_shown else " hidden"} data-found="{found}">'
    return f"{head}<h2>{shown(one.question)}</h2>{note}{listed}</section>"


def reached(c: Candidate) -> str:
    if c.path is None:
        return '<span class="tag role-entry">found by the question</span>'
    how = "said next to it" if c.path.kind == "vertical" else f"linked by meaning, {c.path.weight:.2f}"
    return f'<span class="tag">{how}</span>'


def shortened(text: str) -> str:
    return text if len(text) <= TEXT_LIMIT else text[: TEXT_LIMIT - 1].rstrip() + "…"


def shown(text: str) -> str:
    """Escaped for text and attributes, without what HTML cannot hold: control characters, lone surrogates."""
    clean = "".join(c for c in text if c in "\n\t" or (c >= " " and not "\ud800" <= c <= "\udfff"))
    return escape(clean, quote=True)
