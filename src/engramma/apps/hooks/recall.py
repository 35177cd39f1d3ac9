"""Asks the daemon what to add to the context: memories that fit a prompt, or where a project was left off."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from ..daemon.folder import DaemonFolder
from .ask import HookRefused, running

MOST_QUERY = 2_000
LEAST_PROMPT = 8  # bytes: "ok", "yes" and "go on" ask for nothing
SESSIONS = 2  # of the project, the latest


def recalled(place: DaemonFolder, event: str, call: dict[str, Any], namespace: str, deadline: float) -> str:
    """A block for the context, as the daemon renders it for every face; empty if nothing fits or no daemon runs."""
    prompt = call.get("prompt")
    if event == "UserPromptSubmit" and (not isinstance(prompt, str) or not _is_question(prompt)):
        return ""
    if event == "SessionStart" and call.get("source") == "resume":
        return ""  # what was added then is still there
    daemon = running(place, namespace, deadline)
    if daemon is None:
        return ""
    if event == "UserPromptSubmit":
        question: dict[str, str | list[str]] = {
            "event": "prompt",
            "query": _clean(str(prompt))[:MOST_QUERY],
            "conversation": _name_of(call),
        }
        if project_of(call):
            question["folder"] = _clean(str(call["cwd"]))[:4_000]
    else:
        question = {"event": "start", "query": project_of(call), "earlier": earlier(call)}
    try:
        reply = daemon.reply(daemon.ask("hook", question))
    except HookRefused:
        if not question.pop("folder", ""):
            raise
        reply = daemon.reply(daemon.ask("hook", question))  # a daemon that began before the last update
    text = reply.get("context") if isinstance(reply, dict) else None
    return text if isinstance(text, str) else ""


def _name_of(call: dict[str, Any]) -> str:
    """The session at hand, which the assistant sees."""
    name = call.get("session_id")
    return _clean(name)[:1_000] if isinstance(name, str) else ""


# --- what is asked --------------------------------------------------------------------------------


def _is_question(prompt: str) -> bool:
    """Whether a prompt is worth a recall: no command of the program, and more than a nod."""
    return len(prompt.strip().encode("utf-8", "replace")) >= LEAST_PROMPT and prompt.lstrip()[0] not in "/!#"


def _clean(text: str) -> str:
    return text.replace("\0", " ").encode("utf-8", "replace").decode()


def project_of(call: dict[str, Any]) -> str:
    """The name of the folder at work; empty where it says nothing."""
    folder = call.get("cwd")
    if not isinstance(folder, str) or not folder or folder.rstrip("/\\") == os.path.expanduser("~"):  # noqa: PTH111
        return ""
    name = _clean(folder).replace("\\", "/").rstrip("/").rpartition("/")[2][:100]
    return name if len(name) > 2 else ""


def earlier(call: dict[str, Any]) -> list[str]:
    """The project's latest sessions but this one: Claude Code keeps their transcripts side by side."""
    path = call.get("transcript_path")
    if not isinstance(path, str) or not path:
        return []
    try:
        own = Path(path).expanduser()
        files = [(one.stat().st_mtime, one.name[:-6]) for one in os.scandir(own.parent) if one.name.endswith(".jsonl")]
    except (OSError, ValueError):
        return []
    others = sorted(one for one in files if one[1] != own.stem and not one[1].startswith("agent-"))
    return [name for _, name in others[-SESSIONS:]]
