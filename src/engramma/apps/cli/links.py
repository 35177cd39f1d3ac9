"""Commands about links: link, unlink, links, feedback."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from .common import command, given_time, open_memory, tell
from .recall import RECIPE_NAMES

if TYPE_CHECKING:
    from ...records import Link

# tests/links/test_links.py holds it against the kinds themselves, which take as long to import as a command to start.
KIND_NAMES = "related_to, supports, contradicts, part_of, caused_by, before or after"

SourceArgument = Annotated[str, typer.Argument(metavar="A", help="Segment the link starts from (seg_…, note_…).")]
TargetArgument = Annotated[str, typer.Argument(metavar="B", help="Segment the link points to.")]


@command("link")
def link(
    source: SourceArgument,
    kind: Annotated[str, typer.Argument(metavar="KIND", help=f"What A is to B: {KIND_NAMES}.")],
    target: TargetArgument,
    weight: Annotated[float, typer.Option(help="How strong, above 0 and at most 1.")] = 1.0,
    label: Annotated[str | None, typer.Option(help="Your own label for it.")] = None,
    author: Annotated[str, typer.Option(help="Who says so.")] = "user",
    provenance: Annotated[str | None, typer.Option(help="Where this is known from.")] = None,
) -> None:
    """Link two segments with a typed link; linking them again replaces its values."""

    with open_memory() as memory:
        made = memory.links.add(source, kind, target, weight=weight, label=label, author=author, provenance=provenance)
    tell(made, [link_line(made)])


@command("unlink")
def _unlink(
    source: SourceArgument,
    kind: Annotated[str, typer.Argument(metavar="KIND", help="Its kind, as `engramma links` shows it.")],
    target: TargetArgument,
) -> None:
    """Remove a typed link."""

    with open_memory() as memory:
        is_removed = memory.links.remove(source, kind, target)
    gone = "Link removed." if is_removed else "There is no such link. `engramma links` lists them."
    tell({"removed": is_removed}, (), gone)
    if not is_removed:
        raise typer.Exit(1)


@command("links")
def _links(
    segment: Annotated[
        str | None, typer.Argument(metavar="[ID]", help="Only links of this segment.", show_default="all of them")
    ] = None,
    kind: Annotated[str | None, typer.Option(help=f"Only this kind: {KIND_NAMES}, extends, supersedes.")] = None,
) -> None:
    """List the typed links with their weights; the initial weight in brackets if feedback changed it."""

    with open_memory() as memory:
        found = memory.links.all(segment, kind)
    if segment or kind:
        none = "There are no such links. `engramma links` lists all typed links."
    else:
        none = (
            "There are no typed links: `engramma link` makes them, and notes. What `engramma stats` counts as chain "
            "and semantic edges is the graph's own; `engramma neighbors ID` shows it."
        )
    tell(found, map(link_line, found), none=none)


def link_line(link: Link) -> str:
    first = f" ({link.first_weight:.2f})" if link.weight != link.first_weight else ""
    label = "" if link.label is None else f"  “{link.label}”"
    source = "" if link.provenance is None else f", {link.provenance}"
    return f"{link.source} {link.kind} {link.target}  {link.weight:.2f}{first}{label}  by {link.author}{source}"


@command("feedback")
def _feedback(
    query: Annotated[str, typer.Argument(help="The question, as it was asked.")],
    used: Annotated[list[str], typer.Argument(metavar="ID...", help="Segments of the answer that were useful.")],
    k: Annotated[int | None, typer.Option("-k", help="The -k that was used.")] = None,
    recipe: Annotated[str, typer.Option(help=f"The recipe that was used: {RECIPE_NAMES}.")] = "default",
    exclude_session: Annotated[str | None, typer.Option(help="The --exclude-session that was used.")] = None,
    conversation: Annotated[str | None, typer.Option("--conversation", "-c", help="Only this conversation.")] = None,
    budget: Annotated[int | None, typer.Option(help="Maximum tokens in the context block.", min=1)] = None,
    asked_at: Annotated[
        str | None, typer.Option(help='What "last week" is relative to.', show_default="when something was last said")
    ] = None,
) -> None:
    """Say which segments of an answer were useful: links that led to them gain weight, other links lose some."""
    from ...records import Query
    from ..conversation_names import place_meant
    from ..render import plural

    at = given_time("--asked-at", asked_at)
    with open_memory() as memory:
        place = None if conversation is None else place_meant(memory, conversation)
        talk, source = (None, None) if place is None else (place.conversation, place.document)
        asked = Query(query, k, exclude_session, (), talk, budget, at, source=source)
        found = memory.recall(asked, recipe=recipe)
        act = memory.links.used(found, used)
    if act is None:
        counted = f"{plural(len(used), 'use')} counted; this answer followed no links."
        return tell({"act": None, "links": []}, (), counted)
    learnt = act.detail["links"]
    return tell({"act": act.id, "links": learnt}, map(learnt_line, learnt), f"This is act {act.id}.")


def learnt_line(one: dict[str, Any]) -> str:
    how = "led to a useful segment" if one["used"] else "led to nothing useful"
    return f"{one['source']} {one['kind']} {one['target']}  {one['from']:.3f} -> {one['to']:.3f}  {how}"
