"""The watch command: transcripts that are still being written, imported as they grow."""

from __future__ import annotations

import json as json_module
import sys
import time
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...errors import BadInput
from .common import command, open_memory, out, say, store_path, wants_json
from .imports import HowRead

if TYPE_CHECKING:
    from ...memory import Memory
    from ...records import RememberReport
    from ...transfer.imports import Reading
    from ...transfer.watch import Watch, Watched


@command("watch")
def watch(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Transcripts, or folders of them; by default where Claude Code and Codex keep theirs.",
            show_default=False,
        ),
    ] = None,
    format: Annotated[str | None, typer.Option(help="Their format; recognised by content if not given.")] = None,
    *,
    read: HowRead,
    interval: Annotated[float, typer.Option(help="Seconds between checks.", min=0.1, max=86_400)] = 5.0,
    once: Annotated[bool, typer.Option("--once", help="Check once, import what is new, and exit.")] = False,
) -> None:
    """Follow the transcripts of assistants and import what is new, until Ctrl-C."""
    from ...errors import StoreBusy
    from ...sources import READERS
    from ...transfer.watch import Watch, Watched, live_places

    if format is not None and format not in READERS:
        raise BadInput(f"unknown format {format!r}: choose from {', '.join(READERS)}")
    given = [Watched(path.expanduser(), format) for path in paths or []]
    if missing := [str(one.path) for one in given if not one.path.exists()]:
        raise BadInput(f"{missing[0]} does not exist. Give an existing transcript or folder.")
    if not given and not live_places():
        raise BadInput("Claude Code and Codex have no transcripts here. Give a transcript or a folder of them.")
    how = read.reading()
    state = Watch()
    with open_memory(create=True) as memory:
        followed = given or live_places()
        if not once:
            say(f"watching {', '.join(str(one.path) for one in followed)} for {store_path()}; Ctrl-C stops it")
        try:
            while True:
                try:
                    _look(memory, given or live_places(), state, how)
                except StoreBusy as error:
                    if once:
                        raise
                    say(f"engramma: {error} Trying again in {interval:g} s.")
                if once:
                    return
                time.sleep(interval)
        except KeyboardInterrupt:
            say("stopped; what was imported is kept")


def _look(memory: Memory, followed: list[Watched], state: Watch, how: Reading) -> None:
    """One round, a line for every file that brought something."""
    from ..daemon.pauses import without_paused
    from ..render import problem_lines

    for path, report in memory.transfer.watch_round(followed, state, without_paused(store_path(), how)):
        if report.turns:
            out(_line(path, report))
            sys.stdout.flush()  # whoever reads a pipe hears of it now
        for problem in problem_lines(report.problems):
            say(f"note: {problem}")


def _line(path: Path, report: RememberReport) -> str:
    from ..render import as_value, report_line

    if wants_json():  # one object a line: this goes on for days
        return json_module.dumps({"path": str(path), **as_value(report)}, ensure_ascii=False)
    return f"{datetime.now():%H:%M:%S} {path.name}: {report_line(report)}"
