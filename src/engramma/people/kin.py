"""Somebody close to the user by the word for them: "mum" is Eluned where the user said "my mum Eluned"."""

from __future__ import annotations

import json
import re

from ..store.store import Store
from .claims.hydrate import read_claims
from .entities.entities import keys_named

KIN = ("has_parent", "has_child", "has_sibling", "has_relative", "has_partner", "married_to", "engaged_to", "dating")
MOST = 200  # claims looked at, the latest first
_WORD = re.compile(r"(?:my\s+)?([^\W\d_]{2,}(?:-[^\W\d_]+)*)", re.IGNORECASE)


def kin_of_user(store: Store, word: str) -> int | None:
    """The key of the one person whom the user called "my WORD NAME"; None if nobody or several are."""
    me, asked = store.one("entity_me"), _WORD.fullmatch(word.strip())
    if me is None or asked is None:
        return None
    given = {"person": me["key"], "relations": json.dumps(KIN), "limit": MOST}
    claims = read_claims(store, store.keys("claim_keys_by_relations", **given).tolist())
    own = re.compile(rf"\bmy\s+{re.escape(asked[1])}\b", re.IGNORECASE)
    names = {one.value for one in claims if own.search(one.quote) and one.value[:1].isupper() and not one.negated}
    keys = {key for name in names for key in keys_named(store, name, ("person",))[:1]}
    return keys.pop() if len(keys) == 1 else None
