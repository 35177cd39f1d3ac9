"""Commands about namespaces: list, create, rename, delete, place."""

from __future__ import annotations

from typing import Annotated

import typer

from ...errors import BadInput
from .common import JsonOption, NamespaceOption, StoreOption, opened, out, progress_bar, say, wants_json


def register(app: typer.Typer) -> None:
    group = typer.Typer(help="The namespaces of a memory: walls around what is in them.", no_args_is_help=True)
    group.command("list")(list_them)
    group.command("create")(create)
    group.command("rename")(rename)
    group.command("delete")(delete)
    group.command("place")(place)
    app.add_typer(group, name="namespace")


def list_them(store: StoreOption = None, json: JsonOption = False) -> None:
    """List the namespaces with their sizes."""
    from ..render import as_json, plural, size

    with opened(store, None) as memory:
        found = memory.namespaces.all()
    if wants_json(json):
        out(as_json(found))
        return
    width = max(len(info.name) for info in found)
    for info in found:
        if info.home is not None:
            out(f"{info.name:<{width}}  on {info.home}")
            continue
        parts = (plural(info.segments, "segment"), plural(info.notes, "note"), f"{size(info.text_bytes)} of text")
        out(f"{info.name:<{width}}  {', '.join(parts)}")


def create(
    name: Annotated[str, typer.Argument(help="Name of the new namespace.")],
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Make an empty namespace."""
    from ..render import as_json

    with opened(store, None, create=True) as memory:
        made = memory.namespaces.create(name)
    out(as_json(made) if wants_json(json) else f"Made the namespace {name}.")


def rename(
    old: Annotated[str, typer.Argument(help="Its name now.")],
    new: Annotated[str, typer.Argument(help="The name it gets.")],
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Give a namespace another name. Programs that have it open are told to open it again."""
    from ..render import as_json

    with opened(store, None) as memory:
        renamed = memory.namespaces.rename(old, new)
    out(as_json(renamed) if wants_json(json) else f"The namespace {old} is called {new} now.")


def delete(
    name: Annotated[str, typer.Argument(help="The namespace to delete.")],
    yes: Annotated[
        str | None, typer.Option("--yes", help="Its name again: deleting is final.", show_default=False)
    ] = None,
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    json: JsonOption = False,
) -> None:
    """Delete a namespace with everything in it, for good. Another one has to be open (--namespace)."""
    from ..render import as_json, plural

    with opened(store, namespace) as memory:
        found = next((info for info in memory.namespaces.all() if info.name == name), None)
        if found is not None and yes != name and memory.namespace != name:
            say(
                f"{name} holds {plural(found.segments, 'segment')}. Deleting is final and cannot be undone: "
                f"say its name again, `engramma namespace delete {name} --yes {name}`."
            )
            raise typer.Exit(1)
        memory.namespaces.delete(name)
    out(as_json({"deleted": found}) if wants_json(json) else f"Deleted the namespace {name}.")


def place(
    name: Annotated[str, typer.Argument(help="The namespace to move.")],
    on: Annotated[
        str | None,
        typer.Option("--on", help="The server: postgres://user@host/database?schema=name.", show_default=False),
    ] = None,
    back: Annotated[bool, typer.Option("--back", help="Bring it back from its server.")] = False,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Let a namespace live on another PostgreSQL server, or bring it back. The store has to be on PostgreSQL itself."""
    from ..render import as_json, plural

    if (on is None) != back:
        raise BadInput("Say either where it goes (--on postgres://…) or --back.")
    with opened(store, None) as memory, progress_bar() as bar:
        task = bar.add_task("copying", total=None)

        def told(table: str, done: int, total: int) -> None:
            bar.update(task, description=table, completed=done, total=total)

        rows = memory.namespaces.bring_back(name, told) if on is None else memory.namespaces.place(name, on, told)
        home = next(info.home for info in memory.namespaces.all() if info.name == name)
    where = "back" if home is None else f"on {home} now"
    said = {"namespace": name, "rows": rows, "home": home}
    out(
        as_json(said)
        if wants_json(json)
        else f"The namespace {name} is {where}: {plural(rows, 'row')}, compared one by one."
    )
