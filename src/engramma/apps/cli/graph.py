"""Commands that follow the graph: match, neighbors."""

from __future__ import annotations

from typing import Annotated

import typer

from .common import JsonOption, NamespaceOption, StoreOption, opened, out, say, wants_json


def register(app: typer.Typer) -> None:
    app.command("match")(match)
    app.command("neighbors")(neighbors)


def match(
    query: Annotated[str, typer.Argument(help="What to look for, in your own words.")],
    k: Annotated[int, typer.Option("-k", help="Most segments.")] = 10,
    hybrid: Annotated[bool, typer.Option("--hybrid", help="Rank by meaning and by the graph together.")] = False,
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    json: JsonOption = False,
) -> None:
    """Find segments by meaning alone, or by meaning and the graph; the best first."""
    from ...language.text import shorten
    from ..render import as_json

    with opened(store, namespace) as memory:
        found = memory.links.match_hybrid(query, k) if hybrid else memory.links.match(query, k)
    if wants_json(json):
        out(as_json(found))
        return
    for c in found:
        out(f"{c.score:.4f}  {c.segment_id}  {', '.join(c.speakers)}: {shorten(c.text, 80)}")
    if not found:
        say("Nothing is remembered here yet.")


def neighbors(
    ids: Annotated[list[str], typer.Argument(help="Segments to start from (seg_…, note_…, doc_…).")],
    hops: Annotated[int, typer.Option(help="Edges followed one after the other: 1 or 2.")] = 1,
    cap: Annotated[int, typer.Option(help="Most segments, from 1 to 20.")] = 20,
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    json: JsonOption = False,
) -> None:
    """Show what is linked with some segments, along edges of every kind, either way; the nearest first."""
    from ...language.text import shorten
    from ..render import as_json

    with opened(store, namespace) as memory:
        found = memory.links.neighbors(ids, hops, cap)
    if wants_json(json):
        out(as_json(found))
        return
    for n in found:
        over = f" over {n.path[1]}" if n.hops > 1 else ""
        out(f"{n.proximity:.4f}  {n.id}  {n.kind}{over}  {', '.join(n.speakers)}: {shorten(n.text, 80)}")
    if not found:
        say("Nothing is linked with them.")
