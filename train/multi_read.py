"""Reads translated strings out of packages: message catalogues, JSON by key, Chromium's resource packs, place names."""

from __future__ import annotations

import ast
import io
import json
import lzma
import re
import struct
import tarfile
import unicodedata
import zipfile
from collections.abc import Callable, Iterator, Mapping
from gettext import GNUTranslations
from itertools import pairwise
from typing import Any

Texts = dict[str, str]  # key -> text
ENGLISH = "en"
SAME = {"iw": "he", "no": "nb", "nn": "", "in": "id", "fil": "tl", "zsm": "ms", "sh": "sr"}
ISO3 = {
    "ara": "ar", "arb": "ar", "ben": "bn", "bul": "bg", "cat": "ca", "ces": "cs", "cmn": "zh", "dan": "da",
    "deu": "de", "ell": "el", "est": "et", "fin": "fi", "fra": "fr", "heb": "he", "hin": "hi", "hrv": "hr",
    "hun": "hu", "ind": "id", "ita": "it", "jpn": "ja", "kor": "ko", "lit": "lt", "lvs": "lv", "mar": "mr",
    "nld": "nl", "nob": "nb", "pes": "fa", "pol": "pl", "por": "pt", "ron": "ro", "rus": "ru", "slk": "sk",
    "slv": "sl", "spa": "es", "srp": "sr", "swe": "sv", "swh": "sw", "tam": "ta", "tel": "te", "tha": "th",
    "tur": "tr", "ukr": "uk", "urd": "ur", "vie": "vi", "zsm": "ms", "eng": "en", "afr": "af", "glg": "gl",
    "guj": "gu", "kan": "kn", "mal": "ml", "tgl": "tl",
}  # fmt: skip
LANGUAGES = tuple(sorted(set(ISO3.values()) - {ENGLISH}))
SCRIPTS = {
    "ARABIC": "ar", "BENGALI": "bn", "CJK": "zh", "CYRILLIC": "ru", "DEVANAGARI": "hi", "GREEK": "el",
    "GUJARATI": "gu", "HANGUL": "ko", "HEBREW": "he", "HIRAGANA": "ja", "KANNADA": "kn", "KATAKANA": "ja",
    "MALAYALAM": "ml", "TAMIL": "ta", "TELUGU": "te", "THAI": "th",
}  # fmt: skip


def language(code: str) -> str:
    """The two letters of a locale ("pt_BR", "zh-Hans", "deu_1996"), or nothing for those left out."""
    first = re.split(r"[-_@.]", code)[0].lower()
    first = ISO3.get(first, SAME.get(first, first))
    return first if first == ENGLISH or first in LANGUAGES else ""


def files(content: bytes) -> Iterator[tuple[str, bytes]]:
    """Name and bytes of every file of a tar.gz, wheel or Debian package."""
    if content[:2] == b"PK":
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            yield from ((name, archive.read(name)) for name in archive.namelist() if not name.endswith("/"))
        return
    if content[:8] == b"!<arch>\n":
        content = _debian(content)
    with tarfile.open(fileobj=io.BytesIO(content)) as tar:
        for member in tar:
            if member.isfile() and (file := tar.extractfile(member)):
                yield member.name.removeprefix("./"), file.read()


def _debian(content: bytes) -> bytes:
    place = 8
    while place < len(content):
        name, size = content[place : place + 16].decode().strip(), int(content[place + 48 : place + 58])
        if name.startswith("data.tar"):
            data = content[place + 60 : place + 60 + size]
            return lzma.decompress(data) if name.startswith("data.tar.xz") else data
        place += 60 + size + size % 2
    raise ValueError("no data in the Debian package")


