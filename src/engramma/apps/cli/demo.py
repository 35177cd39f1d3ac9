"""The demo: a small life in eleven sessions, three questions, and the graph as a picture."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...files.private_files import write_private
from .common import app, out, progress_bar, say

if TYPE_CHECKING:
    from ...memory import Memory
    from ...records import Recall


ENTRIES = 7  # what the first question needs


@app.command("demo")
def demo(
    folder: Annotated[Path, typer.Option("--out", help="Where the demo's memory and picture go.")] = Path("demo-out"),
) -> None:
    """Remember a small set of conversations, recall three questions, draw the graph.

    The demo has a memory of its own, under --out: --store, --namespace and --json do not apply to it.
    """
    from ...language.fence import unfenced
    from ...memory import Memory
    from ..render import plural

    with Memory.open(folder / "memory") as memory:
        fill_demo(memory)
        asked = [(item, memory.recall(item["question"], k=ENTRIES)) for item in questions()]
        for number, (item, found) in enumerate(asked, 1):
            out(f"\n{'─' * 78}\nQuestion {number}: {item['question']}\n({item['why']})\n")
            out(unfenced(found.context))
            out("\nHow each was reached:")
            for line in ways(found):
                out(f"  {line}")
        picture = _draw(memory, asked, folder / "graph.html")
        counts = memory.admin.counts()
        out(f"\n{'─' * 78}")
        out(
            f"{plural(counts['turns'], 'turn')} in {plural(counts['sessions'], 'session')}, no LLM, no server, no key. "
            f"The memory is the directory {memory.path}."
        )
        out(f"The graph as a picture: {picture.resolve()}")
        say(f'Ask it something yourself: {_program()} --store {memory.path} recall "Who ran the charity race?"')
        say(f"See it in your browser: {_program()} --store {memory.path} open")
        if _program() != "engramma":
            say(f"After `source {Path(_program()).parent / 'activate'}`, `engramma` is enough in this shell.")


def _program() -> str:
    """How this very command is called from here: by its name if a shell finds it, else by its path."""
    import os
    import shutil
    import sys

    beside = Path(sys.executable).parent / "engramma"
    found = shutil.which("engramma")
    if not beside.is_file() or (found is not None and Path(found).parent == beside.parent):
        return "engramma"
    return os.path.relpath(beside) if beside.is_relative_to(Path.cwd()) else str(beside)


def fill_demo(memory: Memory) -> None:
    """Import the demo's conversations; a second run finds them there."""
    from ..render import report_line

    with (
        resources.as_file(resources.files("engramma.apps") / "demo" / "conversations.jsonl") as path,
        progress_bar() as bar,
    ):
        task = bar.add_task("remembering", total=None)
        report = memory.import_(path, progress=lambda turns, _: bar.advance(task, turns))
    out(f"Remembering five months of conversation between Mira, Jonas and an assistant: {report_line(report)}.")


def questions() -> list[dict[str, str]]:
    text = (resources.files("engramma.apps") / "demo" / "questions.json").read_text(encoding="utf-8")
    found: list[dict[str, str]] = json.loads(text)["questions"]
    return found


def ways(found: Recall) -> list[str]:
    """For each segment, the channels that found it or the edge that led to it."""
    from ..render import way

    width = max((len(c.segment_id) for c in found.candidates), default=0)
    return [f"{c.segment_id:<{width}}  {way(c)}" for c in found.candidates]


def _draw(memory: Memory, asked: list[tuple[dict[str, str], Recall]], target: Path) -> Path:
    """The graph with what each question brought back, as one HTML file."""
    from ..picture import Highlight, draw_graph

    highlights = [Highlight(item["question"], found.candidates, item["why"]) for item, found in asked]
    write_private(target, draw_graph(memory, highlights, title="What Engramma remembers"))
    return target
