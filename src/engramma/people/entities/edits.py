"""The user's changes to entities: rename, retype, add aliases, merge, hide."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from ...core.core import Core
from ...core.undo import Undo
from ...errors import BadInput
from ...ingest.validate import checked_name
from ...language.near_names import MOST_COMPARED, did_you_mean, near_names
from ..claims.catch_up import catch_up
from ..pages import checked_page
from .entities import EntityRow, entities_by_keys, entity_page, given_names, keys_named, read_entity_names, with_aliases
from .hubs import Hub, Wheel, hub_named, known_hubs, wheel_of
from .listing import EntityListing, entity_listing
from .user_words import change, delete, merge, undo_word

Sort = Literal["name", "mentions", "type"]
SORTS: tuple[str, ...] = get_args(Sort)
TYPE = re.compile(r"[a-z][a-z_-]{0,39}")
KEY = re.compile(r"#([1-9][0-9]{0,17})")
NUMBER = re.compile(r"[1-9][0-9]{0,17}")
MOST_AT_ONCE = 1_000  # entities of one act
MOST_ALIASES = 20  # of one change


@dataclass(frozen=True, slots=True)
class EntityEdit:
    """What an act did: the entity as it is now (None: it was deleted), and the act that undoes it."""

    entity: EntityRow | None
    act: int


class Entities:
    """Who and what was named. A user's changes stay whatever is extracted later, until `undo`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def all(
        self,
        type: str | None = None,
        search: str | None = None,
        limit: int = 100,
        offset: int = 0,
        sort: Sort = "name",
        *,
        everything: bool = False,
    ) -> list[EntityRow]:
        """Who and what was named; of one type (person, place, …), or with these letters in a name.

        By name, by type, or those most often mentioned first. `everything` adds what is named too seldom, or is too
        little of a thing, to be listed.
        """
        return self.page(type, search, limit, offset, sort, everything=everything)[0]

    def page(
        self,
        type: str | None = None,
        search: str | None = None,
        limit: int = 100,
        offset: int = 0,
        sort: Sort = "name",
        *,
        everything: bool = False,
    ) -> tuple[list[EntityRow], int]:
        """The same, with how many there are in all."""
        checked_page(limit, offset)
        if sort not in SORTS:
            raise BadInput(f"Entities are sorted by {', '.join(SORTS)}, not by {sort!r:.80}.")
        catch_up(self._core)
        with self._core.store.snapshot():
            keys, total = entity_page(self._core.store, type, search or None, sort, limit, offset, everything)
            return self._entity_rows(keys), total

    def listing(
        self, type: str | None = None, search: str | None = None, limit: int = 50, offset: int = 0, sort: Sort = "name"
    ) -> EntityListing:
        """A page with names and counts, and the types there are; nothing is extracted first."""
        return entity_listing(self._core, type, search, sort, limit, offset)

    def hub_named(self, name: str) -> str:
        """The id, in a picture, of the person or thing that a name means."""
        return hub_named(self._core.store, name)

    def hubs(self, ids: Sequence[str]) -> list[Hub]:
        """People and things by such ids, those that are known."""
        return known_hubs(self._core.store, ids)

    def wheel(self, id: str, most: int) -> Wheel:
        """One with what was said by it and of it, and the facts that join it with others: at most so many nodes."""
        return wheel_of(self._core.store, id, most)

    def change(
        self, entity: str | int, *, name: str | None = None, aliases: Iterable[str] = (), type: str | None = None
    ) -> EntityEdit:
        """Change an entity's name, aliases or type. It is given by its name, its number, or "#" and its number."""
        further = [aliases] if isinstance(aliases, str) else list(aliases)
        if name is None and not further and type is None:
            raise BadInput("Give what to change: a name, aliases or a type.")
        if len(further) > MOST_ALIASES:
            raise BadInput(f"At most {MOST_ALIASES} aliases at once.")
        if type is not None and (not isinstance(type, str) or not TYPE.fullmatch(type)):
            raise BadInput(f"A type is a lower-case word, such as person or place, not {type!r:.80}.")
        called = None if name is None else checked_name(name.strip(), "name", self._core.mask)
        also = [checked_name(alias.strip(), "alias", self._core.mask) for alias in further]
        catch_up(self._core)
        with self._core.store.transaction():
            row = self._entity_meant(entity)
            for one in [*([] if called is None else [called]), *also]:
                self._check_unnamed(row, one)
            act = change(self._core.store, row.key, called, also, type)
        return EntityEdit(self._entity_now(row.key), act)

    def merge(self, entities: Sequence[str | int], into: str | int) -> EntityEdit:
        """Merge entities: everything said about them, now and later, belongs to the last one."""
        catch_up(self._core)
        with self._core.store.transaction():
            kept = self._entity_meant(into)
            keys = list(dict.fromkeys(row.key for row in map(self._entity_meant, at_once(entities)) if row != kept))
            if not keys and any(one != into for one in entities):
                raise BadInput(f"They are one already: {kept.name!r:.200}.")
            if not keys:
                raise BadInput("Give at least two different entities to merge.")
            act = merge(self._core.store, keys, kept.key)
        return EntityEdit(self._entity_now(kept.key), act)

    def names_near(self, name: str) -> list[str]:
        """A few of those who and what was named that may be meant by a name that none of them has."""
        catch_up(self._core)
        return near_names(name, [one.name for one in self.all(limit=MOST_COMPARED, sort="mentions")])

    def delete(self, entities: Sequence[str | int]) -> EntityEdit:
        """Hide entities, with the claims about them; the conversations themselves stay."""
        catch_up(self._core)
        with self._core.store.transaction():
            keys = list(dict.fromkeys(self._entity_meant(one).key for one in at_once(entities)))
            act = delete(self._core.store, keys)
        return EntityEdit(None, act)

    # --- steps ---------------------------------------------------------------------------------

    def _entity_meant(self, entity: str | int) -> EntityRow:
        """The one entity that a name or a number means."""
        if isinstance(entity, bool) or not isinstance(entity, str | int) or entity == "":
            raise BadInput(f"An entity is given by its name or number, not by {entity!r:.80}.")
        number = entity if isinstance(entity, int) else int(m[1]) if (m := KEY.fullmatch(entity)) else None
        if number is not None and not 0 < number < 2**63:
            raise BadInput(f"There is no entity {number} here. `engramma entities` lists them.")
        keys = keys_named(self._core.store, str(entity)) if number is None else [number]
        if not keys and isinstance(entity, str) and NUMBER.fullmatch(entity):
            keys = [int(entity)]  # to a shell what begins with # is a remark
        rows = entities_by_keys(self._core.store, keys)
        if not rows:
            near = did_you_mean(self.names_near(entity)) if isinstance(entity, str) else ""
            told = near or "`engramma entities` lists them."
            raise BadInput(f"Nobody and nothing here is called {entity!r:.200}. {told}")
        if len(rows) > 1:
            told = ", ".join(f"#{one.key} ({one.type}{f' of {one.owner}' if one.owner else ''})" for one in rows[:5])
            raise BadInput(
                f"{entity!r:.200} may mean {len(rows)} entities: {told}. Give its number, such as {rows[0].key}."
            )
        return rows[0]

    def _check_unnamed(self, row: EntityRow, name: str) -> None:
        """A name that another one has would make two of one name: then the two are to be merged."""
        others = [one for one in keys_named(self._core.store, name) if one != row.key]
        for other in entities_by_keys(self._core.store, others):
            known = read_entity_names(self._core.store, [other.key]).get(other.key, ())
            given = given_names(self._core.store, [other.key]).get(other.key, ())
            names = {other.name, *(named.name for named in known), *given}
            if other.owner == row.owner and name.casefold() in {one.casefold() for one in names}:
                raise BadInput(f"{name!r:.200} is entity #{other.key} already. Merge the two if they are one.")

    def _entity_rows(self, keys: Sequence[int]) -> list[EntityRow]:
        names, given = read_entity_names(self._core.store, keys), given_names(self._core.store, keys)
        rows = entities_by_keys(self._core.store, keys)
        return [with_aliases(row, names.get(row.key, ()), given.get(row.key, ())) for row in rows]

    def _entity_now(self, key: int) -> EntityRow | None:
        with self._core.store.snapshot():
            return next(iter(self._entity_rows([key])), None)


def at_once(entities: Sequence[str | int]) -> list[str | int]:
    """Entities of one act, not too many."""
    listed: list[str | int] = [entities] if isinstance(entities, str | int) else list(entities)
    if not 0 < len(listed) <= MOST_AT_ONCE:
        raise BadInput(f"Give 1 to {MOST_AT_ONCE:,} entities.")
    return listed


UNDO: Undo = {"entity": lambda core, act: undo_word(core.store, act)}
