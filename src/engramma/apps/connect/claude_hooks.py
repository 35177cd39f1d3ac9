"""Our hooks in Claude Code's settings.json.

{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "/…/engramma-hook", "timeout": 5}]}], …}}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from . import json_text
from .jsonc import JsonNode, parse_jsonc

# Seconds after which Claude Code itself stops a hook; the hook's own limits are far below.
EVENTS: Mapping[str, int] = {"SessionStart": 5, "UserPromptSubmit": 5, "Stop": 5, "SessionEnd": 5}
_OURS = ("engramma-hook", "engramma.apps.hooks")


def hooks_for(command: str) -> dict[str, Any]:
    """The hook of every event that we take part in."""
    return {event: {"type": "command", "command": command, "timeout": limit} for event, limit in EVENTS.items()}


def _is_ours(hook: Any) -> bool:
    return (
        isinstance(hook, dict)
        and isinstance(hook.get("command"), str)
        and any(name in hook["command"] for name in _OURS)
    )


def problem(value: dict[str, Any]) -> str:
    """Why hooks cannot be added there; empty if they can."""
    hooks = value.get("hooks", {})
    if not isinstance(hooks, dict):
        return "'hooks' is not an object"
    wrong = [event for event in EVENTS if not isinstance(hooks.get(event, []), list)]
    return f"'hooks.{wrong[0]}' is not a list" if wrong else ""


def found(value: dict[str, Any]) -> dict[str, Any]:
    """The hooks of ours by event, the first of each."""
    result: dict[str, Any] = {}
    for event, groups in value.get("hooks", {}).items():
        for group in groups if isinstance(groups, list) else []:
            for hook in _hooks_of(group):
                if _is_ours(hook):
                    result.setdefault(event, hook)
    return result


def put_hooks(text: str, hooks: Mapping[str, Any]) -> str:
    """The text with our hooks: a hook that is there already is brought up to date in its place."""
    for event, hook in hooks.items():
        root = parse_jsonc(text, "hooks")
        if (place := next(_places(root, event), None)) is not None:
            node = place[2]
            if root is not None and node.value != hook:
                text = json_text.replace(text, root, node, hook)
            continue
        groups = json_text.at_path(root, ("hooks", event))
        group = {"hooks": [hook]}
        text = (
            json_text.append(text, groups, group)
            if groups is not None
            else json_text.put(text, ("hooks", event), [group])
        )
    return text


def drop_hooks(text: str, *, with_table: bool) -> str:
    """The text without our hooks, and without groups and events that held nothing else."""
    while (place := _any_place(text)) is not None:
        event, groups, group, hook = place
        if len(groups.parts) == 1 and _is_only(group, hook):
            text = json_text.drop(text, ("hooks", event))
        elif _is_only(group, hook):
            text = json_text.remove_part(text, groups, next(part for part in groups.parts if part.node is group))
        else:
            holder = group.member("hooks")
            assert holder is not None  # _places found the hook in it
            text = json_text.remove_part(
                text, holder.node, next(part for part in holder.node.parts if part.node is hook)
            )
    hooks = json_text.at_path(parse_jsonc(text, "hooks"), ("hooks",))
    return json_text.drop(text, ("hooks",)) if with_table and hooks is not None and not hooks.parts else text


def with_hooks(value: dict[str, Any], hooks: Mapping[str, Any]) -> dict[str, Any]:
    """What `put_hooks` must lead to."""
    events = dict(value.get("hooks", {}))
    for event, hook in hooks.items():
        groups = list(events.get(event, []))
        for index, group in enumerate(groups):
            inside = _hooks_of(group)
            at = next((i for i, one in enumerate(inside) if _is_ours(one)), None)
            if at is not None:
                groups[index] = {**group, "hooks": [*inside[:at], hook, *inside[at + 1 :]]}
                break
        else:
            groups.append({"hooks": [hook]})
        events[event] = groups
    return {**value, "hooks": events}


def without_hooks(value: dict[str, Any], *, with_table: bool) -> dict[str, Any]:
    """What `drop_hooks` must lead to."""
    events: dict[str, Any] = {}
    for event, groups in value.get("hooks", {}).items():
        if not isinstance(groups, list):
            events[event] = groups
            continue
        kept = [
            {**group, "hooks": rest} if len(rest) < len(_hooks_of(group)) else group
            for group in groups
            if (rest := [hook for hook in _hooks_of(group) if not _is_ours(hook)]) or not _hooks_of(group)
        ]
        if kept or not groups:
            events[event] = kept
    if not events and with_table:
        return {key: one for key, one in value.items() if key != "hooks"}
    return {**value, "hooks": events}


def _hooks_of(group: Any) -> list[Any]:
    inside = group.get("hooks") if isinstance(group, dict) else None
    return inside if isinstance(inside, list) else []


def _places(root: JsonNode | None, event: str) -> Iterator[tuple[JsonNode, JsonNode, JsonNode]]:
    """(groups, group, hook) of every hook of ours for an event."""
    groups = json_text.at_path(root, ("hooks", event))
    for group in groups.parts if groups is not None and groups.opening == "[" else ():
        inside = group.node.member("hooks")
        for hook in inside.node.parts if inside is not None and inside.node.opening == "[" else ():
            if _is_ours(hook.node.value):
                yield groups, group.node, hook.node  # type: ignore[misc]  # groups is not None here


def _any_place(text: str) -> tuple[str, JsonNode, JsonNode, JsonNode] | None:
    root = parse_jsonc(text, "hooks")
    hooks = json_text.at_path(root, ("hooks",))
    for part in hooks.parts if hooks is not None and hooks.opening == "{" else ():
        for groups, group, hook in _places(root, part.key or ""):
            return part.key or "", groups, group, hook
    return None


def _is_only(group: JsonNode, hook: JsonNode) -> bool:
    inside = group.member("hooks")
    return inside is not None and len(inside.node.parts) == 1
