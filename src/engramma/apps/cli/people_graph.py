"""Commands about the knowledge graph: claims, entity, graph-query, export-graph."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...language.near_names import did_you_mean
from ...language.quoting import name_line
from ...language.text import DOCUMENTS, NOTES, plural, shorten, speaker_name
from ...language.times import local_minute
from ..conversation_names import typed_name
from ..fact_lines import mood_beside
from .common import command, one_name, open_memory, say, tell, wants_json
from .people import FACTS

if TYPE_CHECKING:
    from ...people import EntityRow, Fact
    from ...records.people import Claim


@command("claims")
def _claims(
    words: Annotated[list[str] | None, typer.Argument(metavar="NAME", help="Only about this person or thing.")] = None,
    relation: Annotated[str | None, typer.Option(help="Only this relation, such as likes or works_at.")] = None,
    conversation: Annotated[str | None, typer.Option("--conversation", "-c", help="Only this conversation.")] = None,
    turn: Annotated[str | None, typer.Option(help="Only from the turn with this id.")] = None,
    limit: Annotated[int, typer.Option(help="Maximum number of claims.")] = 50,
) -> None:
    """List what was said about whom, by whom, with its source; latest first."""

    from ..command_answers import asked_conversation

    with open_memory() as memory:
        talk = asked_conversation(memory, conversation)
        found = memory.claims.all(one_name(words), relation, talk, turn, limit)
        me, name = memory.user_name, one_name(words)
        is_nobody = bool(name and not found and memory.claims.entity(name) is None)
        near = did_you_mean(memory.entities.names_near(name)) if name and is_nobody else ""
    none = f"No such claims. {near or '`engramma entities` lists who and what was named.'}"
    tell(found, (_claim_line(one, me) for one in found), none=none)


@command("entity")
def _entity(
    words: Annotated[list[str], typer.Argument(metavar="NAME", help="Name of a person or thing.")],
    limit: Annotated[int, typer.Option(help="Maximum number of facts to show.", min=1)] = FACTS,
) -> None:
    """Show a person or thing: what is known, the newest first, with day and conversation, and what is named with it."""
    from ..claim_places import claim_places
    from ..entity_page import entity_facts, entity_page_lines

    name = " ".join(words)
    with open_memory() as memory:
        found = memory.claims.entity(name)
        near = did_you_mean(memory.entities.names_near(name)) if found is None else ""
        facts = [] if found is None else entity_facts(found)
        places = claim_places(memory, facts)
    if found is None:
        tell(None, ())
        say(
            f"Nothing is known of {name!r:.200} by itself. {near}".rstrip()
            + f" `engramma recall {typed_name(name)}` looks for the word."
        )
        raise typer.Exit(1)
    left = len(facts) - limit
    more = [f"{plural(left, 'older fact')} not shown; --limit {len(facts)} shows them."] if left > 0 else []
    shows = f"`engramma claims {typed_name(found.entity.name)}` shows who said it in which words."
    tell(found, entity_page_lines(found, places, limit), *more, *([shows] if facts else []))


@command("graph-query")
def _graph_query(
    words: Annotated[
        list[str],
        typer.Argument(metavar="QUESTION", help='Such as "Who works at TechCorp?" or "subject=Ana relation=likes".'),
    ],
    limit: Annotated[int, typer.Option(help="Maximum number of facts.")] = 50,
) -> None:
    """Answer a structured question from the knowledge graph, with sources."""
    from ..query_words import query_words

    with open_memory() as memory:
        found, me = memory.claims.graph_query(" ".join(words), limit), memory.user_name
    if not wants_json():
        say(query_words(found))
    lines = [*found.answers, *(fact_line(fact, me) for fact in found.facts), *beside_lines(found.beside)]
    tell(found, lines, *(["Nothing was said about that."] if found.pattern is not None and not found.answers else []))
    if found.pattern is None and not wants_json():
        raise typer.Exit(1)


@command("export-graph")
def _export_graph(
    path: Annotated[Path, typer.Argument(help="File to write.")],
    format: Annotated[str | None, typer.Option(help="json or graphml.", show_default="by the file extension")] = None,
) -> None:
    """Write the knowledge graph to a file: entities, relations between them, statements, all with sources."""
    chosen = format or ("graphml" if path.suffix.lower() == ".graphml" else "json")
    with open_memory() as memory:
        entities, facts = memory.claims.export_graph(path, chosen)  # type: ignore[arg-type]  # checked there
    told = {"path": str(path), "format": chosen, "entities": entities, "facts": facts}
    tell(told, (), f"{path}: {entities:,} entities, {plural(facts, 'fact')}.")


def beside_lines(names: Sequence[str]) -> list[str]:
    return [f"  named together with: {', '.join(map(name_line, names))}"] if names else []


def _claim_line(one: Claim, me: str) -> str:
    from ...people import predicate_words

    said = f"{name_line(one.subject)} {predicate_words(one.relation, shorten(one.value, 80), one.negated)}"
    mood = f" ({mood})" if (mood := mood_beside(one.relation, one.modality)) else ""
    who = name_line(speaker_name(one.speaker, me))
    source = f"{_turn_place(one)}, {who}, {local_minute(one.said_at)}"
    return f"{one.confidence:.2f}  {said}{mood}{_held(one)}  [{source}: “{shorten(one.quote, 80)}”]"


def _turn_place(one: Claim) -> str:
    """What `engramma show` takes for the turn; notes and documents have one conversation, which says nothing."""
    kept = one.conversation in (NOTES, DOCUMENTS)
    return one.turn_ids[0] if kept else f"{one.conversation}/{one.turn_ids[0]}"


def _held(one: Claim) -> str:
    """Since when and until when it is said to hold."""
    days = [None if moment is None else f"{moment:%Y-%m-%d}" for moment in (one.valid_from, one.valid_to)]
    return "" if days == [None, None] else f" <{days[0] or ''}…{days[1] or ''}>"


def entity_line(one: EntityRow) -> str:
    owner = f" of {name_line(one.owner)}" if one.owner else ""
    aliases = f"  also {', '.join(map(name_line, one.aliases))}" if one.aliases else ""
    talks = f"{plural(one.mentions, 'time')} in {plural(one.conversations, 'conversation')}"
    return f"{f'#{one.key}':>6}  {name_line(one.name)}  {one.type}{owner}{aliases}  {talks}"


def fact_line(fact: Fact, me: str) -> str:
    from ...people import predicate_words

    said = f"{name_line(fact.subject)} {predicate_words(fact.relation, shorten(fact.value, 80), fact.negated)}"
    mood = f" ({mood})" if (mood := mood_beside(fact.relation, fact.modality)) else ""
    where = [_turn_place(claim) for claim in fact.claims]
    more = f" and {len(where) - 3} more" if len(where) > 3 else ""
    who = dict.fromkeys(name_line(speaker_name(name, me)) for name in fact.mentioned_by)
    by = f"{', '.join(who)}; {local_minute(fact.last_said)}"
    return f"  {said}{mood}  {fact.confidence:.2f}  [{', '.join(where[:3])}{more}; {by}]"
