"""Draws a memory graph as one self-contained HTML page: inline SVG, no requests, the same bytes every time.

Every session is a horizontal chain that starts at its date; conversations are bands of one colour.
Places come from picture_layout.py, style and script from picture.html; this module draws and escapes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from html import escape
from pathlib import Path
from string import Template

from engramma.apps.picture_layout import (
    BAND_GAP,
    MONTHS,
    Highlight,
    Layout,
    Link,
    Marks,
    Node,
    curve,
    mark,
    place,
    ticks,
)

__all__ = ["Highlight", "Link", "Node", "draw_graph"]

TEXT_LIMIT = 700  # characters shown of one node; a long paste should not make the page heavy

_EMPTY = (
    '<svg class="graph empty" xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 860 300" '
    'aria-labelledby="graph-title"><title id="graph-title">An empty memory</title>'
    '<path d="M310 105H550"/><circle cx="310" cy="105" r="13"/><circle cx="430" cy="105" r="13"/>'
    '<circle cx="550" cy="105" r="13"/><text class="big" x="430" y="180">Nothing remembered yet</text>'
    '<text x="430" y="210">Import a conversation, then draw the picture again.</text></svg>'
)
_EVERYTHING = (
    '<section class="answer" hidden><h2>Everything, word for word</h2><p>Every dot is a moment of a '
    "conversation. Point at one, tap it, or walk with the arrow keys to read what was said. Ask one of the "
    "questions to see what comes back, and along which links.</p></section>"
)


def draw_graph(
    nodes: Sequence[Node], edges: Sequence[Link], *, title: str, highlights: Sequence[Highlight] = ()
) -> str:
    """The whole page as text. Links and highlights that name unknown nodes are left out."""
    if not nodes:
        return _page(title, "Empty so far", _EMPTY)
    layout = place(nodes)
    order = [node for lane in layout.lanes for node in lane.nodes]
    colours = [lane.colour for lane in layout.lanes for _ in lane.nodes]
    index = {node.id: i for i, node in enumerate(order)}
    known = [link for link in edges if link.src in index and link.dst in index]
    drawn, marks = mark(known, highlights, index, order)
    svg = _svg(title, layout, order, drawn, len(known), marks)
    answers = "".join(_answer(highlight, marks[i], i == 0, order, colours) for i, highlight in enumerate(highlights))
    answers += _EVERYTHING if highlights else ""
    return _page(title, _summary(layout, order, len(known)), svg, _buttons(highlights), answers, marks)


# --- drawing -------------------------------------------------------------------------------------


def _svg(
    title: str,
    layout: Layout,
    order: Sequence[Node],
    links: Sequence[Link],
    listed: int,
    marks: Sequence[Marks],
) -> str:
    first = marks[0] if marks else Marks([], [], [])  # shown at once, also where scripts do not run
    spots = {node.id: (lane.x + layout.step * i, lane.y) for lane in layout.lanes for i, node in enumerate(lane.nodes)}
    focus = " focus" if marks else ""
    return (
        f'<svg class="graph{focus}" xmlns="http://www.w3.org/2000/svg" role="group" '
        f'aria-labelledby="graph-title graph-text" viewBox="0 0 {layout.width:g} {layout.height:g}" '
        f'style="min-width:{layout.width * 0.88:g}px;max-width:{layout.width * 1.15:g}px">'
        f'<title id="graph-title">{_e(title)}</title>'
        f'<desc id="graph-text">Each session is a row of dots in the order said. Solid lines join neighbours '
        f"in a session, dashed curves join similar moments of different sessions. Arrow keys move between "
        f"dots.</desc>{_frame(layout)}"
        f'<g class="links">{_links(links, listed, spots, first)}</g>'
        f'<g class="nodes">{_nodes(layout, spots, first)}</g>{_days(layout)}</svg>'
    )


def _links(links: Sequence[Link], listed: int, spots: Mapping[str, tuple[float, float]], first: Marks) -> str:
    """Semantic links first, so that the chains lie on top; those past `listed` wait for their question."""
    weights = [link.weight for link in links if link.kind == "semantic"] or [0.0]
    low, reach = min(weights), (max(weights) - min(weights)) or 1.0
    followed = set(first.links)
    parts = []
    for kind in ("semantic", "chain"):
        for i, link in enumerate(links):
            if link.kind != kind:
                continue
            opacity = 1.0 if kind == "chain" else 0.16 + 0.5 * (link.weight - low) / reach
            classes = f"link {kind}" + " only" * (i >= listed) + " on" * (i in followed)
            parts.append(
                f'<path class="{classes}" data-l="{i}" data-src="{_e(link.src)}" data-dst="{_e(link.dst)}" '
                f'd="{curve(spots[link.src], spots[link.dst])}" style="--o:{opacity:.2f}"/>'
            )
    return "".join(parts)


def _nodes(layout: Layout, spots: Mapping[str, tuple[float, float]], first: Marks) -> str:
    entries, near = set(first.entries), set(first.near)
    parts: list[str] = []
    for lane in layout.lanes:
        for node in lane.nodes:
            i = len(parts)
            x, y = spots[node.id]
            state = " entry" * (i in entries) + " near" * (i in near)
            letter = f'<text dy=".35em">{_e(node.speaker[:1].upper())}</text>' if layout.letters else ""
            parts.append(
                f'<g class="node c{lane.colour}{state}" data-id="{_e(node.id)}" role="img" '
                f'tabindex="{-1 if i else 0}" transform="translate({x:.1f} {y:.1f})">'
                f"<title>{_e(_told(node))}</title>"
                f'<circle class="halo" r="{layout.radius * 1.35:.1f}"/>'
                f'<circle class="dot" r="{layout.radius:g}"/>{letter}</g>'
            )
    return "".join(parts)


def _frame(layout: Layout) -> str:
    """What lies behind the graph: bands with their names, and the months."""
    parts = []
    for name, colour, y, height in layout.bands:
        kind = "mixed" if colour is None else f"c{colour}"
        parts.append(
            f'<g class="band {kind}"><rect x="1" y="{y:g}" width="{layout.width - 2:g}" '
            f'height="{height:g}" rx="12"/><text x="16" y="{y + 20:g}">{_e(_short(name, 60))}</text></g>'
        )
    for label, x in ticks(layout):
        parts.append(
            f'<g class="tick"><line x1="{x:.1f}" y1="22" x2="{x:.1f}" y2="{layout.height - BAND_GAP:g}"/>'
            f'<text x="{x:.1f}" y="14">{label}</text></g>'
        )
    return "".join(parts)


def _days(layout: Layout) -> str:
    """The date before every chain; drawn above the links so that it can be read."""
    parts = []
    years = layout.start.year != layout.end.year
    for lane in layout.lanes:
        when = lane.nodes[0].said_at
        year = f" {when.year % 100:02d}" if years else ""
        parts.append(
            f'<text class="day" x="{lane.x - layout.radius - 7:.1f}" y="{lane.y:.1f}" dy=".35em">'
            f"{when.day} {MONTHS[when.month - 1]}{year}</text>"
        )
    return "".join(parts)


# --- beside the drawing --------------------------------------------------------------------------


def _buttons(highlights: Sequence[Highlight]) -> str:
    if not highlights:
        return ""
    buttons = [
        f'<button type="button" value="{i}" aria-pressed="{"false" if i else "true"}">{_e(one.question)}</button>'
        for i, one in enumerate(highlights)
    ]
    return "".join(buttons) + '<button type="button" value="-1" aria-pressed="false">Show everything</button>'


def _answer(highlight: Highlight, marks: Marks, shown: bool, order: Sequence[Node], colours: Sequence[int]) -> str:
    """What a question brought back, as a list in the order said; every line tells how it was reached."""
    origins = {link.dst: link for link in reversed(highlight.expanded)}
    items = []
    for i in sorted(marks.entries + marks.near, key=lambda i: (order[i].said_at, i)):
        node = order[i]
        if i in marks.entries:
            tag = '<span class="tag entry">found by the question</span>'
        elif origins[node.id].kind == "chain":
            tag = '<span class="tag">said beside it</span>'
        else:
            tag = f'<span class="tag">linked by meaning, {origins[node.id].weight:.2f}</span>'
        items.append(
            f'<li class="c{colours[i]}" data-n="{i}"><b>{_e(node.speaker)}</b> '
            f"<small>{_day(node.said_at)}</small>"
            f'<p dir="auto">{_e(_short(node.text, TEXT_LIMIT))}</p>{tag}</li>'
        )
    note = f"<p>{_e(highlight.note)}</p>" if highlight.note else ""
    listed = f"<ol>{''.join(items)}</ol>" if items else "<p>Nothing in this memory answers it.</p>"
    hidden = "" if shown else " hidden"
    return f'<section class="answer"{hidden}><h2>{_e(highlight.question)}</h2>{note}{listed}</section>'


def _summary(layout: Layout, nodes: Sequence[Node], links: int) -> str:
    conversations = len({node.conversation for node in nodes})
    counts = (
        (len(nodes), "moment"),
        (len(layout.lanes), "session"),
        (conversations, "conversation"),
        (links, "link"),
    )
    told = [f"{count:,} {word}{'' if count == 1 else 's'}" for count, word in counts]
    first, last = _day(min(n.said_at for n in nodes)), _day(max(n.said_at for n in nodes))
    return " · ".join([*told, first if first == last else f"{first} – {last}"])


def _page(
    title: str,
    summary: str,
    graph: str,
    buttons: str = "",
    answers: str = "",
    marks: Sequence[Marks] | None = None,
) -> str:
    data = [{"entries": m.entries, "near": m.near, "links": m.links} for m in marks or ()]
    template = Template(Path(__file__).with_name("picture.html").read_text(encoding="utf-8"))
    return template.substitute(  # one pass: a placeholder inside a conversation stays text
        title=_e(title),
        summary=summary,
        graph=graph,
        buttons=buttons,
        answers=answers,
        state="" if answers else " plain" if marks is not None else " none",
        marks=json.dumps(data, separators=(",", ":")).replace("<", "\\u003c"),
    )


def _told(node: Node) -> str:
    """The label of a node: a line with who and when, then the words."""
    when = node.said_at
    who = " ".join(node.speaker.split())
    return f"{who} · {_day(when)}, {when:%H:%M}\n{_short(node.text, TEXT_LIMIT)}"


def _day(when: datetime) -> str:
    return f"{when.day} {MONTHS[when.month - 1]} {when.year}"


def _short(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def _e(text: str) -> str:
    """Escaped for text and attributes, without what HTML cannot hold: control characters, lone surrogates."""
    clean = "".join(c for c in text if c in "\n\t" or (c >= " " and not "\ud800" <= c <= "\udfff"))
    return escape(clean, quote=True)
