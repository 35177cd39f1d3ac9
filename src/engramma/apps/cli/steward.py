"""Commands about the steward and about acts: steward, acts, undo."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ...errors import BadInput
from ...language.text import plural, shorten
from ...language.times import local_minute
from .common import command, open_memory, say, tell
from .passphrase import is_terminal

if TYPE_CHECKING:
    from ...memory import Memory
    from ...records import Act, StewardAct, StewardReport

NEWEST = 100  # acts among which the latest is looked for
FINAL = ("purge",)  # acts that nothing takes back
SHOWN = 50  # acts of a plan that are printed in full


@command("steward")
def steward(
    apply: Annotated[bool, typer.Option("--apply", help="Do it; without this, only the plan is shown.")] = False,
    limit: Annotated[
        int | None, typer.Option(help="Maximum number of acts of each kind.", show_default="1,000")
    ] = None,
) -> None:
    """Maintain the notes: expire, prune, merge, consolidate; archive what is old. Shows a plan unless --apply."""

    with open_memory() as memory:
        report = memory.steward.run(apply=apply, limits={} if limit is None else limit)
        tell(report, report_lines(memory, report))
    if not apply and report.acts:
        say("Nothing was changed. `engramma steward --apply` does it; `engramma undo` takes it back.")


@command("acts")
def _acts(limit: Annotated[int, typer.Option(help="Maximum number of acts to list.", min=1, max=10**9)] = 50) -> None:
    """List what was done to the memory besides writing, with reasons, newest first."""

    with open_memory() as memory:
        found = memory.acts.all(limit)
    tell(found, map(act_line, found), none="No acts yet.")


@command("undo")
def _undo(
    act: Annotated[
        int | None,
        typer.Argument(
            help="Number of the act, as `engramma acts` shows it.", show_default="the latest that can be undone"
        ),
    ] = None,
    all: Annotated[bool, typer.Option("--all", help="Undo everything the steward did, the newest first.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Without a number: do not ask.")] = False,
) -> None:
    """Take back an act, by default the latest that can be undone, or all of the steward's."""
    if act is not None and all:
        raise typer.BadParameter("Give either an act's number or --all.")
    with open_memory() as memory:
        if act is None and not all:
            if (latest := memory.acts.latest_undoable()) is None:
                return tell([], (), none="There is nothing to undo.")
            newest = next((one for one in memory.acts.all(NEWEST) if one.undone_at is None), latest)
            if newest.id > latest.id and newest.kind in FINAL:
                raise BadInput(
                    f"The latest act is number {newest.id} ({newest.kind}), which cannot be undone. "
                    f"`engramma undo {latest.id}` takes back the one before it that can: {act_line(latest).strip()}"
                )
            say(act_line(latest))
            if not yes and not is_terminal():
                raise BadInput(f"`engramma undo {latest.id}` or `engramma undo --yes` undoes it.")
            if not yes:
                typer.confirm("Undo this?", abort=True, err=True)
            act = latest.id
        undone = memory.acts.undo_all() if act is None else [memory.undo(act)]
    done = plural(len(undone), "act") if act is None else f"act {act} ({undone[0].kind})"
    return tell(undone, [f"Undid {done}."])


def report_lines(memory: Memory, report: StewardReport) -> list[str]:
    """A table of the acts with their reasons, and what remains."""
    lines = [line for act in report.acts[:SHOWN] for line in steward_lines(memory, act)]
    if len(report.acts) > SHOWN:
        lines.append(f"… and {len(report.acts) - SHOWN:,} more (use --json to see them all)")
    if lines:
        lines.append("")
    counts = ", ".join(f"{kind} {count:,}" for kind, count in report.counts.items() if count) or "nothing to do"
    lines.append(f"{'done' if report.is_applied else 'plan'}: {counts}")
    if report.left_out:
        left = ", ".join(f"{kind} {count:,}" for kind, count in report.left_out.items())
        lines.append(f"left for the next run by the limit: {left}")
    if report.skipped:
        lines.append(f"skipped because they changed meanwhile: {report.skipped:,}")
    word = "remain" if report.is_applied else "would remain"
    lines.append(f"{report.notes_left:,} of {report.notes:,} notes {word}")
    return lines


def steward_lines(memory: Memory, act: StewardAct) -> list[str]:

    number = "" if act.act is None else f"#{act.act} "
    lines = [f"{number}{act.kind}: {act.reason}"]
    for id in act.ids[:5]:
        found = memory.segment(id)
        lines.append(f"    {id}  {shorten(found[0].text, 60) if found else ''}".rstrip())
    if len(act.ids) > 5:
        lines.append(f"    … and {len(act.ids) - 5} more")
    return lines


def act_line(act: Act) -> str:

    undone = "" if act.undone_at is None else f"  (undone {local_minute(act.undone_at)})"
    return f"{act.id:>6}  {local_minute(act.at)}  {act.kind:<12} {act.reason}{undone}"
