"""Validates turns before anything is stored: what cannot be stored as it is gets a clear error."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from ..errors import BadInput, BadTurn
from ..language.text import KINDS, infer_role
from ..language.text import chunk_hash as chunk_hash
from ..language.text import turn_hash as turn_hash
from ..language.times import parse_time
from ..records import Turn
from ..store.masks import Mask as Mask
from ..store.masks import masked_name, unmasked

MAX_NAME = 1000  # characters of an id or a speaker: more is a mistake, not a name
MAX_META = 4_000  # characters of one value beside the words
ROLE_NAMES = ("user", "assistant", "system", "tool", None)


def checked_turns(turns: Sequence[Turn], max_bytes: int, mask: Mask = unmasked) -> list[Turn]:
    """The turns with times, roles and ids filled in and secrets masked; BadTurn for the first that cannot be kept."""
    found = with_ids([checked_turn(turn, number, max_bytes, mask) for number, turn in enumerate(turns, 1)])
    twice = [id for id, count in Counter(turn.id for turn in found).items() if count > 1]
    if twice:
        raise BadTurn(
            f"Turn id {twice[0]!r} is used twice in this session. Nothing was stored. Give each its own id, or none."
        )
    return found


def sifted_turns(
    turns: Sequence[Turn], max_bytes: int, mask: Mask = unmasked
) -> tuple[list[Turn], list[tuple[int, str]]]:
    """For imports: the turns that can be kept, and (number, reason) of those that cannot."""
    good: list[Turn] = []
    bad: list[tuple[int, str]] = []
    seen: set[str | None] = set()
    for number, turn in enumerate(turns, 1):
        try:
            kept = checked_turn(turn, number, max_bytes, mask)
        except BadInput as error:
            bad.append((number, str(error).replace(" Nothing was stored.", "")))
            continue
        if kept.id is not None and kept.id in seen:
            bad.append((number, f"turn id {kept.id!r} is used twice in this session"))
            continue
        seen.add(kept.id)
        good.append(kept)
    return with_ids(good), bad


def checked_turn(turn: Turn, number: int, max_bytes: int, mask: Mask = unmasked) -> Turn:
    if not isinstance(turn, Turn):
        raise BadTurn(
            f"Turn {number} is a {type(turn).__name__}. Nothing was stored. Make it a Turn(speaker, text, said_at)."
        )
    id = None if turn.id is None else checked_name(turn.id, f"Turn {number}: id", mask)
    where = f"Turn {number}" + (f" (id {id!r:.80})" if id is not None else "")
    if not isinstance(turn.text, str) or not turn.text.strip():
        raise BadTurn(f"{where} is empty. Nothing was stored. Leave out empty turns.")
    size = encoded_size(turn.text, where, "text")
    if size > max_bytes:
        raise BadTurn(
            f"{where} has {size:,} bytes; the limit is {max_bytes:,}. Nothing was stored. "
            "Split it, or raise max_turn_bytes in config.toml."
        )
    speaker = checked_name(turn.speaker, f"{where}: speaker", mask)
    if turn.role not in ROLE_NAMES:
        raise BadTurn(f"{where}: role {turn.role!r} is unknown. Use user, assistant, system, tool or None.")
    said_at = checked_time(turn.said_at, where, mask)
    clean = mask(turn.text)
    meta = checked_meta(turn.meta, where, mask)
    role = infer_role(speaker, turn.role)
    return replace(
        turn,
        speaker=speaker,
        id=id,
        text=clean.text,
        said_at=said_at,
        role=role,
        meta=meta,
        redactions=clean.redactions,
    )


def checked_meta(meta: object, where: str, mask: Mask) -> dict[str, str]:
    """What a source says beside the words: names and texts, masked, and not too much of it."""
    if not isinstance(meta, Mapping) or not all(isinstance(k, str) and isinstance(v, str) for k, v in meta.items()):
        raise BadTurn(f"{where}: meta must map names to strings. Nothing was stored.")
    for name, value in meta.items():
        if len(name) > MAX_NAME or len(value) > MAX_META:
            raise BadTurn(f"{where}: meta {mask(name).text!r:.40} is too long; the limit is {MAX_META:,} characters.")
        encoded_size(name + value, where, "meta")
    return {masked_name(name, mask): mask(value).text for name, value in sorted(meta.items())}


def checked_time(value: object, where: str, mask: Mask) -> datetime:
    if value is None:
        raise BadTurn(f"{where} has no time. Set said_at to a datetime with a time zone.")
    try:
        return parse_time(value).astimezone(UTC)
    except (ValueError, TypeError, OverflowError) as error:
        raise BadTurn(
            f"{where}: said_at {mask(f'{value!r:.80}').text} cannot be used: {mask(str(error)).text}"
        ) from None


def checked_name(value: object, what: str, mask: Mask) -> str:
    """An id, a speaker or another name, checked and without its secrets."""
    if not isinstance(value, str):
        check_name(value, what)
    name = masked_name(str(value), mask)
    check_name(name, what)
    return name


def check_name(value: object, what: str) -> None:
    """An id or a speaker: any text that can be written down."""
    if not isinstance(value, str) or not value.strip():
        raise BadInput(f"{what} must be a non-empty string, not {value!r:.80}.")
    if len(value) > MAX_NAME:
        raise BadInput(f"{what} has {len(value):,} characters; the limit is {MAX_NAME:,}.")
    encoded_size(value, what, "value")


def check_talk(conversation: object) -> None:
    """The name of a conversation that turns may be added to: not where notes and documents are kept."""
    check_name(conversation, "conversation")
    if conversation in KINDS:
        raise BadInput(
            f"{conversation!r} is where notes and documents are kept: use Memory.remember and Memory.ingest, "
            "or give the conversation another name."
        )


def encoded_size(text: str, where: str, what: str) -> int:
    """Bytes in UTF-8; refuses what no text file can hold."""
    if (at := text.find("\0")) >= 0:
        raise BadTurn(f"{where}: the {what} contains a NUL character at position {at}. Remove it and try again.")
    try:
        return len(text.encode("utf-8"))
    except UnicodeEncodeError as error:
        raise BadTurn(
            f"{where}: the {what} has half a character (a lone surrogate) at position {error.start}. "
            "Decode the source as UTF-8 or UTF-16 and try again."
        ) from None


def with_ids(turns: Sequence[Turn]) -> list[Turn]:
    """Turns without an id get one from what was said, so that the same turn always gets the same."""
    seen: Counter[str] = Counter()
    found = []
    for turn in turns:
        if turn.id is None:
            assert turn.said_at is not None
            base = turn_hash(turn.speaker, turn.said_at, turn.text)
            seen[base] += 1
            turn = replace(turn, id=base if seen[base] == 1 else f"{base}-{seen[base]}")
        found.append(turn)
    return found
