"""Places segments in lanes: a row for each session along a time axis, in a band for each conversation."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from ...language.text import DOCUMENTS, NOTES
from ...records import Segment

MAX_BANDS = 8  # more conversations than this share one band, or the headings outgrow the drawing
MAX_LANES = 16  # more sessions than this share rows where they leave room
EVEN = 0.7  # and their axis gives as much of its room to sessions by their number; the rest goes by the calendar
LEFT, RIGHT, TOP, WIDTH = 74, 24, 30, 840.0  # margins, and the width of the drawing on a laptop
LABEL_WIDTH = 52  # of a month and its year
HEAD, BAND_PAD, BAND_GAP = 25, 9, 10  # heading of a band, room below its last lane, room between bands


@dataclass(frozen=True, slots=True)
class Band:
    """A conversation's part of the drawing: its name, where it begins and how tall it is."""

    name: str
    y: float
    height: float


@dataclass(frozen=True, slots=True)
class Lanes:
    """Where each segment stands (by id: x, y and the number of its conversation), and what is drawn around them."""

    places: dict[str, tuple[float, float, int]]
    bands: tuple[Band, ...]
    dates: tuple[tuple[datetime, float, float], ...]  # of each session: when it began, x, y
    months: tuple[tuple[str, float, bool], ...]  # each as 2026-11, x, and whether its year is told
    radius: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class _TimeAxis:
    """A way from moments to places that keeps their order; `starts` are where sessions begin, sorted.

    A chat export has a hundred sessions in one month and none in the next: an axis by the calendar alone would pile
    them upon each other, so many sessions also get room by their number.
    """

    starts: Sequence[datetime]
    spread: float
    even: float

    def x_of(self, moment: datetime) -> float:
        first, last = self.starts[0], self.starts[-1]
        by_time = (moment - first).total_seconds() / ((last - first).total_seconds() or 1.0)
        return LEFT + self.spread * ((1 - self.even) * by_time + self.even * self._rank(moment))

    def _rank(self, moment: datetime) -> float:
        """The share of sessions that begin before a moment, even between two of them."""
        after = bisect_right(self.starts, moment)
        if after == 0 or after == len(self.starts):
            return float(after > 0)
        before = self.starts[after - 1]
        gap = (self.starts[after] - before).total_seconds() or 1.0
        return (after - 1 + (moment - before).total_seconds() / gap) / (len(self.starts) - 1)


def place_in_lanes(segments: Sequence[Segment]) -> Lanes:
    """Lanes of at least one segment; those of one moment keep the order they are given in."""
    sessions: dict[tuple[str, str], list[Segment]] = {}
    for segment in sorted(segments, key=lambda one: one.said_at):
        sessions.setdefault((segment.conversation_id, segment.session_id), []).append(segment)
    names = list(dict.fromkeys(conversation for conversation, _ in sessions))
    step, radius = (25.0, 8.0) if len(segments) <= 300 else (13.0, 4.5) if len(segments) <= 900 else (9.0, 3.0)
    row_height = 41.0 if len(sessions) <= MAX_LANES else max(26.0, radius * 3.5)
    longest = step * (max(len(said) for said in sessions.values()) - 1)
    wanted = min(360.0 + 24 * max(0, len(sessions) - 12), 4000.0)
    if len(sessions) > MAX_LANES:  # as wide as takes them all in so many rows
        wanted = min(sum(LEFT + step * len(said) for said in sessions.values()) / MAX_LANES, 8000.0)
    spread = max(WIDTH - LEFT - RIGHT - longest, wanted)
    starts = sorted({said[0].said_at for said in sessions.values()})
    axis = _TimeAxis(starts, spread, EVEN if len(sessions) > MAX_LANES else 0.0)
    places: dict[str, tuple[float, float, int]] = {}
    bands: list[Band] = []
    dates: list[tuple[datetime, float, float]] = []
    top = float(TOP)
    for group in [[name] for name in names] if len(names) <= MAX_BANDS else [names]:
        ends: list[float] = []  # where the last session of each row of this band ends
        for (name, _), said in sessions.items():
            if name not in group:
                continue
            x = axis.x_of(said[0].said_at)
            free = (row for row, end in enumerate(ends) if len(sessions) > MAX_LANES and end < x)
            row = next(free, len(ends))
            ends[row : row + 1] = [x + step * (len(said) - 1) + LEFT]  # the next session's date needs room too
            y = top + HEAD + row_height * (row + 0.5)
            dates.append((said[0].said_at, x - radius - 6, y))
            places |= {one.id: (x + step * n, y, names.index(name)) for n, one in enumerate(said)}
        height = HEAD + row_height * len(ends) + BAND_PAD
        bands.append(Band(group[0] if len(group) == 1 else _name_of_all(group), top, height))
        top += height + BAND_GAP
    months = tuple(_months(axis))
    return Lanes(places, tuple(bands), tuple(dates), months, radius, LEFT + spread + longest + RIGHT, top)


def _name_of_all(group: Sequence[str]) -> str:
    """What shares one band, counted as everywhere else: notes and documents are no conversations."""
    talks = len({*group} - {NOTES, DOCUMENTS})
    named = ["1 conversation" if talks == 1 else f"{talks} conversations"]
    named += [name for own, name in ((NOTES, "notes"), (DOCUMENTS, "documents")) if own in group]
    return named[0] if len(named) == 1 else f"{', '.join(named[:-1])} and {named[-1]}"


def _months(axis: _TimeAxis) -> list[tuple[str, float, bool]]:
    """The first of a month, or of every second, third, sixth or twelfth when they would crowd."""
    first, last = (moment.year * 12 + moment.month - 1 for moment in (axis.starts[0], axis.starts[-1]))
    room = max(1, int(axis.spread // 60))
    every = next((n for n in (1, 2, 3, 6, 12) if (last - first) / n <= room), 12 * (1 + (last - first) // 12))
    found: list[tuple[str, float, bool]] = []
    told = None  # the year of the last label
    for month in range(first + 1, last + 1):
        year, zero = divmod(month, 12)
        x = axis.x_of(axis.starts[0].replace(year=year, month=zero + 1, day=1))
        if month % every or (found and x - found[-1][1] < LABEL_WIDTH):
            continue
        found.append((f"{year}-{zero + 1:02}", x, year != told or every > 6))
        told = year
    return found
