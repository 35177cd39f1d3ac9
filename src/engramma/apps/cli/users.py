"""Commands about those who share a memory: users (add, list, token, grant, revoke, remove) and audit."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from .common import JsonOption, NamespaceOption, StoreOption, chosen, opened, out, say, wants_json

if TYPE_CHECKING:
    from ...records.team import Issued, Right, User

NameArgument = Annotated[str, typer.Argument(help="The user's name.")]
GrantOption = Annotated[
    list[str] | None, typer.Option("--grant", help="A right in a namespace: team=read, team=write, ana=admin.")
]
DaysOption = Annotated[
    float | None,
    typer.Option("--days", help="How long the token is good.", show_default="until it is revoked", min=0.001),
]


def register(app: typer.Typer) -> None:
    group = typer.Typer(help="Who may use this memory with a token of their own, and where.", no_args_is_help=True)
    for name, command in (
        ("add", add),
        ("list", list_them),
        ("token", token),
        ("grant", grant),
        ("revoke", revoke),
        ("remove", remove),
    ):
        group.command(name)(command)
    app.add_typer(group, name="users")
    app.command("audit")(audit)


def add(
    name: NameArgument,
    grant: GrantOption = None,
    days: DaysOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Let somebody in, with rights in namespaces. Prints their token: it is shown this once."""
    with opened(store, None) as memory:
        show_token(memory.team.add(name, grants_of(grant), until(days)), json)


def token(name: NameArgument, days: DaysOption = None, store: StoreOption = None, json: JsonOption = False) -> None:
    """Another token for a user. It is shown this once; the others stay good until they are revoked."""
    with opened(store, None) as memory:
        show_token(memory.team.token(name, until(days)), json)


def list_them(store: StoreOption = None, json: JsonOption = False) -> None:
    """List the users, their rights, and which of their tokens are good."""
    from ..render import as_json

    with opened(store, None) as memory:
        found = memory.team.users()
    if wants_json(json):
        out(as_json(found))
        return
    if not found:
        say("Nobody but you uses this memory. `engramma users add NAME --grant default=read` lets somebody in.")
    for one in found:
        out(line_of(one))


def grant(
    name: NameArgument,
    grants: Annotated[list[str], typer.Argument(help="Rights: team=read, team=write, ana=admin.")],
    home: Annotated[
        str | None, typer.Option("--home", help="Namespace of their requests that name none.", show_default=False)
    ] = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Give rights in namespaces: read, write (and read), admin (and forget, undo, administer)."""
    with opened(store, None) as memory:
        show_user(memory.team.grant(name, grants_of(grants), home), json)


def revoke(
    name: NameArgument,
    grant: Annotated[
        list[str] | None, typer.Option("--grant", help="Take their right in this namespace away.", show_default=False)
    ] = None,
    token: Annotated[
        str | None, typer.Option("--token", help="Only the token with this id.", show_default=False)
    ] = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Make a user's tokens worthless at once (all, or one by --token), or take rights away (--grant)."""
    from ..render import as_json, plural

    with opened(store, None) as memory:
        if grant:
            show_user(memory.team.ungrant(name, grant), json)
            return
        count = memory.team.revoke(name, token)
    out(
        as_json({"user": name, "revoked": count})
        if wants_json(json)
        else f"Revoked {plural(count, 'token')} of {name}."
    )


def remove(name: NameArgument, store: StoreOption = None, json: JsonOption = False) -> None:
    """Take a user away with tokens and rights. What they wrote stays, and so does the audit of it."""
    from ..render import as_json

    with opened(store, None) as memory:
        memory.team.remove(name)
    out(as_json({"removed": name}) if wants_json(json) else f"{name} is no user any more.")


def audit(
    who: Annotated[str | None, typer.Option("--who", help="Only of this user.", show_default=False)] = None,
    whole: Annotated[bool, typer.Option("--store-wide", help="What concerns the store: users, namespaces.")] = False,
    limit: Annotated[int, typer.Option("--limit", help="Most entries.", min=1, max=100_000)] = 50,
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    json: JsonOption = False,
) -> None:
    """Who wrote or forgot how much, the newest first; never what was in it."""
    from ...language.times import readable
    from ..render import as_json

    name = None if whole else namespace or chosen.namespace or "default"
    with opened(store, name) as memory:
        found = memory.team.audit(name, limit, who)
    if wants_json(json):
        out(as_json(found))
        return
    for one in found:
        counts = ", ".join(f"{what.replace('_', ' ')} {count}" for what, count in one.counts.items())
        out(f"{readable(one.at)} UTC  {one.who}  {one.what}  {counts}".rstrip())


def grants_of(given: list[str] | None) -> dict[str, Right]:
    """`team=read` as a namespace and a right."""
    from ...errors import BadInput
    from ...records.team import RIGHTS

    found: dict[str, Right] = {}
    for text in given or ():
        namespace, sign, right = text.rpartition("=")
        known = next((one for one in RIGHTS if one == right), None)
        if not sign or not namespace or known is None:
            raise BadInput(f"{text!r:.200} is no grant. Write it as team=read; rights are {', '.join(RIGHTS)}.")
        found[namespace] = known
    return found


def until(days: float | None) -> datetime | None:
    return None if days is None else datetime.now(UTC) + timedelta(days=days)


def show_token(issued: Issued, json: bool) -> None:
    from ..render import as_json

    if wants_json(json):
        out(as_json(issued))
        return
    out(issued.token)
    say(f"This is the token of {issued.user}, id {issued.id}: keep it now, it is not stored and not shown again.")
    say(f"Their base URL for the capture proxy has {issued.proxy_key} in place of the owner's key.")


def show_user(user: User, json: bool) -> None:
    from ..render import as_json

    out(as_json(user) if wants_json(json) else line_of(user))


def line_of(user: User) -> str:
    from ..render import plural

    rights = ", ".join(f"{ns}={right}{' (home)' if ns == user.home else ''}" for ns, right in user.grants.items())
    good = [one for one in user.tokens if one.valid]
    ids = ", ".join(f"{one.id}{f' until {one.expires_at:%Y-%m-%d}' if one.expires_at else ''}" for one in good)
    return f"{user.name}  {rights or 'no rights'}  {plural(len(good), 'token')}{f': {ids}' if ids else ''}"
