"""The modules whose commands there are. One is imported when a command of it is run or asked for its help."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from importlib import import_module
from typing import Any

from typer.main import get_command_from_info, get_group_from_info

from .command_list import Grouped
from .common import app

# module -> the commands that it declares.
AREAS = {
    "remember": ("init", "remember"),
    "imports": ("import",),
    "watch": ("watch",),
    "notes": ("notes",),
    "documents": ("ingest",),
    "recall": ("recall", "recipes", "stats"),
    "sessions": ("sessions", "show"),
    "ask": ("ask",),
    "graph": ("match", "neighbors"),
    "links": ("link", "unlink", "links", "feedback"),
    "topics": ("topics",),
    "people": ("people", "person", "me", "decisions", "overrule"),
    "people_graph": ("claims", "entity", "graph-query", "export-graph"),
    "entities": ("entities",),
    "llm": ("extract",),
    "steward": ("steward", "acts", "undo"),
    "forget": ("forget", "purge"),
    "redact": ("redact", "redactions"),
    "engine": ("engine",),
    "namespaces": ("namespace",),
    "users": ("audit", "users"),
    "migrate": ("migrate",),
    "encryption": ("encrypt", "decrypt", "key"),
    "maintenance": ("export", "backup", "restore", "reindex", "doctor"),
    "trust": ("trust",),
    "daemon": ("serve", "start", "stop", "status", "logs", "pause", "resume", "unit"),
    "relay": ("env", "relay"),
    "token": ("token",),
    "dashboard": ("open",),
    "mcp": ("mcp",),
    "connect": ("connect", "disconnect"),
    "demo": ("demo",),
    "evaluate": ("eval",),
}
AREA_OF = {name: area for area, names in AREAS.items() for name in names}


class LateCommands(MutableMapping[str, Any]):
    """Every command by its name; what is not asked for is not imported."""

    def __init__(self) -> None:
        self._known: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._known:
            if name not in AREA_OF:
                raise KeyError(name)
            self._known[name] = declared_command(name)
        return self._known[name]

    def __contains__(self, name: object) -> bool:
        return name in AREA_OF or name in self._known

    def __iter__(self) -> Iterator[str]:
        return iter({**AREA_OF, **self._known})

    def __len__(self) -> int:
        return len({**AREA_OF, **self._known})

    def __setitem__(self, name: str, command: Any) -> None:
        self._known[name] = command

    def __delitem__(self, name: str) -> None:
        del self._known[name]


_IN_DASHBOARD = "It is in the dashboard: `engramma open`."
_LISTED = "`engramma sessions` lists them."
ELSEWHERE = {  # by what people look for it: where it is
    **dict.fromkeys(("timeline", "overview"), _IN_DASHBOARD),
    **dict.fromkeys(("conversations", "chats", "documents"), _LISTED),
    "dashboard": "`engramma open` opens the dashboard.",
    "search": "`engramma recall` looks for what was said.",
    "delete": "`engramma forget` hides what was said, `engramma purge` deletes it permanently.",
}


class EveryCommand(Grouped):
    """The group of all commands."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = LateCommands()

    def list_commands(self, ctx: Any) -> list[str]:
        return list(self.commands)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that is meant; where there is none of a name that people try, where it is instead."""
        if args and args[0] not in self.commands and (hint := ELSEWHERE.get(args[0])):
            ctx.fail(f"No such command '{args[0]}'. {hint}")
        return super().resolve_command(ctx, args)


def declared_command(name: str) -> Any:
    """A command, or a group of some, as its module declares it."""
    import_module(f".{AREA_OF[name]}", __package__)
    shown: dict[str, Any] = {
        "pretty_exceptions_short": app.pretty_exceptions_short,
        "rich_markup_mode": app.rich_markup_mode,
    }
    for command in app.registered_commands:
        if command.name == name:
            return get_command_from_info(command, **shown)
    group = next(one for one in app.registered_groups if one.name == name)
    return get_group_from_info(group, **shown, suggest_commands=app.suggest_commands)
