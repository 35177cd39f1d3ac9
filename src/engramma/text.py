"""Small functions over text: ids, token estimates, names that are safe as file names."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from urllib.parse import quote

from .records import Role

# Speakers whose name alone tells their role in a chat with an assistant.
ROLES: dict[str, Role] = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "system": "system",
    "tool": "tool",
}


def infer_role(speaker: str, role: Role | None) -> Role | None:
    """The role given, or the one the speaker's name tells; None for people."""
    return role if role is not None else ROLES.get(speaker.strip().lower())


def estimate_tokens(text: str) -> int:
    """About as many tokens as a language model would count: four ASCII characters or one other each."""
    ascii_count = len(text.encode("ascii", "ignore"))
    return -(-ascii_count // 4) + (len(text) - ascii_count)


def digest(*parts: str) -> bytes:
    """A hash of parts that no other split of the same characters shares."""
    hasher = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        hasher.update(len(data).to_bytes(8, "big"))
        hasher.update(data)
    return hasher.digest()


def segment_id(conversation: str, session: str, index: int) -> str:
    """`seg_<session>_<index>`, the session qualified by its conversation because callers reuse names."""
    return f"seg_{_escape(conversation)}/{_escape(session)}_{index}"


def labelled(turns: Sequence[tuple[str, str]]) -> str:
    """Turns as they are embedded and shown: who, then the words, verbatim."""
    return "\n".join(f"{speaker}: {text}" for speaker, text in turns)


def plain_text(turns: Sequence[tuple[str, str]]) -> str:
    """A segment's text: the very words of a single turn, or several turns with their speakers."""
    return turns[0][1] if len(turns) == 1 else labelled(turns)


def _escape(part: str) -> str:
    return part.replace("%", "%25").replace("/", "%2F")


def file_name(identifier: str, limit: int = 120) -> str:
    """A portable file name for any id: readable when it can be, unique always."""
    name = quote(identifier, safe=" -_.+@()[]=,")
    if len(name) <= limit and name not in ("", ".", "..") and not name.endswith((".", " ")):
        # A case-insensitive file system would join "A" and "a": mark what lower-casing loses.
        if name == name.lower():
            return name
        return f"{name}~{digest(identifier).hex()[:6]}"
    return f"{name[: limit - 18].rstrip('. ')}~{digest(identifier).hex()[:16]}"


def shorten(text: str, limit: int) -> str:
    """One line of at most `limit` characters."""
    flat = " ".join(text.split())
    return flat if len(flat) <= limit else flat[: limit - 1].rstrip() + "…"
