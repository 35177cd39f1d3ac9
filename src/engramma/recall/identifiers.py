"""Identifiers in a query: an order number, a ticket, an error code, a file's name. Who looks for one means the very
texts that have it; one that stands nowhere is not known, however near other texts are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from ..core.speakers import speakers_meant
from ..language.lexical import SAYING, STOP_WORDS
from ..language.text import fold_text
from ..store.store import Store
from .fuse import Ranked
from .query import Query
from .silence import asks
from .titles import titles_with

LEAST_DIGITS = 3  # beside letters: B12 and COVID-19 are things that are spoken of in other words as well
LEAST_ALONE = 5  # digits without letters, where nothing else is asked for: beside a word they are an amount
LEAST_PARTED = 7  # the same in three groups and more: 192.168.0.1
_TOKEN = re.compile(r"(?<![\w#])#?\w+(?:[._/-]\w+)*")
_WORD = re.compile(r"[^\W_]+")
_RUN = re.compile(r"[^\W\d_]+|\d+")
_YEAR = re.compile(r"(?:19|20)\d\d")
_DATE_OR_AMOUNT = re.compile(
    r"\d{1,4}([./-])(?:\d{1,2}|[a-z]{3,9})\1\d{1,4}|\d{4}-\d\d-\d\dT\d\d|\d{1,3}(?:\.\d{3})+"
    r"|\d+(?:[.,]\d+)*[a-z]{1,3}(?:/[a-z]{1,3})?|\d+(?:-[^\W\d_]{2,})+",  # km/h; 1000-piece, 100-year-old
    re.IGNORECASE,
)
_FILE = re.compile(
    r"[\w-]+\.(?:py|md|txt|json|ya?ml|toml|csv|pdf|docx?|xlsx?|pptx?|jpe?g|png|html|css|tsx?|rs|java|cpp|sh|sql|ini|log)",
    re.IGNORECASE,
)
_OTHER_LETTERS = "\u0250"  # from here on words need no spaces, or have endings: "1204호는", a whole Japanese sentence
_ASKS_MORE = frozenset(("who", "whose", "when", "where", "why", "how", "which", "did", "does"))


def list_identifiers(text: str) -> tuple[str, ...]:
    """The identifiers in a text, as they are written."""
    return tuple(token for token in dict.fromkeys(_TOKEN.findall(text)) if _is_identifier(token, token == text.strip()))


def _is_identifier(token: str, is_alone: bool) -> bool:
    if max(token) >= _OTHER_LETTERS:
        return False
    numbers = [run for run in _RUN.findall(token) if run.isdigit()]
    if all(map(_YEAR.fullmatch, numbers)) or _DATE_OR_AMOUNT.fullmatch(token):
        return "_" in token.strip("_") or _FILE.fullmatch(token) is not None
    digits = sum(map(len, numbers))
    if not any(map(str.isalpha, token)):
        is_long = digits >= LEAST_ALONE if is_alone else len(numbers) > 2 and digits >= LEAST_PARTED
        return (token.startswith("#") and digits > 1) or is_long
    return digits >= LEAST_DIGITS or "_" in token.strip("_") or _FILE.fullmatch(token) is not None


def asked_alone(text: str) -> tuple[str, ...]:
    """The identifiers that a query consists of, but for function words and, in words to look for, one other."""
    found = list_identifiers(text)
    words = [word for token in _TOKEN.findall(text) if token not in found for word in _WORD.findall(token.lower())]
    if not found or not _ASKS_MORE.isdisjoint(words):
        return ()
    return found if sum(word not in STOP_WORDS | SAYING for word in words) <= (not asks(text)) else ()


def nobody_wrote(store: Store, query: Query) -> str | None:
    """Why there is nothing to show for a query that is only identifiers which stand nowhere."""
    alone = () if query.is_wide else asked_alone(query.text)  # of what was set aside the words are elsewhere
    is_unsaid = bool(alone) and unsaid_identifiers(store, alone) == alone
    return f"nobody wrote {' or '.join(map(repr, alone))} here" if is_unsaid else None


def having(store: Store, ranked: list[Ranked], text: str) -> list[Ranked]:
    """For a query that is only identifiers, those whose texts have one of them, however its parts are joined; else, or
    if none has, all that are ranked."""
    if not (forms := [_form_of(one) for one in asked_alone(text)]):
        return ranked
    texts = {key: fold_text(one.text) for key, one in store.hydrate(sorted(found.key for found in ranked)).items()}
    return [one for one in ranked if any(form.search(texts.get(one.key, "")) for form in forms)] or ranked


@lru_cache(64)
def _form_of(identifier: str) -> re.Pattern[str]:
    parts = r"[\W_]{0,3}".join(_RUN.findall(fold_text(identifier)))
    begin = "#" if identifier.startswith("#") else r"(?<![^\W_])"
    return re.compile(rf"{begin}{parts}(?![^\W_])")


def unsaid_identifiers(store: Store, identifiers: Sequence[str]) -> tuple[str, ...]:
    """Of some identifiers those that nobody ever wrote, in one word or in parts, and that are no title and no name."""
    ways = {one: _ways_of(one) for one in identifiers}
    counts = store.document_counts({word for listed in ways.values() for way in listed for word in way})
    unsaid = [one for one, listed in ways.items() if not any(all(counts[word] for word in way) for way in listed)]
    titled = titles_with(store, map(str.lower, unsaid))
    return tuple(one for one in unsaid if one.lower() not in titled and not speakers_meant(store, one))


def _ways_of(identifier: str) -> tuple[list[str], ...]:
    """The words in which an index may have an identifier: ORD-88a is ord, 88a; ord, 88, a; or ord88a."""
    low = identifier.lower()
    return _WORD.findall(low), _RUN.findall(low), ["".join(_RUN.findall(low))]
