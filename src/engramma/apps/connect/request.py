"""Works out what `connect` and `disconnect` were asked to do: which files, which entries."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import BadInput
from ..daemon.folder import place_in
from . import change as changing
from . import claude_hooks, server
from .change import FileChange
from .clients import CLIENTS, AssistantClient, ServerEntry, claude_folder
from .registry import Hooks, Servers


@dataclass(frozen=True, slots=True)
class ConnectionRequest:
    """One call of `connect`."""

    client: AssistantClient
    store: Path
    namespace: str = "default"
    http: bool = False
    scope: str = "user"
    hooks: bool = False
    read_only: bool = False
    file: Path | None = None
    hooks_file: Path | None = None
    force: bool = False
    roots: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class ConnectionPart:
    """One entry and the file that it belongs into."""

    kind: Servers | Hooks
    file: Path
    entry: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Registration:
    """Everything to register, and the messages about it."""

    server: ServerEntry
    parts: list[ConnectionPart]
    notes: list[str]


def client_named(name: str) -> AssistantClient:
    if name not in CLIENTS:
        raise BadInput(f"unknown client {name!r:.60}: choose from {', '.join(CLIENTS)}")
    return CLIENTS[name]


def registration(wish: ConnectionRequest) -> Registration:
    """The entries that a wish leads to; BadInput where it cannot be met."""
    client = wish.client
    if wish.hooks and client.name != "claude-code":
        raise BadInput(f"--hooks is for claude-code: {client.title} has no hooks. Leave it out.")
    if wish.hooks and wish.file is not None and wish.hooks_file is None:
        raise BadInput(
            "With --file, also give the file for the hooks: --hooks-file PATH (Claude Code's settings.json)."
        )
    file = servers_file(client, wish.scope, wish.file)
    if not (wish.force or wish.file or wish.scope == "project" or client.is_here()):
        programs = f" and no program {' or '.join(client.signs)}" if client.signs else ""
        raise BadInput(
            f"{client.title} does not seem to be installed: there is no {client.folder()}{programs}. "
            "If it is, pass --force, or give its settings file with --file."
        )
    notes: list[str] = []
    reached = _reached(wish, notes)
    parts = [ConnectionPart(Servers(client), file, client.entry(reached))]
    if wish.hooks:
        command = server.hook_command(wish.store, wish.namespace)
        parts.append(ConnectionPart(Hooks(), hooks_file(wish.scope, wish.hooks_file), claude_hooks.hooks_for(command)))
    if server.is_passing():
        notes.append("engramma is running from a cache that may be emptied; install it, then connect again")
    return Registration(reached, parts, notes)


def changed(wish: ConnectionRequest, part: ConnectionPart, dry_run: bool) -> FileChange:
    if dry_run:
        return changing.to_connect(part.kind, part.file, part.entry)
    holds_token = wish.http and wish.client.takes_http and isinstance(part.kind, Servers)
    is_private = wish.scope == "user" or wish.http
    return changing.plan_connection(part.kind, part.file, part.entry, is_private=is_private, holds_token=holds_token)


def removed(
    client: AssistantClient, scope: str, file: Path | None, given_hooks: Path | None, dry_run: bool
) -> list[FileChange]:
    """Our server, and Claude Code's hooks, out of where they stand."""
    places: list[tuple[Servers | Hooks, Path]] = [(Servers(client), servers_file(client, scope, file))]
    if client.name == "claude-code" and (file is None or given_hooks is not None):
        places.append((Hooks(), hooks_file(scope, given_hooks)))
    act = changing.to_disconnect if dry_run else changing.disconnect
    changes = [act(kind, path) for kind, path in places]
    return [one for one in changes if one.what == "server" or one.action != "absent" or given_hooks is not None]


def servers_file(client: AssistantClient, scope: str, given: Path | None) -> Path:
    if given is not None:
        return given
    if scope == "user":
        return client.user_file()
    if client.project_file is None:
        raise BadInput(f"{client.title} has no project settings. Leave out --scope project.")
    return Path.cwd() / client.project_file


def hooks_file(scope: str, given: Path | None) -> Path:
    """Of a project, the file that is not shared: a hook's command is a path on this machine."""
    if given is not None:
        return given
    return claude_folder() / "settings.json" if scope == "user" else Path.cwd() / ".claude" / "settings.local.json"


def _reached(wish: ConnectionRequest, notes: list[str]) -> ServerEntry:
    if not wish.http:
        if wish.scope == "project":
            notes.append(
                "the command is a path on this machine; others who share this folder must run connect themselves"
            )
        return server.by_command(wish.store, wish.namespace, read_only=wish.read_only, roots=wish.roots)
    if not wish.client.takes_http:
        notes.append(f"{wish.client.title}'s settings do not support addresses, so the command was registered instead")
        return server.by_command(wish.store, wish.namespace, read_only=wish.read_only, roots=wish.roots)
    if wish.roots:
        raise BadInput("--root needs its own server: leave out --http. The daemon reads no paths for assistants.")
    if wish.read_only:
        raise BadInput("--read-only needs its own server: leave out --http, or start the daemon read-only.")
    if wish.scope == "project" and not wish.force:
        raise BadInput(
            "The daemon's token would end up in a file that is usually shared. Use --scope user, or leave out --http; "
            "--force does it anyway."
        )
    if not place_in(wish.store).state.exists():
        notes.append("no daemon is running; `engramma start` starts one")
    file = wish.file or servers_file(wish.client, wish.scope, None)
    if os.name == "posix" and file.exists() and file.stat().st_mode & 0o044:
        notes.append(f"{file} now contains the token, so it was made readable only by you")
    return server.by_daemon(wish.store, wish.namespace)
