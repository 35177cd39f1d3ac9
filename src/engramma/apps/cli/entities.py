"""Commands about entities: list who and what was named; rename, merge, delete and undo."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from ...errors import BadInput
from .common import app, command, one_name, open_memory, tell
from .people_graph import entity_line

if TYPE_CHECKING:
    from ...people import EntityEdit

LIST = "list"
Meant = Annotated[str, typer.Argument(help="Its name, or its number if several share the name.")]


class ListFirst(TyperGroup):
    """A group that lists where no other command of its is named: `entities`, `entities ann`, `entities --type pet`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not args or (args[0] not in self.commands and args[0] not in ctx.help_option_names):
            args = [LIST, *args]
        return super().parse_args(ctx, args)


entities = typer.Typer(
    cls=ListFirst,
    help="Who and what was named. Your changes to them stay until undone.",
    rich_markup_mode=None,
)
app.add_typer(entities, name="entities")


@command(LIST, within=entities)
def _list_them(
    letters: Annotated[
        list[str] | None, typer.Argument(metavar="LETTERS", help="Only names that contain these letters.")
    ] = None,
    type: Annotated[str | None, typer.Option(help="Only this type: person, place, organisation, pet, …")] = None,
    sort: Annotated[str, typer.Option(help="By mentions, by name, or by type.")] = "mentions",
    limit: Annotated[int, typer.Option(help="Maximum number of entities.")] = 100,
    offset: Annotated[int, typer.Option(help="How many to skip.")] = 0,
    everything: Annotated[
        bool, typer.Option("--all", help="Also what is named too seldom, or is too little of a thing, to be listed.")
    ] = False,
) -> None:
    """List who and what was named, each by its number, with aliases and counts."""

    with open_memory() as memory:
        found = memory.entities.all(type, one_name(letters), limit, offset, sort, everything=everything)  # type: ignore[arg-type]
    tell(found, map(entity_line, found), none="No such entity; --all looks among those that are not listed, too.")


@command("rename", within=entities)
def _rename(entity: Meant, name: Annotated[str, typer.Argument(help="Its new name.")]) -> None:
    """Rename an entity. It is still found by its old name."""
    with open_memory() as memory:
        _told(memory.entities.change(entity, name=name))


@command("type", within=entities)
def retype(entity: Meant, type: Annotated[str, typer.Argument(help="person, place, organisation, pet, …")]) -> None:
    """Set an entity's type."""
    with open_memory() as memory:
        _told(memory.entities.change(entity, type=type))


@command("alias", within=entities)
def alias(entity: Meant, names: Annotated[list[str], typer.Argument(help="Its other names.")]) -> None:
    """Add aliases to an entity."""
    with open_memory() as memory:
        _told(memory.entities.change(entity, aliases=names))


@command("merge", within=entities)
def _merge(
    entities: Annotated[
        list[str], typer.Argument(metavar="ENTITY... INTO", help="The entities to merge; the last one stays.")
    ],
) -> None:
    """Merge entities that are the same: `engramma entities merge A B` makes A a name of B."""
    with open_memory() as memory:
        _told(memory.entities.merge(entities[:-1], entities[-1]))


@command("delete", within=entities)
def _delete(entities: Annotated[list[str], typer.Argument(help="Names or numbers.")]) -> None:
    """Hide an entity that is not one, with the claims about it. The conversations themselves stay."""
    with open_memory() as memory:
        _told(memory.entities.delete(entities))


@command("undo", within=entities)
def _undo(
    act: Annotated[int | None, typer.Argument(help="The act's number; by default the latest.")] = None,
) -> None:
    """Undo a change to an entity."""

    with open_memory() as memory:
        standing = [one.id for one in memory.acts.all(10_000) if one.kind == "entity" and one.undone_at is None]
        if act is None and not standing:
            raise BadInput("There are no changes to entities left to undo.")
        if act is not None and act not in standing:
            raise BadInput(f"Act {act} is not about an entity, or was already undone. `engramma acts` lists them.")
        undone = memory.undo(standing[0] if act is None else act)
    tell(undone, [f"Undone: act {undone.id}, {undone.reason}."])


def _told(edit: EntityEdit) -> None:
    """An entity as it is now, and how to take it back."""
    line = "Deleted." if edit.entity is None else entity_line(edit.entity)
    tell(edit, [line], f"`engramma undo {edit.act}` takes it back.")
