"""The command that extracts claims from conversations: by rules, or with a language model if one is configured."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from ...language.text import plural
from .common import command, open_memory, progress_bar, say, tell

if TYPE_CHECKING:
    from ...memory import Memory
    from ...people import Drained, LLMStatus

QUIET_ENDS = ("done", "limit")  # ends of a run that ask for nothing


@command("extract")
def _extract(
    llm: Annotated[bool, typer.Option("--llm", help="Also let the model of [llm] in config.toml read.")] = False,
    status: Annotated[bool, typer.Option("--status", help="How far the model has read, and what it cost.")] = False,
    limit: Annotated[int | None, typer.Option(help="Maximum number of pieces the model reads now.")] = None,
    retry: Annotated[bool, typer.Option("--retry", help="With --llm: retry now what failed.")] = False,
    again: Annotated[bool, typer.Option("--again", help="With --llm: read everything again.")] = False,
) -> None:
    """Extract claims from what was said. Can be interrupted at any point and run again."""

    with open_memory() as memory:
        if status:
            found = memory.llm.status()
            tell(asdict(found), ["\n".join(status_lines(found))])
            return
        if not llm:
            blocks = memory.claims.extract()
            tell({"blocks": blocks}, [f"Read {plural(blocks, 'block')} by rules."])
            return
        if retry or again:
            memory.llm.retry(everything=again)
        report = drained(memory, limit)
    tell({**asdict(report), "dropped": dict(report.dropped)}, [_report_line(report)])
    if report.ended not in QUIET_ENDS:
        say(f"engramma: {END_WORDS.get(report.ended, report.ended)}")
        raise typer.Exit(0 if report.ended == "busy" else 1)


END_WORDS = {
    "daily limit": "today's token limit is reached (daily_tokens in config.toml); the rest waits until tomorrow",
    "busy": "another process is already reading with the model; see `engramma extract --status`",
}


def drained(memory: Memory, limit: int | None) -> Drained:
    with progress_bar() as bar:
        task = bar.add_task("reading", total=None)

        def progress(done: float, total: int, so_far: Drained) -> None:
            bar.update(task, completed=done, total=total, description=f"reading ({plural(so_far.kept, 'claim')})")

        return memory.llm.extract(limit, progress)


def _report_line(report: Drained) -> str:
    """What a run came to, in two lines."""
    tokens = f"{report.prompt_tokens:,} + {report.completion_tokens:,} tokens"
    speed = f", {report.completion_tokens / report.model_seconds:.1f} a second" if report.model_seconds else ""
    line = (
        f"Read {report.pieces:,} pieces with {report.requests:,} questions ({tokens}{speed}).\n"
        f"Claims: {report.proposed:,} proposed, {report.kept:,} kept, {sum(report.dropped.values()):,} dropped"
    )
    reasons = ", ".join(f"{reason} {count:,}" for reason, count in report.dropped.most_common())
    line += f" ({reasons})" if reasons else ""
    trouble = {"unreadable": report.unreadable, "failed": report.failed}
    told = ", ".join(f"{count:,} {what}" for what, count in trouble.items() if count)
    return f"{line}.{f' Replies: {told}.' if told else ''}"


def status_lines(status: LLMStatus) -> list[str]:
    """How far the model has read, and a row a day and model."""
    later = f", {status.later:,} of them delayed after failures" if status.later else ""
    going = f", {status.open:,} in sessions that are still open" if status.open else ""
    pieces = ", ".join(f"{count:,} {outcome}" for outcome, count in status.pieces.items()) or "none yet"
    dropped = ", ".join(f"{reason} {count:,}" for reason, count in status.dropped.items())
    lines = [
        f"model: {status.model or 'none configured (docs/howto/llm.md)'}",
        f"blocks: {status.blocks:,}, waiting {status.waiting:,}{later}{going}",
        f"pieces: {pieces}",
        f"claims: {status.proposed:,} proposed, {status.kept:,} kept{f'; dropped: {dropped}' if dropped else ''}",
    ]
    limit = f" of {status.daily_tokens:,}" if status.daily_tokens else ""
    lines.append(f"tokens today: {status.tokens_today:,}{limit}")
    if status.days:
        lines.append(f"{'day':<10}  {'requests':>8}  {'failed':>6}  {'prompt':>10}  {'reply':>9}  {'cost':>8}  model")
    for day in status.days:
        cost = "" if day.cost is None else f"{day.cost:,.2f}"
        counts = f"{day.requests:>8,}  {day.failed:>6,}  {day.prompt_tokens:>10,}  {day.completion_tokens:>9,}"
        note = f" ({day.estimated:,} estimated)" if day.estimated else ""
        lines.append(f"{day.day}  {counts}  {cost:>8}  {day.model}{note}")
    return lines
