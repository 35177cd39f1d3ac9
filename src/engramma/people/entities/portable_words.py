"""What users said of entities, as an export carries it: by names, because keys are of one store alone.

A record for each entity that stands for others or was changed: what the talk calls it and them, and what the user calls
it. Who the user is (`me`) stands elsewhere, and what rules joined they join again.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ...core.core import Core
from ...ingest.validate import checked_name
from ...records import Act
from ...store.acts import acts_of_kind
from ...store.store import Store
from ..claims.catch_up import catch_up
from .edits import MOST_ALIASES, TYPE, Entities, at_once
from .entities import entities_by_keys, given_names, keys_named, read_entity_names
from .name_forms import exact_forms, type_of
from .short_names import OWN_NAMES
from .user_words import ACT, root_of

BY_USERS = ("change", "merge", "delete")  # what such acts did


def portable_words(core: Core) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """What users said of entities and stands; nothing of whom nothing can be seen any more.

    First what was deleted: another may have been given its name since, the user for one.
    """
    if not _acts(core.store):
        return [], []
    catch_up(core)
    with core.store.snapshot():
        acts, joined = _acts(core.store), dict[int, dict[int, None]]()
        for act in acts:
            for key in act.detail["entities"]:
                others = joined.setdefault(root_of(core.store, key), {})
                if root_of(core.store, key) != key:
                    others[key] = None
        numbers = {act.id for act in acts}
        me = core.store.one("entity_me")
        found = [(root, _record(core.store, root, [*others], numbers)) for root, others in joined.items()]
    told = [(one["deleted"] and (me is None or root != me["key"]), one) for root, one in found if one is not None]
    told.sort(key=lambda pair: (pair[1]["owner"] or "", pair[1]["called"], pair[1]["kind"]))
    return [one for gone, one in told if gone], [one for gone, one in told if not gone]


def _acts(store: Store) -> list[Act]:
    return [act for act in acts_of_kind(store, ACT) if act.detail.get("what") in BY_USERS]


def _record(store: Store, root: int, others: Sequence[int], acts: Collection[int]) -> dict[str, Any] | None:
    names = [str(row["name"]) for row in store.all("names_kept", key=root)]
    merged = [one for key in others if (one := _told(store, key, names))["called"]]
    words = [row for key in (root, *others) for row in store.all("entity_words_of", key=key) if row["act"] in acts]
    own = {row["kind"]: row["value"] for row in store.all("entity_words_of", key=root) if row["act"] in acts}
    given = {*given_names(store, [root]).get(root, ())}
    elsewhere = {name for one in merged for name in one["called"]}
    if not names:
        return None
    return {
        **_told(store, root, [name for name in names if name not in elsewhere], is_root=True),
        "merged": sorted(merged, key=lambda one: (one["called"], one["kind"])),
        "name": own.get("name"),
        "as": own.get("type"),
        "aliases": sorted({row["value"] for row in words if row["kind"] in ("name", "alias")} & given),
        "deleted": "gone" in own,
    }


def _told(store: Store, key: int, names: Sequence[str], is_root: bool = False) -> dict[str, Any]:
    """An entity as another store can find it: by what it is called in the talk, what it is, and whose."""
    row = store.one("entity_get", key=key)
    if row is None:
        return {"called": []}
    forms = set(store.keys("forms_exact", key=key).tolist())
    called = [name for name in names if is_root or forms & exact_forms(name, row)]
    owner = store.one("entity_get", key=row["owner"]) if row["owner"] else None
    return {"called": called, "kind": type_of(row), "owner": None if owner is None else owner["name"]}


# --- and back ------------------------------------------------------------------------------------


def take_portable_words(core: Core, fields: Mapping[str, Any]) -> None:
    """Say the same here, as acts that can be undone; what stands already is not said again."""
    name, kind = (None if fields[at] is None else checked_name(fields[at], at, core.look) for at in ("name", "as"))
    if kind is not None and not TYPE.fullmatch(kind):
        raise ValueError(f"{kind!r:.40} is no type of entity")
    aliases = [checked_name(one, "alias", core.look) for one in fields["aliases"][:MOST_ALIASES]]
    catch_up(core)
    store, entities = core.store, Entities(core)
    merged = [_meant(core, one) for one in fields["merged"]]
    here = [key for key in merged if key]
    root = _meant(core, fields, name) or next(iter(here), 0)
    if not root:
        if fields["deleted"]:
            return  # by the same word, it may be
        raise ValueError("nobody and nothing here is called so, or several are")
    if fields["deleted"] and _is_user_besides(store, root, fields["called"]):
        raise ValueError("the user has this name here, and is not deleted")
    if others := [key for key in dict.fromkeys(here) if key != root]:
        entities.merge(at_once(others), root)
    row = entities_by_keys(store, [root])[0]
    further = [one for one in aliases if one not in given_names(store, [root]).get(root, ())]
    called, typed = (None if new == old else new for new, old in ((name, row.name), (kind, row.type)))
    if called is not None or typed is not None or further:
        entities.change(root, name=called, type=typed, aliases=further)
    if fields["deleted"]:
        entities.delete([root])
    if len(here) < len(merged):
        raise ValueError("one of those that are one with it is not here, or several are called so; the others are")


def _meant(core: Core, fields: Mapping[str, Any], name: str | None = None) -> int:
    """The one entity here that a record means, by the very name; 0 if there is none, or several."""
    called = [checked_name(one, "called", core.look) for one in fields["called"]]
    owner = None if fields["owner"] is None else checked_name(fields["owner"], "owner", core.look)
    for one in [*([] if name is None else [name]), *called]:
        rows = entities_by_keys(core.store, keys_named(core.store, one))
        keys = [row.key for row in rows]
        known, given = read_entity_names(core.store, keys), given_names(core.store, keys)
        fit = [
            row
            for row in rows
            if (row.owner or None) == owner
            if one in {named.name for named in known.get(row.key, ())}
            or (not fields.get("deleted") and one in {row.name, *given.get(row.key, ())})
        ]
        fit = [row for row in fit if row.type == fields["kind"]] or fit
        if len(fit) == 1:
            return fit[0].key
    return 0


def _is_user_besides(store: Store, key: int, called: Collection[str]) -> bool:
    """Whether an entity is the user, who speaks here under a name of exports that a record does not have."""
    me = store.one("entity_me")
    if me is None or me["key"] != key:
        return False
    own = {str(row["name"]) for row in store.all("names_kept", key=key)} & {*OWN_NAMES}
    return bool(own) and not own & {*called}
