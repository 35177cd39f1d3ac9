"""Commands about people: list them, show one person, list decisions and overrule them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from ...errors import BadInput
from ...language.text import plural, shorten
from ...language.times import local_day
from .common import command, needed_model, open_memory, say, tell

if TYPE_CHECKING:
    from ...people import Aspect, Conflict, PersonInfo, PersonMemory
    from ...records.people import Claim, Decision, Period

SHOWN = 100  # characters of a quote


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
def _person(name: Annotated[str, typer.Argument(help="The person's name.")]) -> None:
    """Show all that is known about a person: what changed, what contradicts, with sources."""

    with open_memory() as memory:
        found = memory.people.get(name)
        near = memory.people.names_like(name) if found is None else []
    if found is None:
        if name.casefold() in map(str.casefold, near):
            raise BadInput(f"{name!r} is named, but nothing is claimed of them. `engramma recall {name}` shows where.")
        told = f"Did you mean {' or '.join(near)}?" if near else "`engramma people` lists who is known."
        raise BadInput(f"Nothing was said about anybody called {name!r}. {told}")
    tell(found, _person_lines(found))


@command("me")
def _me(
    name: Annotated[
        str | None, typer.Argument(help="Your name. Without it: who you are here.", show_default=False)
    ] = None,
) -> None:
    """Say who you are: what "user", "You" and "me" said and what is known of NAME becomes one person's."""

    with open_memory() as memory:
        found = memory.people.me(name)
    if found is None:
        tell(None, (), "Nobody has said who the user is. `engramma me NAME` does.")
    elif name is None:
        how = "" if found.said else f'  (as the user says; `engramma me "{found.name}"` makes it one person)'
        tell(found, [f"{found.name}{how}"])
    else:
        tell(found, [f"You are {found.name}."], f"`engramma undo {found.act}` takes it back.")


@command("decisions")
def _decisions(person: Annotated[str | None, typer.Argument(help="Only about this person.")] = None) -> None:
    """List decisions on whether people's things in different conversations are the same, with reasons and evidence."""

    with open_memory() as memory:
        found = memory.people.decisions(person)
    lines = (line for decision in found for line in decision_lines(decision))
    tell(found, lines, none="There are no decisions yet: nobody appears in two conversations.")


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


def person_line(one: PersonInfo) -> str:
    span = f"{local_day(one.first_said_at)} – {local_day(one.last_said_at)}"
    talks, claims = plural(one.conversations, "conversation"), plural(one.claims, "claim")
    return f"{talks:>19}  {claims:>13}  {span}  {one.name}"


def _person_lines(found: PersonMemory) -> Iterator[str]:
    """A person for people to read: conversations, timelines, contradictions, decisions."""
    from ..render import plural

    yield found.name
    for talk in found.conversations:
        partner = f" with {talk.partner}" if talk.partner else ""
        yield f"  {talk.conversation}{partner}: {plural(len(talk.facts), 'fact')}"
    for aspect in found.aspects:
        yield from aspect_lines(aspect, found)
    for conflict in found.contradictions:
        yield from conflict_lines(conflict)
    if found.decisions:
        yield ""
    for decision in found.decisions:
        yield from decision_lines(decision)


def aspect_lines(aspect: Aspect, found: PersonMemory) -> Iterator[str]:
    """One thing of a person: what held when, else what was said of it."""
    from ...people import predicate_words

    yield f"\n{aspect.name.replace('_', ' ')} ({', '.join(aspect.conversations)})"
    own = {claim.id for claim in aspect.claims}
    held = [
        period for period in found.timelines.get(aspect.group, ()) if any(claim.id in own for claim in period.claims)
    ]
    for period in held:
        yield f"  {period_line(period)}"
    settled = {claim.id for period in held for claim in period.claims}
    for fact in aspect.facts:
        if fact.claims[0].id not in settled:
            first = fact.claims[0]
            said = predicate_words(first.relation, fact.value, fact.negated)
            yield f"  {local_day(first.said_at)}  {said}  [{sources(fact.claims)}]"


def period_line(period: Period) -> str:
    from ...people import predicate_words

    until = f"{period.until:%Y-%m-%d}" if period.until else "now"
    said = predicate_words(period.relation, period.value)
    return f"{period.since:%Y-%m-%d} – {until:<10}  {said}  [{sources(period.claims)}]"


def sources(claims: Sequence[Claim]) -> str:
    """The first turns that say so."""
    places = list(dict.fromkeys(f"{claim.conversation}/{claim.turn_ids[0]}" for claim in claims))
    return ", ".join(places[:3]) + (f" and {len(places) - 3} more" if len(places) > 3 else "")


def conflict_lines(conflict: Conflict) -> Iterator[str]:

    yield f"\n{conflict.kind} ({conflict.entity}): {conflict.note}"
    for claim in (conflict.earlier, conflict.later):
        where = f"{local_day(claim.said_at)} {claim.conversation}/{claim.turn_ids[0]}"
        yield f"  {where}  {claim.speaker}: “{shorten(claim.quote, SHOWN)}”"


def decision_lines(decision: Decision) -> Iterator[str]:
    overruled = "  (overruled)" if decision.overruled else ""
    talks = ", ".join(decision.conversations)
    yield (
        f"{decision.id:>5}  {decision.verdict:<8}  {decision.person}'s {decision.entity}  ({talks})  "
        f"{decision.confidence:.2f} by {decision.by}{overruled}"
    )
    yield f"       {decision.reason}"
    yield f"       {', '.join(decision.evidence)}"
