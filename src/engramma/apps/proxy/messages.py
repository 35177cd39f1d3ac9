"""What is said in a request or a reply, whatever API it speaks: talk, calls of tools and their results, as text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ...files import foreign_json
from ...records import Role

Kind = Literal["talk", "call", "result"]

MAX_ARGUMENTS = 1_000  # characters of a call's arguments, and of a result: the talk around them says what mattered
MAX_RESULT = 1_000

IMAGE = "[image]"
_PARTS = {
    "image": IMAGE,
    "image_url": IMAGE,
    "input_image": IMAGE,
    "input_audio": "[audio]",
    "audio": "[audio]",
    "video": "[video]",
}
_FILES = ("file", "input_file", "document", "container_upload")
_UNFIT = re.compile("[\0\ud800-\udfff]")  # what no text file can hold
_OWN_TOOLS = re.compile(r"(?:.*__)?memory_\w+|mcp__engramma\w*")


@dataclass(frozen=True, slots=True)
class ProxyMessage:
    """One thing that was said. `call` joins a result to its call."""

    role: Role
    text: str
    kind: Kind = "talk"
    speaker: str = ""
    call: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back: the model that said it, the reply's own id, and whether it came to its end."""

    said: tuple[ProxyMessage, ...] = ()
    model: str = ""
    id: str = ""
    whole: bool = True


def cleaned(said: Iterable[ProxyMessage], own_words: Callable[[str], str] = str) -> tuple[ProxyMessage, ...]:
    """What is to be remembered of it: their `own_words`, without recalled memory, our own tools and what is empty."""
    listed = list(said)
    own = {one.call for one in listed if one.kind == "call" and one.call and is_own_tool(one.speaker)}
    kept = []
    for one in listed:
        if one.kind != "talk" and (is_own_tool(one.speaker) or one.call in own):
            continue
        text = fit(own_words(one.text))
        if one.kind == "result":
            text = shown_result(one.speaker, text)
        if text.strip():
            kept.append(
                ProxyMessage(one.role, text, one.kind, one.role if one.kind != "talk" else one.speaker or one.role)
            )
    return tuple(kept)


def fit(text: str) -> str:
    """A text as a file can hold it."""
    return _UNFIT.sub("\ufffd", text)


def is_own_tool(name: str) -> bool:
    """Whether a tool is one of ours: what it brings is remembered already."""
    return bool(_OWN_TOOLS.fullmatch(name))


def describe_tool_call(name: object, arguments: object, id: object = "") -> ProxyMessage:
    """A call of a tool, as the import of messages writes it."""
    called = name if isinstance(name, str) else "?"
    shown = _cut(compact(arguments), MAX_ARGUMENTS)
    return ProxyMessage("assistant", f"[call {called}({shown})]", "call", called, id if isinstance(id, str) else "")


def result_of(name: object, content: object, id: object = "") -> ProxyMessage:
    """What a tool gave back; the name is of the tool, where it is known."""
    text = content if isinstance(content, str) else "\n".join(part_texts(content)) or compact(content)
    return ProxyMessage(
        "tool", text, "result", name if isinstance(name, str) else "", id if isinstance(id, str) else ""
    )


def shown_result(name: str, text: str) -> str:
    text = text.strip()
    return f"[result{f' of {name}' if name else ''}: {_cut(text, MAX_RESULT)}]" if text else ""


def named_results(said: Iterable[ProxyMessage]) -> Iterator[ProxyMessage]:
    """Results with the names of the tools whose calls stand before them."""
    names: dict[str, str] = {}
    for one in said:
        if one.kind == "call" and one.call:
            names[one.call] = one.speaker
        elif one.kind == "result" and not one.speaker and one.call in names:
            one = ProxyMessage(one.role, one.text, one.kind, names[one.call], one.call)
        yield one


def _cut(text: str, limit: int) -> str:
    """A text of at most about `limit` characters, with how much is missing."""
    if len(text) <= limit:
        return text
    return f"{text[:limit].rstrip()} … ({len(text) - limit:,} more characters)"


def compact(value: object) -> str:
    """A value as short JSON; a text that is JSON itself written the same way, whoever wrote it."""
    if isinstance(value, str):
        try:
            value = foreign_json.loads(value)
        except ValueError:
            return str(value)
    if value in (None, "", {}, []):
        return ""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except (ValueError, RecursionError):
        return "…"


def part_texts(content: object) -> Iterator[str]:
    """The texts of a content, which is a text or a list of parts; what has no text leaves a word in its place."""
    if isinstance(content, str):
        yield content
        return
    for part in content if isinstance(content, list) else []:
        if isinstance(part, str):
            yield part
        elif isinstance(part, dict):
            text = shown_part(part)
            if text:
                yield text


def shown_part(part: Mapping[str, Any]) -> str:
    """One part of a content as text."""
    kind = part.get("type")
    for key in ("text", "refusal"):
        if isinstance(text := part.get(key), str):
            return text
    if kind in _FILES:
        file = part.get("file")
        inner = file if isinstance(file, dict) else part
        name = next((inner[key] for key in ("filename", "title", "name") if isinstance(inner.get(key), str)), "")
        return f"[file {name}]" if name else "[file]"
    return _PARTS.get(kind, "") if isinstance(kind, str) else ""


def words(fields: object, key: str) -> str:
    """The string under a key; empty if there is none."""
    value = fields.get(key) if isinstance(fields, dict) else None
    return value if isinstance(value, str) else ""


def list_objects(value: object) -> list[dict[str, Any]]:
    """The objects of a list; none if it is something else."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
