"""Where the parts of the memory picture stand: sessions as lanes on a time axis, and what is marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
COLOURS = 8  # as many as picture.html defines; further conversations begin again with the first
MAX_BANDS = 8  # more conversations than this share one band, or the headings outgrow the drawing
MAX_LANES = 16  # more sessions than this share rows where they leave room
LEFT, RIGHT, TOP, WIDTH = 74, 24, 30, 840.0  # margins, and the width of the drawing on a laptop
HEAD, BAND_PAD, BAND_GAP = 25, 9, 10  # heading of a band, room below its last lane, room between bands


@dataclass(frozen=True, slots=True)
class Node:
    """One segment to draw; `conversation` and `session` are also what the picture calls them apart by."""

    id: str
    session: str
    conversation: str
    said_at: datetime
    speaker: str
    text: str


@dataclass(frozen=True, slots=True)
class Link:
    """An edge between two nodes, by their ids."""

    src: str
    dst: str
    kind: Literal["chain", "semantic"]
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Highlight:
    """What a question brought back: entries, and for each neighbour the link from an entry that led there."""

    question: str
    entries: tuple[str, ...]
    expanded: tuple[Link, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Marks:
    """A highlight by numbers: of its nodes, in the order drawn, and of the links it followed."""

    entries: list[int]
    near: list[int]
    links: list[int]


@dataclass(frozen=True, slots=True)
class Lane:
    """A session in its place: the nodes in the order said, and where the first one stands."""

    nodes: tuple[Node, ...]
    colour: int
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Layout:
    """Everything placed: lanes, bands as (name, colour, y, height), the measures, and the time axis."""

    lanes: tuple[Lane, ...]
    bands: tuple[tuple[str, int | None, float, float], ...]
    step: float
    radius: float
    width: float
    height: float
    start: datetime
    end: datetime
    spread: float

    @property
    def letters(self) -> bool:
        """Whether a dot is large enough to hold the speaker's initial."""
        return self.radius >= 8

    def at(self, moment: datetime) -> float:
        """The x of a session that starts at this moment."""
        span = (self.end - self.start).total_seconds() or 1.0
        return LEFT + self.spread * (moment - self.start).total_seconds() / span


def place(nodes: Sequence[Node]) -> Layout:
    sessions: dict[tuple[str, str], list[Node]] = {}
    for node in sorted(nodes, key=lambda n: n.said_at):  # stable: nodes of one moment keep the caller's order
        sessions.setdefault((node.conversation, node.session), []).append(node)
    names = list(dict.fromkeys(conversation for conversation, _ in sessions))
    colour = {name: i % COLOURS for i, name in enumerate(names)}
    step, radius = (25.0, 8.0) if len(nodes) <= 300 else (13.0, 4.5) if len(nodes) <= 900 else (9.0, 3.0)
    row_height = 41.0 if len(sessions) <= MAX_LANES else max(26.0, radius * 3.5)
    longest = step * (max(len(said) for said in sessions.values()) - 1)
    spread = max(WIDTH - LEFT - RIGHT - longest, min(360.0 + 24 * max(0, len(sessions) - 12), 4000.0))
    starts = [said[0].said_at for said in sessions.values()]
    frame = Layout((), (), step, radius, LEFT + spread + longest + RIGHT, 0, min(starts), max(starts), spread)

    groups = [[name] for name in names] if len(names) <= MAX_BANDS else [names]
    lanes: list[Lane] = []
    bands: list[tuple[str, int | None, float, float]] = []
    y = float(TOP)
    for group in groups:
        members = set(group)
        ends: list[float] = []  # where the last chain of each row of this band ends
        for (name, _), said in sessions.items():
            if name not in members:
                continue
            x = frame.at(said[0].said_at)
            fits = (row for row, end in enumerate(ends) if len(sessions) > MAX_LANES and end < x)
            row = next(fits, len(ends))
            ends[row : row + 1] = [x + step * (len(said) - 1) + LEFT]  # the next chain's date needs room too
            lanes.append(Lane(tuple(said), colour[name], x, y + HEAD + row_height * (row + 0.5)))
        height = HEAD + row_height * len(ends) + BAND_PAD
        heading = group[0] if len(group) == 1 else f"{len(group)} conversations"
        bands.append((heading, colour[group[0]] if len(group) == 1 else None, y, height))
        y += height + BAND_GAP
    return Layout(tuple(lanes), tuple(bands), step, radius, frame.width, y, frame.start, frame.end, frame.spread)


def mark(
    links: Sequence[Link], highlights: Sequence[Highlight], index: Mapping[str, int], order: Sequence[Node]
) -> tuple[list[Link], list[Marks]]:
    """The links to draw, and for each highlight the numbers of its nodes and of the links it followed.

    Recall may walk an edge backwards, or two steps along a chain; a link it followed that nobody
    listed is added at the end, to be shown with its question only.
    """
    drawn = list(links)
    number = {(frozenset((link.src, link.dst)), link.kind): i for i, link in enumerate(drawn)}
    marks = []
    for highlight in highlights:
        entries = sorted({index[entry] for entry in highlight.entries if entry in index})
        steps = [link for link in highlight.expanded if link.src in index and link.dst in index]
        followed: set[int] = set()
        for link in steps:
            a, b = sorted((index[link.src], index[link.dst]))
            hops = [frozenset((order[i].id, order[i + 1].id)) for i in range(a, b)]
            if link.kind == "chain" and all((hop, "chain") in number for hop in hops):
                followed.update(number[hop, "chain"] for hop in hops)
                continue
            key = (frozenset((link.src, link.dst)), link.kind)
            if key not in number:
                number[key] = len(drawn)
                drawn.append(link)
            followed.add(number[key])
        near = sorted({index[link.dst] for link in steps} - set(entries))
        marks.append(Marks(entries, near, sorted(followed)))
    return drawn, marks


def ticks(layout: Layout) -> list[tuple[str, float]]:
    """The first of a month, or of every second, third, sixth or twelfth when they would crowd."""
    first, last = (moment.year * 12 + moment.month - 1 for moment in (layout.start, layout.end))
    room = max(1, int(layout.spread // 60))
    every = next((n for n in (1, 2, 3, 6, 12) if (last - first) / n <= room), 12 * (1 + (last - first) // 12))
    found: list[tuple[str, float]] = []
    for month in range(first + 1, last + 1):
        if month % every == 0:
            year, zero = divmod(month, 12)
            label = f"{MONTHS[zero]} {year}" if zero == 0 or every > 6 or not found else MONTHS[zero]
            found.append((label, layout.at(layout.start.replace(year=year, month=zero + 1, day=1))))
    return found


def curve(a: tuple[float, float], b: tuple[float, float]) -> str:
    (x1, y1), (x2, y2) = a, b
    if y1 != y2:
        bend = (y2 - y1) * 0.5
        return f"M{x1:.1f} {y1:.1f}C{x1:.1f} {y1 + bend:.1f} {x2:.1f} {y2 - bend:.1f} {x2:.1f} {y2:.1f}"
    if abs(x2 - x1) < 40:
        return f"M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}"
    return f"M{x1:.1f} {y1:.1f}Q{(x1 + x2) / 2:.1f} {y1 - min(60.0, abs(x2 - x1) * 0.2):.1f} {x2:.1f} {y2:.1f}"
