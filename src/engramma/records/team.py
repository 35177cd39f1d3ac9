"""Those who use a store together: users, their tokens and rights, and what was done by whom."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

Right = Literal["read", "write", "admin"]
RIGHTS: tuple[Right, ...] = ("read", "write", "admin")  # each has those before it
OWNER = "owner"  # whoever has the store's own token or its files


@dataclass(frozen=True, slots=True)
class Who:
    """Somebody who asks: the store's owner, or a user with rights in some namespaces.

    `home` is where a request goes that names no namespace; `token` the id of the token they came with.
    """

    name: str = OWNER
    rights: Mapping[str, Right] | None = None  # None: the owner, who may do everything
    home: str | None = None
    token: str | None = None

    @property
    def is_owner(self) -> bool:
        return self.rights is None

    def may(self, right: Right, namespace: str) -> bool:
        """Whether they have a right in a namespace."""
        if self.rights is None:
            return True
        held = self.rights.get(namespace)
        return held is not None and RIGHTS.index(held) >= RIGHTS.index(right)


THE_OWNER = Who()


@dataclass(frozen=True, slots=True)
class TokenInfo:
    """A token, without its secret."""

    id: str
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    valid: bool


@dataclass(frozen=True, slots=True)
class User:
    """Somebody with tokens, and their right in each namespace."""

    name: str
    created_at: datetime
    grants: Mapping[str, Right]
    home: str | None
    tokens: tuple[TokenInfo, ...] = ()


@dataclass(frozen=True, slots=True)
class Issued:
    """A new token, shown this once: nothing that is stored can bring it back.

    `proxy_key` takes its place in the address of the capture proxy.
    """

    user: str
    id: str
    token: str = field(repr=False)
    proxy_key: str = field(repr=False)
    expires_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Audited:
    """A request that wrote: who, what, when, and how many of what; never what was in it."""

    id: str
    at: datetime
    who: str
    what: str
    namespace: str | None  # None: the store as a whole
    counts: Mapping[str, int | str]
