"""A JSON value beside a turn's words, so that it comes back exactly: masked whole, then cut to what a turn can hold.

Secrets are masked in the value as they are in every text: `{"password": "hunter2"}` comes back with its mask.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ...errors import BadInput
from ...files import foreign_json
from ...ingest.validate import MAX_META
from ...redaction import Redacted

Mask = Callable[[str], Redacted]

NAME = "json"  # of the pieces in a turn's meta: json.0000, json.0001, …
STEP = 97  # characters that a piece gives up where a cut would look like a secret
_HALF = re.compile("[\ud800-\udfff]")


def encode_json(value: Any) -> str:
    """A value as JSON text that any file can hold; BadInput for what JSON cannot say."""
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise BadInput(f"This cannot be stored, because JSON cannot represent it: {error}.") from None
    return _HALF.sub(lambda half: f"\\u{ord(half[0]):04x}", text)


def pack_value(value: Any, mask: Mask, most_bytes: int) -> dict[str, str]:
    """A value as entries of a turn's meta."""
    text = encode_json(value)
    try:
        foreign_json.loads(text)  # what cannot be read back is not kept
    except ValueError as error:
        raise BadInput(f"This cannot be stored: {error}.") from None
    if (size := len(text.encode())) > most_bytes:
        raise BadInput(f"This has {size:,} bytes as JSON; the limit is {most_bytes:,} (max_turn_bytes in config.toml).")
    return {f"{NAME}.{number:04d}": piece for number, piece in enumerate(_pieces(masked(text, mask), mask))}


def unpack_value(meta: Mapping[str, str]) -> Any:
    """The value that was packed; ValueError if there is none, or a later scan for secrets broke it."""
    return json.loads("".join(meta[name] for name in sorted(meta) if name.startswith(f"{NAME}.")))


def masked(text: str, mask: Mask) -> str:
    """A JSON text without its secrets, and still one."""
    clean = mask(text).text
    if clean == text or _is_json(clean):
        return clean
    clean = encode_json(leaf_by_leaf(json.loads(text), mask))
    if mask(clean).text != clean and not _is_json(mask(clean).text):
        raise BadInput("This contains a secret that cannot be masked in place. Nothing was stored.")
    return clean


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def leaf_by_leaf(value: Any, mask: Mask) -> Any:
    """A value whose texts are masked one by one, and under their keys: a number can be a secret by its name alone."""
    if isinstance(value, str):
        return mask(value).text
    if isinstance(value, list):
        return [leaf_by_leaf(part, mask) for part in value]
    if not isinstance(value, dict):
        return value
    return {mask(key).text: _under(key, part, mask) for key, part in value.items()}


def _under(key: str, value: Any, mask: Mask) -> Any:
    if isinstance(value, dict | list) or value is None:
        return leaf_by_leaf(value, mask)
    found = mask(f"{encode_json(key)}: {encode_json(value)}\n")
    if not found.redactions:
        return value
    own = mask(value) if isinstance(value, str) else None
    return own.text if own and own.redactions else f"[redacted:{found.redactions[0].rule}]"


def _pieces(text: str, mask: Mask) -> Iterator[str]:
    """A masked text in pieces, cut where no piece alone looks as if a secret were in it."""
    at = 0
    while at < len(text):
        sizes = range(MAX_META, MAX_META // 2, -STEP)
        size = next((s for s in sizes if mask(text[at : at + s]).text == text[at : at + s]), MAX_META)
        yield text[at : at + size]
        at += size


def is_whole(text: str) -> bool:
    """Whether a text has no half characters (lone surrogates), which no file can hold."""
    return _HALF.search(text) is None


def make_storable(text: str) -> str:
    """A text's words without what no turn can hold."""
    return _HALF.sub("�", text).replace("\0", " ")
