"""One message of an OpenAI-style list: who says it, and its content as text."""

from __future__ import annotations

import json

from ..language.text import ROLES
from ..records import Role

# What vendors call the four roles, beyond the names that tell them anywhere: a person in a talk may
# be called "Model". Any other role is taken as the name of the speaker.
_ROLES: dict[str, Role] = {**ROLES, "model": "assistant", "developer": "system", "function": "tool"}


def speaker_and_role(message: dict[str, object]) -> tuple[str, Role | None]:
    """The speaker (the name, else the role) and the role, where it is a known one."""
    stated, name = message.get("role"), message.get("name")
    role = _ROLES.get(stated.lower()) if isinstance(stated, str) else None
    if isinstance(name, str) and name.strip():
        return name, role
    if isinstance(stated, str) and stated.strip():
        return role or stated, role
    raise ValueError("a message without a role or a name")


def text_and_omitted(message: dict[str, object]) -> tuple[str, list[str]]:
    """The text of a message, and the types of its parts that have none (images, audio).

    Calls of tools follow the content as "[call name(arguments)]", a line each: what an assistant
    did is part of what was said.
    """
    content = message.get("content")
    texts: list[str] = []
    omitted: list[str] = []
    if not isinstance(content, str | list | dict | None):
        raise ValueError(f"content is a {type(content).__name__}, not text or a list of parts")
    for part in content if isinstance(content, list) else [content]:
        text = part.get("text") if isinstance(part, dict) else part
        if isinstance(text, str):
            texts.append(text)
        elif part is not None:
            kind = part.get("type") if isinstance(part, dict) else None
            omitted.append(kind if isinstance(kind, str) else type(part).__name__)
    # Only whole parts are dropped, so a message of one text part is that text byte for byte.
    texts = [text for text in texts if text] + _calls(message)
    return "\n".join(texts), omitted


def _calls(message: dict[str, object]) -> list[str]:
    listed = message.get("tool_calls")
    calls = list(listed) if isinstance(listed, list) else []
    # The older form: one call, beside the content.
    calls.append(message.get("function_call"))
    shown = []
    for call in calls:
        inner = call.get("function", call) if isinstance(call, dict) else None
        if isinstance(inner, dict) and isinstance(inner.get("name"), str):
            arguments = inner.get("arguments", inner.get("input", ""))
            shown.append(f"[call {inner['name']}({_compact(arguments)})]")
        elif call is not None:
            shown.append(f"[call {_compact(call)}]")
    return shown


def _compact(value: object) -> str:
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except RecursionError:
        # Writing nests a little deeper than reading did.
        raise ValueError("the arguments of a call are nested too deeply") from None
