"""Commands about notes: notes."""

from __future__ import annotations

from typing import Annotated

import typer

from ...errors import BadInput
from ..styled import Styled
from .common import command, open_memory, tell


def styled_note(lines: list[str]) -> list[str]:
    """A note's lines with the one about it dimmed."""
    return [Styled((lines[0], "dim")), *lines[1:]]


@command("notes")
def _notes(
    note: Annotated[str | None, typer.Argument(help="One note, with what repeated it.", show_default=False)] = None,
    tag: Annotated[str | None, typer.Option(help="Only notes with this tag.", show_default=False)] = None,
    every: Annotated[bool, typer.Option("--all", help="Include archived and retired notes.")] = False,
) -> None:
    """List the notes, oldest first, or show one with everything that repeated it."""
    from ..render import note_lines, repeat_line

    with open_memory() as memory:
        if note is None:
            found = memory.notes.all(tag, all_states=every)
            which = "There are no notes here" + (f" with the tag {tag!r:.80}." if tag else ".")
            more = " `--all` includes archived and retired ones." if not every else ""
            me = memory.user_name
            tell(found, (line for n in found for line in styled_note(note_lines(n, me))), none=which + more)
            return
        if (one := memory.notes.get(note)) is None:
            raise BadInput(f"There is no note {note!r:.100}. `engramma notes` lists them.")
        repeats, me = memory.notes.repeats(note), memory.user_name
    said_again = (f"  {repeat_line(repeat, me)}" for repeat in repeats)
    tell({"note": one, "repeats": repeats}, [*note_lines(one, me), *said_again])
