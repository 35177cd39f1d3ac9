"""What the tests of encryption share: words to look for, keys that cost nothing, every byte of a store."""

from __future__ import annotations

import re
from pathlib import Path

from engramma.admin.encrypt import KeyChoice, make_encrypted
from engramma.encryption import access

PASSPHRASE = "four plain random words"


def new_encrypted(store: Path, key: Path) -> Path:
    """An encrypted store that opens with a key file, as this process has it unlocked."""
    make_encrypted(store, KeyChoice("file", key_file=key))
    return store


def forget_keys() -> None:
    """As a new process would be: nothing is unlocked."""
    access.known.clear()


def words_of(*texts: str) -> set[str]:
    """The words of five letters and more."""
    return {word.lower() for text in texts for word in re.findall(r"[^\W\d_]{5,}", text)}


def found_in(folder: Path, words: set[str]) -> list[str]:
    """Which of the words stand anywhere below a folder: in the bytes of a file, in any of three encodings, or in a
    file's or folder's name."""
    found = []
    for path in folder.rglob("*"):
        name = str(path.relative_to(folder)).lower().encode()
        data = path.read_bytes().lower() if path.is_file() else b""
        for word in words:
            forms = {word.encode(), word.encode("utf-16-le"), word.encode().hex().encode()}
            if any(form in name or form in data for form in forms):
                found.append(f"{word} in {path.relative_to(folder)}")
    return found
