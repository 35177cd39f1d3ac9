"""The assistants that can be connected: where each keeps its MCP servers, and in which format."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

SERVER = "engramma"  # the name that our server has everywhere

# Keys by which a client reaches a server: they are ours. Others in our entry (env, timeout, trust) are the user's.
REACH = frozenset({"type", "command", "args", "url", "httpUrl", "headers", "http_headers"})


@dataclass(frozen=True, slots=True)
class ServerEntry:
    """How our server is reached: by a command (stdio), or by the daemon's address and token (HTTP)."""

    command: tuple[str, ...] = ()
    url: str = ""
    headers: Mapping[str, str] | None = None

    @property
    def transport(self) -> Literal["stdio", "http"]:
        return "http" if self.url else "stdio"


@dataclass(frozen=True, slots=True)
class AssistantClient:
    """One assistant."""

    name: str
    title: str
    table: str  # the key that its servers stand under
    user_file: Callable[[], Path]
    project_file: str | None
    entry: Callable[[ServerEntry], dict[str, Any]]
    signs: tuple[str, ...]  # programs by which it is recognised, beside its folder
    after: str  # what makes it notice
    format: Literal["json", "toml"] = "json"
    takes_http: bool = True

    @property
    def path(self) -> tuple[str, str]:
        return self.table, SERVER

    def folder(self) -> Path:
        """Where it keeps its things: once it ran, this is there."""
        return claude_folder() if self.name == "claude-code" else self.user_file().parent

    def is_here(self) -> bool:
        """Whether it seems to be installed: its folder, its settings or its program is there."""
        return self.folder().is_dir() or self.user_file().exists() or any(shutil.which(sign) for sign in self.signs)


# --- where they keep things -----------------------------------------------------------------------


def claude_folder() -> Path:
    return Path(os.environ.get("CLAUDE_CONFIG_DIR") or Path.home() / ".claude").expanduser()


def claude_code_file() -> Path:
    if given := os.environ.get("CLAUDE_CONFIG_DIR"):
        return Path(given).expanduser() / ".claude.json"
    return Path.home() / ".claude.json"


def settings_folder() -> Path:
    """Where programs with windows keep their settings on this system."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming")
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")


def vscode_file() -> Path:
    kinds = [settings_folder() / name / "User" / "mcp.json" for name in ("Code", "Code - Insiders")]
    return next((file for file in kinds if file.parent.is_dir()), kinds[0])


def codex_file() -> Path:
    return Path(os.environ.get("CODEX_HOME") or Path.home() / ".codex").expanduser() / "config.toml"


# --- how they write a server ----------------------------------------------------------------------


def _command(server: ServerEntry) -> dict[str, Any]:
    return {"command": server.command[0], "args": list(server.command[1:])}


def typed_entry(server: ServerEntry) -> dict[str, Any]:
    """Claude Code, VS Code: the kind of transport is named."""
    if server.url:
        return {"type": "http", "url": server.url, "headers": dict(server.headers or {})}
    return {"type": "stdio", **_command(server)}


def plain_entry(server: ServerEntry) -> dict[str, Any]:
    """Claude Desktop, Cursor: a command or a url tells which it is."""
    return {"url": server.url, "headers": dict(server.headers or {})} if server.url else _command(server)


def gemini_entry(server: ServerEntry) -> dict[str, Any]:
    """Gemini CLI: `url` would be the older SSE."""
    return {"httpUrl": server.url, "headers": dict(server.headers or {})} if server.url else _command(server)


def codex_entry(server: ServerEntry) -> dict[str, Any]:
    return {"url": server.url, "http_headers": dict(server.headers or {})} if server.url else _command(server)


CLIENTS: Mapping[str, AssistantClient] = {
    client.name: client
    for client in (
        AssistantClient(
            "claude-code",
            "Claude Code",
            "mcpServers",
            claude_code_file,
            ".mcp.json",
            typed_entry,
            ("claude",),
            "Start a new Claude Code session; /mcp lists the server.",
        ),
        AssistantClient(
            "claude-desktop",
            "Claude Desktop",
            "mcpServers",
            lambda: settings_folder() / "Claude" / "claude_desktop_config.json",
            None,
            plain_entry,
            (),
            "Quit Claude Desktop and start it again.",
            takes_http=False,  # its settings file knows commands only
        ),
        AssistantClient(
            "cursor",
            "Cursor",
            "mcpServers",
            lambda: Path.home() / ".cursor" / "mcp.json",
            ".cursor/mcp.json",
            plain_entry,
            ("cursor", "cursor-agent"),
            "Start Cursor again, or switch the server on under Settings, MCP.",
        ),
        AssistantClient(
            "vscode",
            "VS Code",
            "servers",
            vscode_file,
            ".vscode/mcp.json",
            typed_entry,
            ("code", "code-insiders"),
            "In VS Code, run the command `MCP: List Servers` and start it.",
        ),
        AssistantClient(
            "codex",
            "Codex",
            "mcp_servers",
            codex_file,
            ".codex/config.toml",
            codex_entry,
            ("codex",),
            "Start a new Codex session; /mcp lists the server.",
            format="toml",
        ),
        AssistantClient(
            "gemini",
            "Gemini CLI",
            "mcpServers",
            lambda: Path.home() / ".gemini" / "settings.json",
            ".gemini/settings.json",
            gemini_entry,
            ("gemini",),
            "Start Gemini CLI again; /mcp lists the server.",
        ),
    )
}
