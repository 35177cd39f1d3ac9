"""The text of a Telegram message, and words for what of it is no text."""

from __future__ import annotations

# The kinds that Telegram names in media_type; a photo and a plain file have fields instead.
_MEDIA = {
    "sticker": "sticker",
    "video_message": "video message",
    "voice_message": "voice message",
    "animation": "animation",
    "video_file": "video",
    "audio_file": "audio",
}


def read_telegram_text(text: object) -> str:
    """The text as it reads: a string, or its parts joined; a link under other words is shown behind them."""
    if isinstance(text, str):
        return text
    parts = []
    for part in text if isinstance(text, list) else []:
        words = part.get("text") if isinstance(part, dict) else part
        if not isinstance(words, str):
            continue
        href = part.get("href") if isinstance(part, dict) else None
        parts.append(f"{words} ({href})" if isinstance(href, str) and href and href != words else words)
    return "".join(parts)


def placeholder(message: dict[str, object]) -> str:
    """What stands for an attachment, in brackets; empty where there is none."""
    shown = _media(message) or _card(message)
    return f"[{shown}]" if shown else ""


def _media(message: dict[str, object]) -> str:
    kind, name = message.get("media_type"), message.get("file_name")
    words = _MEDIA.get(kind, kind.replace("_", " ")) if isinstance(kind, str) and kind else ""
    if not words:
        words = "photo" if message.get("photo") else "file" if message.get("file") else ""
    if not words:
        return ""
    title = " – ".join(str(message[key]) for key in ("performer", "title") if isinstance(message.get(key), str))
    emoji, seconds = message.get("sticker_emoji"), message.get("duration_seconds")
    details = [emoji if isinstance(emoji, str) else "", title or (name if isinstance(name, str) else "")]
    shown = " ".join([words, *(detail for detail in details if detail)])
    return f"{shown}, {seconds} s" if isinstance(seconds, int) and not isinstance(seconds, bool) else shown


def _card(message: dict[str, object]) -> str:
    """Polls, places, contacts, games and invoices: things with words of their own."""
    if isinstance(poll := message.get("poll"), dict):
        answers = poll.get("answers")
        listed = answers if isinstance(answers, list) else []
        offered = [read_telegram_text(one.get("text")) for one in listed if isinstance(one, dict)]
        return f"poll: {' / '.join([read_telegram_text(poll.get('question')), *offered])}"
    if isinstance(contact := message.get("contact_information"), dict):
        return f"contact: {_joined(contact, 'first_name', 'last_name', 'phone_number')}"
    if isinstance(point := message.get("location_information"), dict):
        place = _joined(message, "place_name", "address")
        return f"location: {place or _joined(point, 'latitude', 'longitude')}"
    if game := message.get("game_title"):
        return f"game: {game}"
    if isinstance(invoice := message.get("invoice_information"), dict):
        return f"invoice: {_joined(invoice, 'title', 'description')}"
    return ""


def _joined(fields: dict[str, object], *keys: str) -> str:
    return ", ".join(str(fields[key]) for key in keys if isinstance(fields.get(key), str | int | float) and fields[key])
