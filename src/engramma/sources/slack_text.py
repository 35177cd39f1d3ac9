"""Who speaks in a Slack message, and its text with mentions, links and attachments written out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

# <@U1>, <#C1|general>, <!here>, <https://example.org|words>: everything in angle brackets is markup,
# because Slack writes < and > of a text as &lt; and &gt;.
_MARKUP = re.compile(r"<(?P<sign>[@#!]?)(?P<what>[^<>|]{1,3000})(?:\|(?P<label>[^<>]*))?>")
_GROUP = re.compile(r"subteam\^.*")
_ENTITIES = (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"))


@dataclass(frozen=True, slots=True)
class SlackNames:
    """The names of a workspace's people, bots and channels by their ids."""

    names: Mapping[str, str] = field(default_factory=dict)
    channels: Mapping[str, str] = field(default_factory=dict)

    def name(self, id: str) -> str:
        return self.names.get(id, id)

    def speaker(self, message: Mapping[str, object]) -> str:
        """The person, else the name that a bot or a guest brought with it, else the id."""
        user, bot = message.get("user"), message.get("bot_id")
        if isinstance(user, str) and user in self.names:
            return self.names[user]
        brought = [message.get("username")]
        for key, fields in (("user_profile", ("display_name", "real_name", "name")), ("bot_profile", ("name",))):
            profile = message.get(key)
            brought += [profile.get(one) for one in fields] if isinstance(profile, dict) else []
        for value in (*brought, self.names.get(bot) if isinstance(bot, str) else None, user, bot):
            if isinstance(value, str) and value.strip():
                return value
        return "unknown"


def people_of(users: Iterable[Mapping[str, object]]) -> SlackNames:
    """The people of users.json: by the name they show, else the real one, else that of the account."""
    names: dict[str, str] = {}
    for user in users:
        profile = user.get("profile")
        inner = profile if isinstance(profile, dict) else {}
        shown = (inner.get("display_name"), user.get("real_name"), inner.get("real_name"), user.get("name"))
        name = next((one for one in shown if isinstance(one, str) and one.strip()), None)
        if isinstance(id := user.get("id"), str) and name:
            names[id] = name
            if isinstance(bot := inner.get("bot_id"), str):
                names[bot] = name
    return SlackNames(names)


def body(message: Mapping[str, object], people: SlackNames) -> str:
    """The words of a message and of what is attached to it, a line each."""
    text = message.get("text")
    parts = [_plain(text, people) if isinstance(text, str) else ""]
    if not parts[0].strip():
        # A bot may write in blocks alone.
        parts = [block for block in _texts(message.get("blocks"), people, depth=0) if block.strip()]
    for attachment in _objects(message.get("attachments")):
        shown = [attachment.get(key) for key in ("pretext", "title", "text")]
        words = [_plain(one, people) for one in shown if isinstance(one, str) and one.strip()]
        fallback = attachment.get("fallback")
        parts += words or ([_plain(fallback, people)] if isinstance(fallback, str) else [])
    for file in [*_objects(message.get("files")), *_objects([message.get("file")])]:
        name = next((file[key] for key in ("title", "name") if isinstance(file.get(key), str) and file[key]), "")
        parts.append(f"[file {name}]" if name else "[file]")
    # Slack repeats the text of a message as the fallback of what it attaches.
    return "\n".join(dict.fromkeys(part for part in parts if part.strip()))


def _plain(text: str, people: SlackNames) -> str:
    """The text as it was written: markup as words, then the three entities that Slack uses."""

    def words(found: re.Match[str]) -> str:
        sign, what, label = found["sign"], found["what"], found["label"]
        if sign == "@":
            return f"@{people.names.get(what) or label or what}"
        if sign == "#":
            known = people.channels.get(what)
            return known or f"#{label or what}"
        if sign == "!":
            return label or ("@group" if _GROUP.fullmatch(what) else f"@{what.partition('^')[0]}")
        link = what.removeprefix("mailto:")
        return f"{label} ({what})" if label and label != what and label != link else link

    shown = _MARKUP.sub(words, text)
    for entity, char in _ENTITIES:
        shown = shown.replace(entity, char)
    return shown


def _texts(blocks: object, people: SlackNames, depth: int) -> list[str]:
    """The words of Block Kit blocks: of their texts, and of the elements in them as one line each."""
    found: list[str] = []
    if depth > 6:
        return found
    for block in _objects(blocks):
        text = block.get("text")
        if isinstance(text, dict):
            text = text.get("text")
        if isinstance(text, str):
            found.append(_plain(text, people))
        elif isinstance(user := block.get("user_id"), str):
            found.append(f"@{people.name(user)}")
        elif isinstance(url := block.get("url"), str):
            found.append(url)
        inner = [*_texts(block.get("elements"), people, depth + 1), *_texts(block.get("fields"), people, depth + 1)]
        if inner:
            # The runs of a line stand side by side; lines and lists below each other.
            found.append(
                ("" if block.get("type") in ("rich_text_section", "rich_text_preformatted") else "\n").join(inner)
            )
    return found


def _objects(value: object) -> list[dict[str, object]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
