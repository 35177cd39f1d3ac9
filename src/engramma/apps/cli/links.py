"""Commands about links: link, unlink, links, feedback."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from .common import JsonOption, NamespaceOption, StoreOption, given_time, opened, out, say, wants_json
from .read import RECIPE_NAMES

if TYPE_CHECKING:
    from ...records import Link

# tests/links/test_links.py holds it against the kinds themselves, which take as long to import as a command to start.
KIND_NAMES = "related_to, supports, contradicts, part_of, caused_by, before or after"

SourceArgument = Annotated[str, typer.Argument(metavar="A", help="Segment that the link begins at (seg_…, note_…).")]
TargetArgument = Annotated[str, typer.Argument(metavar="B", help="Segment that it points to.")]


def register(app: typer.Typer) -> None:
    app.command("link")(link)
    app.command("unlink")(unlink)
    app.command("links")(links)
    app.command("feedback")(feedback)


def link(
    source: SourceArgument,
    kind: Annotated[str, typer.Argument(metavar="KIND", help=f"What A is to B: {KIND_NAMES}.")],
    target: TargetArgument,
    weight: Annotated[float, typer.Option(help="How strong, above 0 and at most 1.")] = 1.0,
    label: Annotated[str | None, typer.Option(help="A word of your own on it.")] = None,
    author: Annotated[str, typer.Option(help="Who says so.")] = "user",
    provenance: Annotated[str | None, typer.Option(help="Where it is known from.")] = None,
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    json: JsonOption = False,
) -> None:
    """Join two segments by a typed link; again with other values replaces them."""
    from ..render import as_json

    with opened(store, namespace) as memory:
        made = memory.links.add(source, kind, target, weight=weight, label=label, author=author, provenance=provenance)
    out(as_json(made) if wants_json(json) else link_line(made))


def unlink(
    source: SourceArgument,
    kind: Annotated[str, typer.Argument(metavar="KIND", help="Its kind, as `engramma links` shows it.")],
    target: TargetArgument,
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    json: JsonOption = False,
) -> None:
    """Take a typed link away."""
    from ..render import as_json

    with opened(store, namespace) as memory:
        is_removed = memory.links.remove(source, kind, target)
    if wants_json(json):
        out(as_json({"removed": is_removed}))
    else:
        say("The link is gone." if is_removed else "There is no such link. `engramma links` lists what is there.")
    if not is_removed:
        raise typer.Exit(1)


def links(
    segment: Annotated[
        str | None, typer.Argument(metavar="[ID]", help="Only those at this segment.", show_default="all of them")
    ] = None,
    kind: Annotated[str | None, typer.Option(help=f"Only of this kind: {KIND_NAMES}, extends, supersedes.")] = None,
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    json: JsonOption = False,
) -> None:
    """List the typed links with their weights; in brackets a weight before anything was learnt."""
    from ..render import as_json

    with opened(store, namespace) as memory:
        found = memory.links.all(segment, kind)
    if wants_json(json):
        out(as_json(found))
        return
    for one in found:
        out(link_line(one))
    if not found:
        say("There are no such links.")


def link_line(link: Link) -> str:
    first = f" ({link.first_weight:.2f})" if link.weight != link.first_weight else ""
    label = "" if link.label is None else f"  “{link.label}”"
    source = "" if link.provenance is None else f", {link.provenance}"
    return f"{link.source} {link.kind} {link.target}  {link.weight:.2f}{first}{label}  by {link.author}{source}"


def feedback(
    query: Annotated[str, typer.Argument(help="The question, as it was asked.")],
    used: Annotated[list[str], typer.Argument(metavar="ID...", help="Segments of its answer that were of use.")],
    k: Annotated[int, typer.Option("-k", help="Most entry segments, as it was asked.")] = 10,
    recipe: Annotated[str, typer.Option(help=f"As it was asked: {RECIPE_NAMES}.")] = "default",
    exclude_session: Annotated[str | None, typer.Option(help="The session at hand, as it was asked.")] = None,
    conversation: Annotated[str | None, typer.Option("--conversation", "-c", help="Only this conversation.")] = None,
    budget: Annotated[int | None, typer.Option(help="Most tokens of the context block.", min=1)] = None,
    asked_at: Annotated[
        str | None, typer.Option(help='What "last week" counts from.', show_default="when something was last said")
    ] = None,
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    json: JsonOption = False,
) -> None:
    """Say which segments of an answer were of use: links that led there gain weight, the others followed fade."""
    from ...records import Query
    from ..render import as_json, plural

    at = given_time("--asked-at", asked_at)
    with opened(store, namespace) as memory:
        found = memory.recall(Query(query, k, exclude_session, (), conversation, budget, at), recipe=recipe)
        act = memory.links.used(found, used)
    if wants_json(json):
        out(as_json({"act": None if act is None else act.id, "links": [] if act is None else act.detail["links"]}))
        return
    if act is None:
        say(f"{plural(len(used), 'use')} counted; this answer followed no links.")
        return
    for one in act.detail["links"]:
        how = "led to what was used" if one["used"] else "followed for nothing"
        out(f"{one['source']} {one['kind']} {one['target']}  {one['from']:.3f} -> {one['to']:.3f}  {how}")
    say(f"This is act {act.id}.")
