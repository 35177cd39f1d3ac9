"""Commands about people: list them, show one person, list decisions and overrule them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from ...errors import BadInput
from ...language.near_names import did_you_mean
from ...language.quoting import name_line
from ...language.text import NAMELESS, plural
from ...language.times import local_day
from ..conversation_names import typed_name
from .common import command, needed_model, one_name, open_memory, say, tell

if TYPE_CHECKING:
    from ...people import Me, PersonInfo, PersonMemory
    from ...records.people import Decision

FACTS = 30  # shown of a person


@command("people")
def _people(
    limit: Annotated[int, typer.Option(help="Maximum number of people to show.", min=1)] = 50,
    everything: Annotated[
        bool, typer.Option("--all", help="Also those of whom too little tells that they are people.")
    ] = False,
    llm: Annotated[
        bool,
        typer.Option("--llm", help="First let the model in config.toml decide which mentions mean the same thing."),
    ] = False,
) -> None:
    """List the people something was said about, those in most conversations first."""

    with open_memory() as memory:
        if llm:
            done = memory.people.reconcile(llm=needed_model(memory))
            told = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in done.model.items())
            people = "1 person" if done.people == 1 else f"{done.people:,} people"
            written = plural(done.decided, "decision")
            say(f"{people} reconciled, {written} written ({told or 'nothing to ask'}).")
        found = memory.people.all(limit, everything=everything)
        total = memory.people.count(everything=everything)
    more = f"{len(found)} of {total:,} people; --limit shows more." if len(found) < total else ""
    tell(found, map(person_line, found), *([more] if more else []), none="Nothing was said about anybody yet.")


@command("person")
def _person(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME",
            help='The person\'s name, or the first alone; "me" for who `engramma me` says you are.',
        ),
    ],
    limit: Annotated[int, typer.Option(help="Maximum number of facts to show.", min=1)] = FACTS,
    everything: Annotated[
        bool, typer.Option("--all", help="Show every fact, small talk too, the newest first.")
    ] = False,
) -> None:
    """Show a person: whom they are close to, who they are, what they like and what happened, with day and source."""
    from ..person_page import chosen_facts, known_facts, missing_person, person_page, person_page_lines

    name = " ".join(words)
    with open_memory() as memory:
        found = memory.people.get(name)
        page = None if found is None else person_page(memory, found)
        listing = f"`engramma people` lists who is known; `engramma recall {typed_name(name)}` looks for the word."
        if found is None and memory.claims.entity(name) is not None:
            listing = f"`engramma entity {typed_name(name)}` shows what was said; `engramma people` lists who is known."
        missing = missing_person(memory, name, listing) if found is None else ""
        me = memory.people.me() if found is None and name.strip().casefold() in NAMELESS else None
    if found is None or page is None:
        if name.strip().casefold() in NAMELESS:
            told = f"Perhaps {name_line(me.name)}: `engramma me {typed_name(me.name)}` says so." if me else ""
            raise BadInput(f"Nobody has said who you are here. {told or '`engramma me NAME` does.'}")
        raise BadInput(missing)
    shown = sum(len(facts) for _, facts in chosen_facts(found, limit, everything))
    hidden = len(known_facts(found)) - shown
    tell(found, person_page_lines(page, limit, everything), *_more_of(found, hidden))


@command("me")
def _me(
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME", help="Your name. Without it: who you are here.", show_default=False),
    ] = None,
) -> None:
    """Say who you are: what "user", "You" and "me" said and what is known of NAME becomes one person's."""

    name = one_name(words)
    with open_memory() as memory:
        found = memory.people.me(name)
    if found is None:
        tell(None, (), "Nobody has said who the user is. `engramma me NAME` does.")
    elif name is None:
        how = "" if found.said else f'  (as the user says; `engramma me "{found.name}"` makes it one person)'
        tell(found, [f"{found.name}{how}"])
    else:
        names = " and ".join(map(name_line, found.joined))
        speaks = "speak here, too, and are" if len(found.joined) > 1 else "speaks here, too, and is"
        also = f" {names} {speaks} you now." if names else ""
        tell(
            found, [f"You are {found.name}.{also}"], f"`engramma undo {found.act}` takes it back.", *_perhaps_you(found)
        )


