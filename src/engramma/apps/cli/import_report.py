"""The report of an import: figures on stdout, what was skipped and why on stderr, and last what is incomplete."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ...records import Problem, RememberReport
from ...sources import document_hint
from ...transfer.preview import Preview
from ..render import as_value, plural, problem_lines
from .common import out, out_json, say, wants_json

if TYPE_CHECKING:
    from .import_runs import Given, ImportOutcome

UNREAD, INCOMPLETE = 1, 4  # exit codes
SHOWN = 20  # names of files; --json lists all


def report_import(
    outcomes: list[ImportOutcome],
    given: Given,
    found: RememberReport | Preview,
    value: dict[str, Any],
    lines: list[str],
) -> None:
    """Tell what came. Exit code 1 if a source was not read, else 4 if one was read in part only."""
    unread = [outcome.unread for outcome in outcomes if outcome.unread]
    damaged = [problem for problem in found.problems if problem.damage]
    if wants_json():
        value["problems"] = as_value((*found.problems, *unread))
        value["incomplete"] = as_value(damaged)
        value["unrecognised"] = given.unknown
        value["sources"] = [outcome.summary() for outcome in outcomes]
        out_json(value)
    else:
        is_any_read = len(unread) < len(outcomes)  # else "added 0 turns" would say that it was
        for line in [*source_lines(outcomes), *(lines if is_any_read else [])]:
            out(line)
        for line in problem_lines(problem for problem in found.problems if not problem.damage):
            say(f"note: {line}")
        if given.unknown:
            say(unknown_line(given.unknown))
        for line in problem_lines(unread, limit=len(unread)):
            say(f"not read: {line}")
        for outcome in outcomes:
            if parts := outcome.damaged():
                say(incomplete_line(str(outcome.path), parts))
    if unread or damaged:
        raise typer.Exit(UNREAD if unread else INCOMPLETE)


def source_lines(outcomes: list[ImportOutcome]) -> list[str]:
    """What came of each source, where there are several."""
    lines = []
    for outcome in outcomes if len(outcomes) > 1 else []:
        if isinstance(outcome.found, RememberReport):
            turns, known, done = outcome.found.turns, outcome.found.known_turns, "added"
        elif outcome.found is not None:
            turns, known, done = outcome.found.new_turns, outcome.found.known_turns, "would be added"
        else:
            lines.append(f"{outcome.path}: not read")
            continue
        more = f", {known:,} already known" if known else ""
        lines.append(f"{outcome.path} ({outcome.format}): {plural(turns, 'turn')} {done}{more}")
    return lines


def unknown_line(names: list[str]) -> str:
    listed = ", ".join(names[:SHOWN])
    more = f" and {len(names) - SHOWN:,} more (--json lists all)" if len(names) > SHOWN else ""
    hint = document_hint(*map(Path, names[:SHOWN]))
    return f"not recognised and not read: {plural(len(names), 'file')}: {listed}{more}" + (f".{hint}" if hint else "")


def incomplete_line(path: str, problems: list[Problem]) -> str:
    first = problems[0]
    place = first.where if first.path == path else f"{first.path.removeprefix(path).lstrip('/')}, {first.where}"
    more = f" (and {plural(len(problems) - 1, 'place')} more; --json lists all)" if len(problems) > 1 else ""
    return f"incomplete: {path}: could only be read in part: {place}: {first.reason}{more}"


def masked_line(rules: Mapping[str, int]) -> str:
    by_rule = ", ".join(f"{count:,} {rule}" for rule, count in rules.items())
    count = sum(rules.values())
    change = "change it where it is" if count == 1 else "change them where they are"
    return f"masked {plural(count, 'secret')} ({by_rule}): {change} still in use; `engramma redactions` shows where"


def preview_lines(found: Preview) -> list[str]:
    known = f"; {plural(found.known_turns, 'turn')} already known" if found.known_turns else ""
    known += f"; {plural(found.purged_turns, 'turn')} purged before and not added again" if found.purged_turns else ""
    lines = [
        f"read {plural(found.conversations, 'conversation')} with {plural(found.turns, 'turn')}; nothing was stored",
        f"would add {plural(found.new_turns, 'turn')} and {plural(found.new_conversations, 'conversation')}{known}",
    ]
    if found.redactions:
        lines.append("would mask " + ", ".join(f"{rule} ({count:,})" for rule, count in found.redactions.items()))
    return lines
