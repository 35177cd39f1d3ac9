"""The users who share a store: tokens, rights, and the audit trail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from ..records.team import OWNER, Audited, Issued, Right, User, Who
from ..store import audit, namespaces, team
from ..store.database import Database


class Team:
    """The users of a store. `by` says who does it, for the audit."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def users(self) -> list[User]:
        """Everybody with a token, by name, with their rights."""
        return team.users(self._database)

    def add(
        self, name: str, grants: Mapping[str, Right], expires: datetime | None = None, *, by: str = OWNER
    ) -> Issued:
        """Create a user with rights in namespaces and a token, which is shown only once."""
        return team.add(self._database, name, grants, expires, by)

    def token(self, name: str, expires: datetime | None = None, *, by: str = OWNER) -> Issued:
        """Issue another token for a user, shown only once."""
        return team.issue(self._database, name, expires, by)

    def grant(self, name: str, grants: Mapping[str, Right], home: str | None = None, *, by: str = OWNER) -> User:
        """Grant rights in namespaces; `home` is the namespace of requests that name none."""
        return team.grant(self._database, name, grants, home, by)

    def ungrant(self, name: str, taken: Sequence[str], *, by: str = OWNER) -> User:
        """Revoke rights in namespaces."""
        return team.ungrant(self._database, name, list(taken), by)

    def revoke(self, name: str, token: str | None = None, *, by: str = OWNER) -> int:
        """Revoke a token, or all tokens of a user; returns how many."""
        return team.revoke(self._database, name, token, by)

    def remove(self, name: str, *, by: str = OWNER) -> None:
        """Remove a user with tokens and rights; what they wrote stays."""
        team.delete_user(self._database, name, by)

    def who_has(self, token: str) -> Who | None:
        """Whose token this is; None if nobody's, or no longer."""
        return team.who_has(self._database, token)

    def who_captures(self, key: str) -> Who | None:
        """Whose key in the proxy's address this is."""
        return team.who_captures(self._database, key)

    def who_still(self, token_id: str) -> Who | None:
        """Whose token has this id, if it is still valid."""
        return team.who_still(self._database, token_id)

    def audit(
        self, namespace: str | None, limit: int = 50, who: str | None = None, before: str | None = None
    ) -> list[Audited]:
        """The audit trail, newest first: of a namespace, or (None) of the store as a whole."""
        ns = audit.STORE if namespace is None else namespaces.number_of(self._database, namespace)
        return audit.read_audit(self._database, ns, namespace, limit, who, before)
