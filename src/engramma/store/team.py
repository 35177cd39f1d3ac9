"""Users of a store, their tokens and their rights. Of a token only hashes are stored: it is shown once, when made.

A token is `egm_<id>_<secret>`: the id finds its row, and the secret, 256 random bits, is compared by its SHA-256 in
constant time. A slow hash would add nothing: there is no guessing of 256 bits. The proxy's key is made of the secret
one way, so it lets talk be captured and nothing be read.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import time
from collections.abc import Mapping
from datetime import datetime

from ..errors import BadInput
from ..language.times import from_micros, to_micros
from ..records.team import OWNER, RIGHTS, Issued, Right, TokenInfo, User, Who
from . import namespaces
from .audit import note_store
from .database import Database, Row

NAME = re.compile(r"[\w][\w .@+-]{0,99}", re.UNICODE)
TOKEN = re.compile(r"egm_([0-9a-f]{16})_([A-Za-z0-9_-]{43})")
PROXY_KEY = re.compile(r"([0-9a-f]{16})-([0-9a-f]{32})")
NOBODY = bytes(32)  # compared with where there is no such token, so that time does not tell


# --- who asks ------------------------------------------------------------------------------------


def who_has(database: Database, token: str) -> Who | None:
    """The user of a token; None if it is nobody's, revoked or expired."""
    found = TOKEN.fullmatch(token)
    if found is None:
        return None
    id, secret = found.groups()
    row = database.one("team_token", {"id": id})
    is_right = hmac.compare_digest(_hashed(secret), NOBODY if row is None else bytes(row["hash"]))
    return who_of(database, row) if is_right and row is not None else None


def who_captures(database: Database, key: str) -> Who | None:
    """The user of a key in the proxy's address."""
    found = PROXY_KEY.fullmatch(key)
    if found is None:
        return None
    row = database.one("team_token", {"id": found[1]})
    is_right = hmac.compare_digest(_hashed(key), NOBODY if row is None else bytes(row["proxy_hash"]))
    return who_of(database, row) if is_right and row is not None else None


def who_still(database: Database, token_id: str) -> Who | None:
    """The user of a token by its id, for somebody who showed the token before."""
    row = database.one("team_token", {"id": token_id})
    return None if row is None else who_of(database, row)


def who_of(database: Database, row: Row) -> Who | None:
    if not is_valid(row):
        return None
    grants = database.all("team_grants", {"name": row["owner"]})
    home = next((grant["name"] for grant in grants if grant["home"]), None)
    return Who(row["owner"], {grant["name"]: RIGHTS[grant["level"] - 1] for grant in grants}, home, row["id"])


def is_valid(row: Row) -> bool:
    now = time.time_ns() // 1000
    return row["revoked_at"] is None and (row["expires_at"] is None or row["expires_at"] > now)


# --- users ---------------------------------------------------------------------------------------


def users(database: Database) -> list[User]:
    """Everybody, by name."""
    return [user_of(database, row) for row in database.all("team_users", {})]


def user(database: Database, name: str) -> User:
    row = database.one("team_user", {"name": name})
    if row is None:
        raise BadInput(f"There is no user {name!r:.100}. `engramma users list` lists them.")
    return user_of(database, row)


