"""The commands that register Engramma with assistants, and remove it again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from .common import chosen, command, out, say, store_path, wants_json

if TYPE_CHECKING:
    from ..connect.change import FileChange
    from ..connect.clients import AssistantClient

ClientArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="CLIENT",
        help="claude-code, claude-desktop, cursor, vscode, codex or gemini; without one, list them.",
        show_default=False,
    ),
]
ScopeOption = Annotated[
    Literal["user", "project"], typer.Option("--scope", help="For all your projects, or for the folder you are in.")
]
FileOption = Annotated[
    Path | None, typer.Option("--file", help="The client's settings file, if it is not in its usual place.")
]
HooksFileOption = Annotated[
    Path | None, typer.Option("--hooks-file", help="Claude Code's settings.json, if it is not in its usual place.")
]
DryOption = Annotated[bool, typer.Option("--dry-run", help="Show what would change, and change nothing.")]


@command("connect")
def _connect(
    client: ClientArgument = None,
    http: Annotated[
        bool, typer.Option("--http", help="Register the running daemon's address and token, not a command.")
    ] = False,
    scope: ScopeOption = "user",
    hooks: Annotated[
        bool, typer.Option("--hooks", help="Claude Code: also recall at each prompt and capture each session.")
    ] = False,
    read_only: Annotated[bool, typer.Option("--read-only", help="Let the assistant read but not write.")] = False,
    root: Annotated[
        list[Path] | None,
        typer.Option(help="A folder the assistant may ingest documents from; repeatable.", show_default=False),
    ] = None,
    file: FileOption = None,
    hooks_file: HooksFileOption = None,
    dry_run: DryOption = False,
    print_only: Annotated[
        bool, typer.Option("--print", help="Print the registration without writing any file.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Even if the client does not seem to be installed.")] = False,
) -> None:
    """Register the memory with an assistant: shows the change, keeps a backup, writes it."""
    from ..connect import report
    from ..connect import request as asked

    if client is None:
        return out(report.listing(wants_json()))
    wish = asked.ConnectionRequest(
        asked.client_named(client),
        store_path(),
        chosen.namespace or "default",
        http,
        scope,
        hooks or hooks_file is not None,
        read_only,
        file,
        hooks_file,
        force or print_only,
        tuple(root or ()),
    )
    registration = asked.registration(wish)
    if print_only:
        return out(report.snippets(wish, registration, wants_json()))
    changes = [asked.changed(wish, one, dry_run) for one in registration.parts]
    _told(wish.client, changes, registration.notes, registration.server.transport, dry_run)
    if not dry_run and any(change.is_needed for change in changes):
        say(wish.client.after)
    return None


@command(
    "disconnect",
    without=(
        "store",
        "namespace",
    ),
)
def _disconnect(
    client: ClientArgument = None,
    scope: ScopeOption = "user",
    file: FileOption = None,
    hooks_file: HooksFileOption = None,
    dry_run: DryOption = False,
) -> None:
    """Remove Engramma's entries from an assistant's settings; everything else stays as it is."""
    from ..connect import report
    from ..connect import request as asked

    if client is None:
        return out(report.listing(wants_json()))
    found = asked.client_named(client)
    changes = asked.removed(found, scope, file, hooks_file, dry_run)
    _told(found, changes, [], None, dry_run)
    return None


def _told(
    client: AssistantClient, changes: list[FileChange], notes: list[str], transport: str | None, dry_run: bool
) -> None:
    """What was done, as data or as text; remarks go beside it."""
    from ..connect import report

    if wants_json():
        out(report.as_data(client, changes, notes, transport, dry_run))
        return
    for change in changes:
        if difference := report.difference(change):
            out(difference)
        say(report.line(client, change, dry_run))
    for note in notes:
        say(f"note: {note}")
