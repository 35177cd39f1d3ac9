"""Commands that read documents: ingest."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from .common import command, open_memory, out, out_json, progress_bar, say, say_if_paused, wants_json


@command("ingest")
def ingest(
    paths: Annotated[list[Path], typer.Argument(help="Documents, or folders of them.", exists=False)],
    name: Annotated[
        str | None, typer.Option(help="Name of a single document; by default its path.", show_default=False)
    ] = None,
) -> None:
    """Read Markdown, text, HTML, PDF and code as documents. Run it again after a change: only what changed is added.

    What stands under a heading that is a day ("## 28 June 2026") was written then; else on the day that the file's name
    begins with ("2026-06-28.md"); else when the file was last changed.
    """
    from ...errors import UnreadableSource
    from ...records import Ingested, Problem
    from ...sources.documents import find_documents
    from ..render import plural, problem_lines

    say_if_paused()
    report, unread = Ingested(), list[Problem]()
    with open_memory(create=True) as memory, progress_bar() as bar:
        task = bar.add_task("reading", total=None)
        for path in paths:
            try:
                bar.update(task, total=(bar.tasks[0].total or 0) + sum(1 for _ in find_documents(path)))
                report += memory.documents.ingest(path, name=name, progress=lambda _: bar.advance(task))
            except UnreadableSource as error:
                unread.append(Problem(str(path), "the whole path", str(error).removeprefix(f"{path} ")))
    given = {str(path) for path in paths if path.is_file()}
    unread += [one for one in report.problems if one.path in given and one.damage]
    report = replace(report, problems=tuple(one for one in report.problems if one not in unread))
    if wants_json():
        out_json(report + Ingested(problems=tuple(unread)))
    else:
        line = f"read {plural(report.documents, 'document')}: {plural(report.added, 'chunk')} added"
        line += f", {report.unchanged:,} unchanged, {report.removed:,} removed"
        out(line + (f"; {plural(report.purged, 'chunk')} purged before and not added again" if report.purged else ""))
        for told in problem_lines(report.problems):
            say(f"note: {told}")
        for told in problem_lines(unread, limit=len(unread)):
            say(f"not read: {told}")
    if unread:
        raise typer.Exit(1)