@command("decisions")
def _decisions(
    words: Annotated[list[str] | None, typer.Argument(metavar="NAME", help="Only about this person.")] = None,
) -> None:
    """List decisions on whether people's things in different conversations are the same, with reasons and evidence."""

    person = one_name(words)
    with open_memory() as memory:
        found = memory.people.decisions(person)
        is_nobody = bool(person and not found and not memory.people.names_meant(person))
        near = did_you_mean(memory.people.names_like(person)) if person and is_nobody else ""
    lines = (line for decision in found for line in decision_lines(decision))
    about = "" if person is None else f" about {person!r:.200}"
    made = near or "One is made where something of a person's may be the same in two conversations."
    tell(found, lines, none=f"There are no decisions{about}. {made}")


@command("overrule")
def _overrule(
    decision: Annotated[int, typer.Argument(help="A decision's number, as `decisions` shows it.")],
    verdict: Annotated[str, typer.Argument(help="MERGE: they are the same. SEPARATE: they are different.")],
    reason: Annotated[str, typer.Option("--reason", "-r", help="Why.")] = "",
) -> None:
    """Overrule or confirm a decision. Your verdict stands whatever is said later; `engramma undo` takes it back."""

    word = verdict.upper()
    if word not in ("MERGE", "SEPARATE"):
        raise BadInput(f"A verdict is MERGE or SEPARATE, not {verdict!r}.")
    with open_memory() as memory:
        made = memory.people.overrule(decision, word, reason)  # type: ignore[arg-type]
        act = next(act.id for act in memory.acts.all() if act.detail.get("decision") == made.id)
    tell({"decision": made, "act": act}, decision_lines(made), f"`engramma undo {act}` takes it back.")


# --- lines ---------------------------------------------------------------------------------------------


def _more_of(found: PersonMemory, hidden: int) -> Iterator[str]:
    """Which commands show more of a person."""
    name = typed_name(found.name)
    if hidden:
        kind = "mostly small talk; --all shows them" if hidden > 1 else "--all shows it"
        yield f"{plural(hidden, 'more fact')} not shown: {kind}."
    yield f"`engramma claims {name}` shows who said it in which words; `engramma show TITLE` a whole conversation."
    if found.decisions:
        told = plural(len(found.decisions), "decision")
        yield f"{told} on what is the same in several conversations: `engramma decisions {name}`."


def _perhaps_you(found: Me) -> Iterator[str]:
    """Who else may be the user, each with the command that says so; of two names the longer stays."""
    for one in found.perhaps:
        is_longer = len(one.split()) > len(found.name.split())
        first, last = (found.name, one) if is_longer else (one, found.name)
        merged = f"`engramma entities merge {typed_name(first)} {typed_name(last)}`"
        if is_longer and len(found.perhaps) == 1:
            yield f"Only {name_line(one)} of that first name speaks here. If that is you: {merged} makes it one person."
        else:
            yield f"{name_line(one)} speaks here, too. If that is you: {merged}."


def person_line(one: PersonInfo) -> str:
    span = f"{local_day(one.first_said_at)} – {local_day(one.last_said_at)}"
    talks, claims = plural(one.conversations, "conversation"), plural(one.claims, "claim")
    return f"{talks:>19}  {claims:>13}  {span}  {one.name}"


def decision_lines(decision: Decision) -> Iterator[str]:
    overruled = "  (overruled)" if decision.overruled else ""
    talks = ", ".join(decision.conversations)
    yield (
        f"{decision.id:>5}  {decision.verdict:<8}  {decision.person}'s {decision.entity}  ({talks})  "
        f"{decision.confidence:.2f} by {decision.by}{overruled}"
    )
    yield f"       {decision.reason}"
    yield f"       {', '.join(decision.evidence)}"