def add(database: Database, name: str, grants: Mapping[str, Right], expires: datetime | None, by: str) -> Issued:
    """Make a user with a first token. The first of their highest rights is their home."""
    _check_name(name)
    with database.transaction():
        if database.one("team_user", {"name": name}) is not None:
            raise BadInput(f"There is already a user {name!r}. `engramma users token {name}` issues another token.")
        numbers = {ns: namespaces.number_of(database, ns) for ns in grants}
        database.run("team_user_add", {"name": name, "at": time.time_ns() // 1000})
        put_grants(database, name, grants, numbers)
        if grants:
            home = max(grants, key=lambda ns: RIGHTS.index(grants[ns]))  # of equals the first
            database.run("team_grant_home", {"ns": numbers[home], "name": name})
        issued = new_token(database, name, expires)
        note_store(database, by, "users add", {"user": name, "token": issued.id, "grants": _told(grants)})
    return issued


def issue(database: Database, name: str, expires: datetime | None, by: str) -> Issued:
    """Another token for a user."""
    with database.transaction():
        user(database, name)
        issued = new_token(database, name, expires)
        note_store(database, by, "users token", {"user": name, "token": issued.id})
    return issued


def grant(database: Database, name: str, grants: Mapping[str, Right], home: str | None, by: str) -> User:
    """Give rights in namespaces; in one where they had another right, this one holds from now on."""
    with database.transaction():
        known = user(database, name)
        numbers = {ns: namespaces.number_of(database, ns) for ns in grants}
        put_grants(database, name, grants, numbers)
        if home is not None and home not in {*known.grants, *grants}:
            raise BadInput(f"{name} has no right in {home!r}, so it cannot be their home. Grant one first.")
        if home is not None:
            database.run("team_grant_home", {"ns": namespaces.number_of(database, home), "name": name})
        note_store(database, by, "users grant", {"user": name, "grants": _told(grants)})
    return user(database, name)


def ungrant(database: Database, name: str, taken: list[str], by: str) -> User:
    """Take a user's rights in namespaces away."""
    with database.transaction():
        known = user(database, name)
        if missing := [ns for ns in taken if ns not in known.grants]:
            raise BadInput(f"{name} has no right in {missing[0]!r:.200}. `engramma users list` lists their rights.")
        for ns in taken:
            database.run("team_grant_drop", {"ns": namespaces.number_of(database, ns), "name": name})
        note_store(database, by, "users revoke", {"user": name, "namespaces": ", ".join(taken)})
    return user(database, name)


def revoke(database: Database, name: str, token_id: str | None, by: str) -> int:
    """Make a token, or all tokens of a user, worthless at once; returns how many there were."""
    with database.transaction():
        user(database, name)
        now = time.time_ns() // 1000
        count = database.run("team_token_revoke", {"name": name, "id": token_id, "at": now})
        if not count:
            raise BadInput(f"{name} has no valid token{f' {token_id:.50}' if token_id else ''}. Nothing was changed.")
        note_store(database, by, "users revoke", {"user": name, "tokens": count})
    return count


def delete_user(database: Database, name: str, by: str) -> None:
    """Take a user away with tokens and rights. What they wrote and the audit of it stay."""
    with database.transaction():
        user(database, name)
        for query in ("team_tokens_drop", "team_grants_drop", "team_user_drop"):
            database.run(query, {"name": name})
        note_store(database, by, "users remove", {"user": name})


# --- steps ---------------------------------------------------------------------------------------


def put_grants(database: Database, name: str, grants: Mapping[str, Right], numbers: Mapping[str, int]) -> None:
    for ns, right in grants.items():
        if right not in RIGHTS:
            raise BadInput(f"There is no right {right!r:.50}. Rights are {', '.join(RIGHTS)}.")
        database.run("team_grant_put", {"ns": numbers[ns], "name": name, "level": RIGHTS.index(right) + 1})


def new_token(database: Database, name: str, expires: datetime | None) -> Issued:
    now = time.time_ns() // 1000
    until = None if expires is None else to_micros(expires)
    if until is not None and until <= now:
        raise BadInput("The token would already have expired. Give a time in the future.")
    id, secret = secrets.token_hex(8), secrets.token_urlsafe(32)
    proxy_key = f"{id}-{hmac.new(secret.encode(), b'proxy', hashlib.sha256).hexdigest()[:32]}"
    row = {"id": id, "name": name, "hash": _hashed(secret), "proxy_hash": _hashed(proxy_key)}
    database.run("team_token_add", {**row, "at": now, "expires_at": until})
    return Issued(name, id, f"egm_{id}_{secret}", proxy_key, expires)


def user_of(database: Database, row: Row) -> User:
    grants = database.all("team_grants", {"name": row["name"]})
    tokens = tuple(
        TokenInfo(
            one["id"],
            from_micros(one["created_at"]),
            None if one["expires_at"] is None else from_micros(one["expires_at"]),
            None if one["revoked_at"] is None else from_micros(one["revoked_at"]),
            is_valid(one),
        )
        for one in database.all("team_tokens", {"name": row["name"]})
    )
    home = next((grant["name"] for grant in grants if grant["home"]), None)
    rights = {grant["name"]: RIGHTS[grant["level"] - 1] for grant in grants}
    return User(row["name"], from_micros(row["created_at"]), rights, home, tokens)


def _told(grants: Mapping[str, Right]) -> str:
    return ", ".join(f"{ns}={right}" for ns, right in grants.items())


def _check_name(name: str) -> None:
    if not isinstance(name, str) or not NAME.fullmatch(name) or name == OWNER:
        raise BadInput(
            f"A user needs a name of at most 100 letters, digits, spaces and . @ + - _, other than {OWNER!r}."
        )


def _hashed(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()