def flat(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Every string of nested JSON, with its place."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from flat(inner, f"{path}/{key}")
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from flat(inner, f"{path}/{number}")


def _json(data: bytes) -> Texts:
    return dict(flat(json.loads(data)))


def _cldr(data: bytes) -> Texts:
    """JSON that names its locale inside the file too: left out of the keys."""
    found = json.loads(data)
    inner = next(iter(found.get("main", found).values()))
    return {key: text for key, text in flat(inner) if "/identity/" not in key}


def _annotations(data: bytes) -> Texts:
    """Each emoji's name, and its keywords as one text."""
    texts: Texts = {}
    (inner,) = json.loads(data).values()
    for sign, entry in inner.get("annotations", {}).items():
        if "tts" in entry:
            texts[f"{sign} name"] = entry["tts"][0]
        if "default" in entry:
            texts[f"{sign} words"] = ", ".join(entry["default"])
    return texts


def _catalogue(data: bytes) -> Texts:
    """A compiled message catalogue: the keys are the English texts."""
    read = GNUTranslations(io.BytesIO(data))._catalog  # type: ignore[attr-defined]
    return {key.split("\x04")[-1]: text for key, text in read.items() if isinstance(key, str) and key}


def _pack(data: bytes) -> Texts:
    """Chromium's resource pack, version 5: a table of ids and offsets."""
    version, _, count, _ = struct.unpack_from("<IIHH", data)
    if version != 5:
        raise ValueError(f"resource pack of version {version}, not 5")
    rows = [struct.unpack_from("<HI", data, 12 + 6 * number) for number in range(count + 1)]
    texts: Texts = {}
    for (key, start), (_, end) in pairwise(rows):
        try:
            texts[str(key)] = data[start:end].decode("utf-8")
        except UnicodeDecodeError:
            continue  # a picture
    return texts


def _declaration(data: bytes) -> Texts:
    """The declaration of human rights by article and paragraph."""
    page = data.decode("utf-8")
    texts: Texts = {}
    for number, part in enumerate(re.split(r"<article|<header", page)[1:]):
        paragraphs = re.findall(r"<(?:p|li)[^>]*>(.*?)</(?:p|li)>", part, re.S)
        for place, text in enumerate(paragraphs):
            texts[f"{number}/{place}/{len(paragraphs)}"] = re.sub(r"<[^>]+>", " ", text)
    return texts


READERS: dict[str, Callable[[bytes], Texts]] = {
    "json": _json,
    "cldr": _cldr,
    "annotations": _annotations,
    "catalogue": _catalogue,
    "pack": _pack,
    "declaration": _declaration,
}


def places(data: bytes) -> Iterator[tuple[str, str, str]]:
    """GeoNames' cities: (language, name, English name), the language by the script where one script tells it."""
    for city in json.loads(data).values():
        seen: set[str] = set()
        for name in city["alternatenames"]:
            code = SCRIPTS.get(unicodedata.name(name[:1], "?").split(" ")[0].split("-")[0], "") if name else ""
            if code and code not in seen:
                seen.add(code)
                yield code, name, city["name"]


def prefixes(data: bytes) -> Iterator[tuple[str, str, str]]:
    """The places of telephone numbers: (language, name, English name)."""
    for line in data.decode("utf-8").splitlines():
        found = re.findall(r"'([A-Za-z_]+)': (?:u\()?('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")", line)
        names = {code: str(ast.literal_eval(name)) for code, name in found}
        for code, name in names.items():
            if ENGLISH in names and language(code) not in ("", ENGLISH):
                yield language(code), name, names[ENGLISH]


def pairs(content: bytes, form: str, pattern: str, english: str) -> Iterator[tuple[str, str, str]]:
    """(language, text, English text) of a package; `pattern` has the group `code`, `english` is its English locale."""
    if form in ("places", "prefixes"):
        read = places if form == "places" else prefixes
        for name, data in files(content):
            if re.fullmatch(pattern, name):
                yield from read(data)
        return
    groups: dict[str, dict[str, Texts]] = {}
    for name, data in files(content):
        match = re.fullmatch(pattern, name)
        if match and data and (match["code"] == english or language(match["code"]) not in ("", ENGLISH)):
            rest = name[: match.start("code")] + (name[match.end("code") :] if form != "json" else _stem(name, match))
            groups.setdefault(rest, {})[match["code"]] = READERS[form](data)
    for group in groups.values():
        said = group.get(english, {})
        for code, texts in group.items():
            if code != english:
                for key, text in texts.items():
                    source = key if form == "catalogue" else said.get(key)
                    if source:
                        yield language(code), text, source


def _stem(name: str, match: re.Match[str]) -> str:
    """The rest of a file's name, less a hash after the locale."""
    return re.sub(r"^-[0-9a-f]{32}", "", name[match.end("code") :])
