"""What `connect` and `disconnect` say, for people and for programs."""

from __future__ import annotations

import difflib
import json
import re
import shlex
from typing import Any

from ...errors import EngrammaError
from .change import FileChange
from .clients import CLIENTS, SERVER, AssistantClient
from .files import read_settings_file, real
from .registry import Servers
from .request import ConnectionRequest, Registration

_TOKEN = re.compile(r"(Bearer )[\w.~+/-]+=*")


def _masked(text: str) -> str:
    """Without the token: terminals and logs are read by others."""
    return _TOKEN.sub(r"\1…", text)


def difference(change: FileChange) -> str:
    """The lines that change, as a unified diff."""
    before, after = (_lines(data) for data in (change.before, change.after))
    lines = difflib.unified_diff(before, after, str(change.file), str(change.file), n=2, lineterm="")
    return _masked("\n".join(lines))


def line(client: AssistantClient, change: FileChange, dry_run: bool) -> str:
    would = "would be " if dry_run else ""
    where = f"{client.title}: {change.file}"
    if change.action == "unchanged":
        return f"{where} already has the {change.what}; nothing to do"
    if change.action == "absent":
        return f"{where} has no {change.what} from Engramma; nothing to do"
    if change.action == "removed":
        if change.after is None:
            return f"{where}: {change.what} {would}removed, and the file that was created for it"
        end = "the file is as it was before connecting" if change.restores else "everything else stays"
        kept = f"; the file from before connecting: {change.backup}" if _keeps(change) else ""
        return f"{where}: {change.what} {would}removed; {end}{kept}"
    kept = f"; the previous version: {change.backup}" if change.backup else ""
    return f"{where}: {change.what} {would}{change.action}{'' if dry_run else kept}"


def as_data(
    client: AssistantClient, changes: list[FileChange], notes: list[str], transport: str | None, dry_run: bool
) -> str:
    told = [
        {
            "what": change.what,
            "file": str(change.file),
            "action": change.action,
            "backup": str(change.backup) if change.backup and (change.action != "removed" or _keeps(change)) else None,
            "restored": change.restores,
            "diff": difference(change),
        }
        for change in changes
    ]
    data = {"client": client.name, "transport": transport, "dry_run": dry_run, "changes": told, "notes": notes}
    return json.dumps(data, ensure_ascii=False, indent=2)


def snippets(wish: ConnectionRequest, registration: Registration, as_json: bool) -> str:
    """The entries as they would stand in empty files, to be copied; the token is in them."""
    if as_json:
        return json.dumps(
            [{"file": str(part.file), "entry": part.entry} for part in registration.parts], ensure_ascii=False, indent=2
        )
    mark = "#" if wish.client.format == "toml" else "//"
    texts = [
        f"{mark} {part.file}\n{part.kind.put(part.file, None, part.entry).decode()}" for part in registration.parts
    ]
    if wish.client.name == "claude-code" and wish.file is None:
        entry = json.dumps(registration.parts[0].entry, ensure_ascii=False)
        command = shlex.join(["claude", "mcp", "add-json", "--scope", wish.scope, SERVER, entry])
        texts.append(f"{mark} or let Claude Code write it:\n{mark} {command}")
    return "\n".join(texts).rstrip()


def listing(as_json: bool) -> str:
    """Every client: whether it is here, and whether it is connected."""
    rows: list[dict[str, Any]] = []
    for client in CLIENTS.values():
        file = client.user_file()
        try:
            connected: bool | None = Servers(client).found(real(file), read_settings_file(real(file))) is not None
        except EngrammaError:
            connected = None
        row = {"client": client.name, "installed": client.is_here(), "connected": connected, "file": str(file)}
        rows.append(row)
    if as_json:
        return json.dumps(rows, ensure_ascii=False, indent=2)
    return "\n".join(f"{row['client']:<15} {_state(row):<28} {row['file']}" for row in rows)


def _state(row: dict[str, Any]) -> str:
    if row["connected"] is None:
        return "its settings cannot be read"
    if row["connected"]:
        return "connected"
    return "not connected" if row["installed"] else "not found here"


def _keeps(change: FileChange) -> bool:
    return change.backup is not None and not change.restores


def _lines(data: bytes | None) -> list[str]:
    return [] if data is None else data.decode("utf-8", "replace").splitlines()
