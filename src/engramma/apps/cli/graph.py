"""Commands that follow the graph: match, neighbors."""

from __future__ import annotations

from typing import Annotated

import typer

from ...language.text import shorten, speaker_name
from .common import command, open_memory, tell
from .terminal import screen

MATCH_COLUMNS = 120  # of a line, at least: ids take half of a narrow one


@command("match")
def match(
    words: Annotated[list[str], typer.Argument(metavar="QUERY", help="What to look for, in your own words.")],
    k: Annotated[int, typer.Option("-k", help="Maximum number of segments.")] = 10,
    hybrid: Annotated[bool, typer.Option("--hybrid", help="Rank by meaning and by the graph together.")] = False,
) -> None:
    """Find segments by meaning alone, or by meaning and the graph; the best first."""

    from ..hits import match_lines

    query = " ".join(words)
    with open_memory() as memory:
        found = memory.links.match_hybrid(query, k) if hybrid else memory.links.match(query, k)
        me = memory.user_name
    lines = match_lines(query, found, max(screen()[0], MATCH_COLUMNS), me)
    tell(found, lines, none="Nothing is remembered here yet.")


@command("neighbors")
def _neighbors(
    ids: Annotated[list[str], typer.Argument(help="Segments to start from (seg_…, note_…, doc_…).")],
    hops: Annotated[int, typer.Option(help="Number of edges to follow in a row: 1 or 2.")] = 1,
    cap: Annotated[int, typer.Option(help="Maximum number of segments, 1 to 20.")] = 20,
) -> None:
    """Show what is linked to some segments, along edges of every kind in both directions, nearest first."""

    with open_memory() as memory:
        found, me = memory.links.neighbors(ids, hops, cap), memory.user_name
    lines = (
        f"{n.proximity:.4f}  {n.id}  {n.kind}{f' over {n.path[1]}' if n.hops > 1 else ''}  "
        f"{', '.join(speaker_name(name, me) for name in n.speakers)}: {shorten(n.text, 80)}"
        for n in found
    )
    tell(found, lines, none="Nothing is linked to them.")
