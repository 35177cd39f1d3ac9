"""Commands about namespaces: list, create, rename, delete, place."""

from __future__ import annotations

from typing import Annotated

import typer

from ...errors import BadInput
from ...records import NamespaceInfo
from .common import app, command, open_memory, progress_bar, say, tell

namespaces = typer.Typer(help="The namespaces of a memory, which keep their contents apart.", no_args_is_help=True)
app.add_typer(namespaces, name="namespace")


@command("list", within=namespaces, without=("namespace",))
def _list_them() -> None:
    """List the namespaces with their sizes."""
    with open_memory() as memory:
        found = memory.namespaces.all()
    width = max((len(info.name) for info in found), default=0)
    tell(found, (f"{info.name:<{width}}  {told(info)}" for info in found))


def told(info: NamespaceInfo) -> str:
    """How large a namespace is, or where it lives."""
    from ..render import plural, size

    if info.home is not None:
        return f"on {info.home}"
    return f"{plural(info.segments, 'segment')}, {plural(info.notes, 'note')}, {size(info.text_bytes)} of text"


@command("create", within=namespaces, without=("namespace",))
def _create(name: Annotated[str, typer.Argument(help="Name of the new namespace.")]) -> None:
    """Create an empty namespace."""

    with open_memory(create=True) as memory:
        made = memory.namespaces.create(name)
    tell(made, [f"Created the namespace {name}."])


@command("rename", within=namespaces, without=("namespace",))
def _rename(
    old: Annotated[str, typer.Argument(help="Its current name.")],
    new: Annotated[str, typer.Argument(help="Its new name.")],
) -> None:
    """Rename a namespace. Programs that have it open must open it again."""

    with open_memory() as memory:
        renamed = memory.namespaces.rename(old, new)
    tell(renamed, [f"The namespace {old} is now called {new}."])


@command("delete", within=namespaces)
def _delete(
    name: Annotated[str, typer.Argument(help="The namespace to delete.")],
    yes: Annotated[
        str | None, typer.Option("--yes", help="The name again, to confirm: deletion is final.", show_default=False)
    ] = None,
) -> None:
    """Permanently delete a namespace with everything in it. Another one must be open (--namespace)."""
    from ..render import plural

    with open_memory() as memory:
        found = next((info for info in memory.namespaces.all() if info.name == name), None)
        if found is not None and yes != name and memory.namespace != name:
            say(
                f"{name} holds {plural(found.segments, 'segment')}. Deletion is final. To confirm, give the name "
                f"again: `engramma namespace delete {name} --yes {name}`."
            )
            raise typer.Exit(1)
        memory.namespaces.delete(name)
    tell({"deleted": found}, [f"Deleted the namespace {name}."])


@command("place", within=namespaces, without=("namespace",))
def _place(
    name: Annotated[str, typer.Argument(help="The namespace to move.")],
    on: Annotated[
        str | None,
        typer.Option("--on", help="The server: postgres://user@host/database?schema=name.", show_default=False),
    ] = None,
    back: Annotated[bool, typer.Option("--back", help="Bring it back from its server.")] = False,
) -> None:
    """Move a namespace to another PostgreSQL server, or bring it back. The store itself must be on PostgreSQL."""
    from ..render import plural

    if (on is None) != back:
        raise BadInput("Give either --on postgres://… or --back.")
    with open_memory() as memory, progress_bar() as bar:
        task = bar.add_task("copying", total=None)

        def told(table: str, done: int, total: int) -> None:
            bar.update(task, description=table, completed=done, total=total)

        rows = memory.namespaces.bring_back(name, told) if on is None else memory.namespaces.place(name, on, told)
        home = next(info.home for info in memory.namespaces.all() if info.name == name)
    where = "back" if home is None else f"now on {home}"
    said = {"namespace": name, "rows": rows, "home": home}
    tell(said, [f"The namespace {name} is {where}: {plural(rows, 'row')}, compared row by row."])
