"""Commands about the knowledge graph: claims, entity, graph-query, export-graph."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .common import JsonOption, NamespaceOption, StoreOption, opened, out, say, wants_json

if TYPE_CHECKING:
    from ...people import EntityRow, Fact
    from ...records.people import Claim


def register(app: typer.Typer) -> None:
    app.command("claims")(claims)
    app.command("entity")(entity)
    app.command("graph-query")(graph_query)
    app.command("export-graph")(export_graph)


def claims(
    person: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Only of this person or thing.")] = None,
    relation: Annotated[str | None, typer.Option(help="Only of this relation, such as likes or works_at.")] = None,
    conversation: Annotated[str | None, typer.Option("--conversation", "-c", help="Only this conversation.")] = None,
    turn: Annotated[str | None, typer.Option(help="Only of the turn with this id.")] = None,
    limit: Annotated[int, typer.Option(help="Most claims.")] = 50,
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    json: JsonOption = False,
) -> None:
    """List what was said of whom, by whom, with its source; the latest first."""
    from ..render import as_json

    with opened(store, namespace) as memory:
        found = memory.claims.all(person, relation, conversation, turn, limit)
    if wants_json(json):
        out(as_json(found))
        return
    for one in found:
        out(claim_line(one))
    if not found:
        say("Nothing like that was said. `engramma entities` lists who and what was named.")


def entity(
    name: Annotated[str, typer.Argument(help="Somebody's or something's name.")],
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    json: JsonOption = False,
) -> None:
    """Show all that is known of somebody or something, with its sources."""
    from ..render import as_json

    with opened(store, namespace) as memory:
        found = memory.claims.entity(name)
    if wants_json(json):
        out(as_json(found))
    elif found is not None:
        out(entity_line(found.entity))
        for fact in (*found.facts, *found.named_in):
            out(f"  {fact_line(fact)}")
        if found.beside:
            out(f"  named together with: {', '.join(found.beside)}")
        for other in found.others:
            out(f"  also called so: {entity_line(other)}")
    if found is None:
        say(f"Nobody and nothing here is called {name!r}.")
        raise typer.Exit(1)


def graph_query(
    question: Annotated[str, typer.Argument(help='Such as "Who works at TechCorp?" or "subject=Ana relation=likes".')],
    limit: Annotated[int, typer.Option(help="Most facts.")] = 50,
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    json: JsonOption = False,
) -> None:
    """Answer a structured question from the knowledge graph, with sources."""
    from ..render import as_json

    with opened(store, namespace) as memory:
        found = memory.claims.graph_query(question, limit)
    if wants_json(json):
        out(as_json(found))
        return
    say(found.understood)
    for answer in found.answers:
        out(answer)
    for fact in found.facts:
        out(f"  {fact_line(fact)}")
    if found.beside:
        out(f"  named together with: {', '.join(found.beside)}")
    if found.pattern is not None and not found.answers:
        say("Nothing was said of that.")
    if found.pattern is None:
        raise typer.Exit(1)


def export_graph(
    path: Annotated[Path, typer.Argument(help="File to write.")],
    format: Annotated[str | None, typer.Option(help="json or graphml.", show_default="by the file's ending")] = None,
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    json: JsonOption = False,
) -> None:
    """Write the knowledge graph to a file: entities, relations between them, statements, all with sources."""
    from ..render import as_json, plural

    chosen = format or ("graphml" if path.suffix.lower() == ".graphml" else "json")
    with opened(store, namespace) as memory:
        entities, facts = memory.claims.export_graph(path, chosen)  # type: ignore[arg-type]  # checked there
    if wants_json(json):
        out(as_json({"path": str(path), "format": chosen, "entities": entities, "facts": facts}))
    else:
        say(f"{path}: {entities:,} entities, {plural(facts, 'fact')}.")


def claim_line(one: Claim) -> str:
    from ...language.text import shorten
    from ...language.times import readable

    said = f"{one.subject} {'not ' if one.negated else ''}{one.relation} {shorten(one.value, 80)}"
    mood = "" if one.modality == "fact" else f" ({one.modality})"
    source = f"{one.conversation}/{one.turn_ids[0]}, {one.speaker}, {readable(one.said_at)}"
    return f"{one.confidence:.2f}  {said}{mood}{held(one)}  [{source}: “{shorten(one.quote, 80)}”]"


def held(one: Claim) -> str:
    """Since when and until when it is said to hold."""
    days = [None if moment is None else f"{moment:%Y-%m-%d}" for moment in (one.valid_from, one.valid_to)]
    return "" if days == [None, None] else f" <{days[0] or ''}…{days[1] or ''}>"


def entity_line(one: EntityRow) -> str:
    from ..render import plural

    owner = f" of {one.owner}" if one.owner else ""
    aliases = f"  also {', '.join(one.aliases)}" if one.aliases else ""
    talks = f"{plural(one.mentions, 'time')} in {plural(one.conversations, 'conversation')}"
    return f"{one.name}  {one.type}{owner}{aliases}  {talks}"


def fact_line(fact: Fact) -> str:
    from ...language.text import shorten
    from ...language.times import readable

    said = f"{fact.subject} {'not ' if fact.negated else ''}{fact.relation} {shorten(fact.value, 80)}"
    mood = "" if fact.modality == "fact" else f" ({fact.modality})"
    where = [f"{claim.conversation}/{claim.turn_ids[0]}" for claim in fact.claims]
    more = f" and {len(where) - 3} more" if len(where) > 3 else ""
    by = ", ".join(fact.mentioned_by)
    return f"{said}{mood}  {fact.confidence:.2f}  [{', '.join(where[:3])}{more}; {by}; {readable(fact.last_said)}]"
