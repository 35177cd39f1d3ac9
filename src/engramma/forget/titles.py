"""Titles that go with what is purged: those made of its words, those that say the words asked for, and that of a
conversation of which nothing is left. None of them comes back with another export."""

from __future__ import annotations

from collections.abc import Iterable

from ..language.text import fold_text
from ..store.store import Store
from ..store.tombstones import TELLING, bury_title


def drop_title(store: Store, conversation: str, texts: Iterable[str]) -> None:
    """Take a conversation's title away if it repeats one of these texts, inside the caller's transaction."""
    title = _title_of(store, conversation)
    if title and any(repeats_text(title, text) for text in texts):
        _take_away(store, conversation, title)


def drop_titles_saying(store: Store, phrase: str) -> None:
    """Take every title away that says a phrase, inside the caller's transaction."""
    for row in store.all("conversations"):
        if row["title"] and phrase in fold_text(row["title"]):
            _take_away(store, row["id"], row["title"])


def tidy_conversation(store: Store, conversation: str) -> None:
    """Remove a conversation of which nothing is left, with its title."""
    title = _title_of(store, conversation)
    store.run("conversation_tidy", id=conversation)
    if title and store.one("conversation_get", id=conversation) is None:
        bury_title(store, conversation, title)


def repeats_text(title: str, text: str) -> bool:
    """Whether a title is the beginning of a text, or one of the two says several words of the other; with the project
    that stands before it or without ("kites: My biopsy")."""
    rest = title.partition(": ")[2]
    return _repeats(title, text) or (bool(rest) and _repeats(rest, text))


def _repeats(title: str, text: str) -> bool:
    named, said = fold_text(title), fold_text(text)
    words = named.rstrip("….").rstrip()
    if not words or not said:
        return False
    if said.startswith(words) and (words != named or not said[len(words) :][:1].isalnum()):
        return True
    return any(len(one.split()) >= TELLING and one in other for one, other in ((words, said), (said, named)))


def _title_of(store: Store, conversation: str) -> str:
    row = store.one("conversation_get", id=conversation)
    return "" if row is None else row["title"] or ""


def _take_away(store: Store, conversation: str, title: str) -> None:
    bury_title(store, conversation, title)
    store.run("conversation_untitle", id=conversation)
