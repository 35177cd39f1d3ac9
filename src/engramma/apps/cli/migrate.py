"""The command that moves a whole store: migrate."""

from __future__ import annotations

from typing import Annotated

import typer

from .common import command, open_memory, progress_bar, store_path, tell


@command("migrate", without=("namespace",))
def _migrate(
    to: Annotated[str, typer.Option("--to", help="A new folder, or postgres://user@host/database?schema=name.")],
    plain: Annotated[
        bool, typer.Option("--plain", help="Write the copy of an encrypted memory in plain text.")
    ] = False,
) -> None:
    """Copy the whole memory to another engine or folder, all namespaces, and compare every row.

    The source is not changed. After an interruption, run it again to continue. The copy of an encrypted
    memory is encrypted with the same key, unless you pass --plain.
    """
    from ...errors import StoreBusy
    from ..daemon.folder import place_in
    from ..daemon.run import is_running
    from ..daemon.spool import Spool
    from ..render import plural

    place = place_in(store_path())
    if is_running(place):
        raise StoreBusy(
            "A daemon serves this memory, and what it stores from now on would be missing. Run `engramma stop` first."
        )
    if waiting := Spool(place.spool).waiting()[0]:
        raise StoreBusy(
            f"{plural(waiting, 'captured item')} still waiting to be stored: run `engramma start`, then `engramma "
            "stop`."
        )
    with open_memory() as memory, progress_bar() as bar:
        task = bar.add_task("copying", total=None)
        moved = memory.transfer.move(
            to,
            lambda table, done, total: bar.update(task, description=table, completed=done, total=total),
            plain=plain,
        )
    spaces = plural(len(moved.namespaces), "namespace")
    tables = [{"table": t.table, "rows": t.rows, "sha256": t.sha256} for t in moved.tables]
    tell(
        {"target": moved.target, "rows": moved.rows, "namespaces": moved.namespaces, "tables": tables},
        [f"{moved.rows:,} rows of {spaces} are at {moved.target}, compared row by row."],
        "The original memory is unchanged: delete it once you have seen the new one work.",
    )
