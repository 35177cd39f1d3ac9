"""Commands about those who share a memory: users (add, list, token, grant, revoke, remove) and audit."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from ...errors import BadInput
from ...language.times import local_day, zoned_minute
from .common import app, chosen, command, open_memory, tell

if TYPE_CHECKING:
    from ...records.team import Audited, Issued, Right, User

NameArgument = Annotated[str, typer.Argument(help="The user's name.")]
GrantOption = Annotated[
    list[str] | None, typer.Option("--grant", help="A right in a namespace: team=read, team=write, ana=admin.")
]
DaysOption = Annotated[
    float | None,
    typer.Option(
        "--days", help="How many days the token is valid.", show_default="until it is revoked", min=0.001, max=3660
    ),
]


users = typer.Typer(help="Users of this memory, with their own tokens and rights.", no_args_is_help=True)
app.add_typer(users, name="users")


@command("add", within=users, without=("namespace",))
def _add(name: NameArgument, grant: GrantOption = None, days: DaysOption = None) -> None:
    """Add a user with rights in namespaces. Prints their token, which is shown only once."""
    with open_memory() as memory:
        show_token(memory.team.add(name, grants_of(grant), until(days)))


@command("list", within=users, without=("namespace",))
def _list_them() -> None:
    """List the users, their rights and their valid tokens."""

    with open_memory() as memory:
        found = memory.team.users()
    lets_in = "`engramma users add NAME --grant default=read` adds a user."
    tell(found, map(_line_of, found), none=f"You are the only user of this memory. {lets_in}")


@command("token", within=users, without=("namespace",))
def _token(name: NameArgument, days: DaysOption = None) -> None:
    """Issue another token for a user. It is shown only once; the others stay valid until revoked."""
    with open_memory() as memory:
        show_token(memory.team.token(name, until(days)))


@command("grant", within=users, without=("namespace",))
def _grant(
    name: NameArgument,
    grants: Annotated[list[str], typer.Argument(help="Rights: team=read, team=write, ana=admin.")],
    home: Annotated[
        str | None, typer.Option("--home", help="Namespace used when a request names none.", show_default=False)
    ] = None,
) -> None:
    """Give rights in namespaces: read, write (and read), admin (and forget, undo, administer)."""
    with open_memory() as memory:
        show_user(memory.team.grant(name, grants_of(grants), home))


@command("revoke", within=users, without=("namespace",))
def _revoke(
    name: NameArgument,
    grant: Annotated[
        list[str] | None, typer.Option("--grant", help="Revoke their right in this namespace.", show_default=False)
    ] = None,
    token: Annotated[
        str | None, typer.Option("--token", help="Only the token with this id.", show_default=False)
    ] = None,
) -> None:
    """Revoke a user's tokens at once (all, or one by --token), or their rights (--grant)."""
    from ..render import plural

    with open_memory() as memory:
        if grant:
            show_user(memory.team.ungrant(name, grant))
            return
        count = memory.team.revoke(name, token)
    tell({"user": name, "revoked": count}, [f"Revoked {plural(count, 'token')} of {name}."])


@command("remove", within=users, without=("namespace",))
def _remove(name: NameArgument) -> None:
    """Remove a user with their tokens and rights. What they wrote stays, and so does its audit trail."""

    with open_memory() as memory:
        memory.team.remove(name)
    tell({"removed": name}, [f"{name} is no longer a user."])


@command("audit")
def audit(
    who: Annotated[str | None, typer.Option("--who", help="Only this user.", show_default=False)] = None,
    whole: Annotated[
        bool, typer.Option("--store-wide", help="Show changes to the store itself: users, namespaces.")
    ] = False,
    limit: Annotated[int, typer.Option("--limit", help="Maximum number of entries.", min=1, max=100_000)] = 50,
) -> None:
    """Show who wrote or forgot how much, newest first; never the content."""

    name = None if whole else chosen.namespace or "default"
    with open_memory() as memory:
        found = memory.team.audit(name, limit, who)
    tell(found, map(audit_line, found))


def audit_line(one: Audited) -> str:
    counts = ", ".join(f"{what.replace('_', ' ')} {count}" for what, count in one.counts.items())
    return f"{zoned_minute(one.at)}  {one.who}  {one.what}  {counts}".rstrip()


def grants_of(given: list[str] | None) -> dict[str, Right]:
    """`team=read` as a namespace and a right."""
    from ...records.team import RIGHTS

    found: dict[str, Right] = {}
    for text in given or ():
        namespace, sign, right = text.rpartition("=")
        known = next((one for one in RIGHTS if one == right), None)
        if not sign or not namespace or known is None:
            raise BadInput(f"{text!r:.200} is not a grant. Write it as team=read; rights are {', '.join(RIGHTS)}.")
        found[namespace] = known
    return found


def until(days: float | None) -> datetime | None:
    return None if days is None else datetime.now(UTC) + timedelta(days=days)


def show_token(issued: Issued) -> None:
    tell(
        issued,
        [issued.token],
        f"This is the token of {issued.user}, id {issued.id}: save it now, it is not stored and not shown again.",
        f"Their base URL for the capture proxy has {issued.proxy_key} in place of the owner's key.",
    )


def show_user(user: User) -> None:
    tell(user, [_line_of(user)])


def _line_of(user: User) -> str:
    from ..render import plural

    rights = ", ".join(f"{ns}={right}{' (home)' if ns == user.home else ''}" for ns, right in user.grants.items())
    good = [one for one in user.tokens if one.valid]
    ids = ", ".join(f"{one.id}{f' until {local_day(one.expires_at)}' if one.expires_at else ''}" for one in good)
    return f"{user.name}  {rights or 'no rights'}  {plural(len(good), 'token')}{f': {ids}' if ids else ''}"
