"""What a message of a ChatGPT export says, as text; or why it is no part of the talk."""

from __future__ import annotations

from collections.abc import Iterable

from ..files import foreign_json
from .thread_files import Fields, LeftOut, fields_of, list_of

# Written by the product around the talk, never said in it.
_BESIDE = {
    "thoughts": "thoughts",
    "reasoning_recap": "thoughts",
    "user_editable_context": "custom instructions",
    "model_editable_context": "custom instructions",
}
_CANVAS = ("canmore.create_textdoc", "canmore.update_textdoc")
# A tool answers the assistant; everything else that is not for all is a call of a tool.
_HEARD = (None, "", "all", "assistant")


def read_message_text(message: Fields, role: str) -> str:
    """The text of a message; raises LeftOut, or ValueError where the message cannot be understood."""
    metadata = fields_of(message.get("metadata"))
    if metadata.get("is_visually_hidden_from_conversation") is True:
        raise LeftOut("hidden")
    if metadata.get("is_user_system_message") is True:
        raise LeftOut("custom instructions")
    if role == "system":
        raise LeftOut("system instructions")
    content = message.get("content")
    if content is None:
        raise LeftOut("without content")
    fields = {"content_type": "text", "parts": [content]} if isinstance(content, str) else content
    if not isinstance(fields, dict):
        raise ValueError(f"content is a {type(content).__name__}, not an object")
    kind = fields.get("content_type")
    if isinstance(kind, str) and kind in _BESIDE:
        raise LeftOut(_BESIDE[kind])
    if message.get("recipient") in _CANVAS:
        lines = _canvas(_content(fields))
    elif message.get("recipient") not in _HEARD:
        raise LeftOut("tool calls")
    else:
        lines = _content(fields)
    lines += _attachments(metadata, has_pictures=any(line.startswith("[image") for line in lines))
    if not any(line.strip() for line in lines):
        raise LeftOut("empty")
    return "\n".join(lines)


def _content(fields: Fields) -> list[str]:
    """The texts of a content object of any type, those of no text as "[type]"."""
    kind = fields.get("content_type")
    parts = fields.get("parts")
    if isinstance(parts, list):
        spoken = any(fields_of(part).get("content_type") == "audio_transcription" for part in parts)
        texts = [text for part in parts for text in _part(part, spoken)]
    else:
        texts = _page(fields)
    if not texts and kind not in ("text", "multimodal_text", "code", "execution_output", "tether_browsing_display"):
        raise ValueError(f"content of the type {str(kind)[:60]!r} has no text")
    # Only whole texts are dropped: a message of one text is that text byte for byte.
    return [text for text in texts if text]


def _part(part: object, spoken: bool) -> list[str]:
    """A part of a message: a text, or an object that stands for a picture, a sound or a page."""
    if isinstance(part, str):
        return [part]
    fields = fields_of(part)
    kind = fields.get("content_type")
    if not fields or not isinstance(kind, str):
        return _texts(fields, "text")
    if kind == "image_asset_pointer":
        prompt = fields_of(fields_of(fields.get("metadata")).get("dalle")).get("prompt")
        return [f"[image: {prompt}]" if isinstance(prompt, str) and prompt.strip() else "[image]"]
    if kind.endswith("asset_pointer"):
        what = "video" if kind.startswith("video") else "audio"
        # What was said in it is a part of its own.
        return [] if spoken else [f"[{what}]"]
    return _page(fields) or [f"[{kind[:60]}]"]


def _page(fields: Fields) -> list[str]:
    """A quote or a page: its title and address, then its text."""
    title, url = fields.get("title"), fields.get("url")
    named = " ".join(value for value in (title, url) if isinstance(value, str) and value.strip())
    texts = _texts(fields, "text") or _texts(fields, "result", "summary", "snippet", "content", "output_str")
    if fields.get("content_type") in ("tether_quote", "sonic_webpage") and named and texts:
        return [f"[{named}]", *texts]
    return texts


def _texts(fields: Fields, *keys: str) -> list[str]:
    values = (fields.get(key) for key in keys)
    return [value for value in values if isinstance(value, str) and value]


def _canvas(texts: Iterable[str]) -> list[str]:
    """The document that a canvas call writes, or what it puts into one."""
    try:
        call = fields_of(foreign_json.loads("\n".join(texts), strict=False))
    except ValueError:
        raise LeftOut("tool calls") from None
    name = call.get("name")
    written = _texts(call, "content")
    for update in list_of(call.get("updates")):
        written += _texts(fields_of(update), "replacement")
    if not written:
        raise LeftOut("tool calls")
    return [f"[canvas: {name}]" if isinstance(name, str) and name.strip() else "[canvas]", *written]


def _attachments(metadata: Fields, *, has_pictures: bool) -> list[str]:
    """The names of what was attached, and its text where the export holds any."""
    lines: list[str] = []
    for item in list_of(metadata.get("attachments")):
        fields = fields_of(item)
        name, kind = fields.get("name"), fields.get("mime_type", fields.get("mimeType"))
        if has_pictures and isinstance(kind, str) and kind.startswith("image/"):
            continue
        lines.append(f"[attachment: {name}]" if isinstance(name, str) and name.strip() else "[attachment]")
        lines += _texts(fields, "extracted_text") or _texts(fields, "extracted_content")
    return lines
