"""Switches a whole store to another index backend: fills it first, then changes config.toml."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..config.settings import CONFIG_FILE, Config, load_config
from ..config.trust import index_addresses, note_named_addresses
from ..core.core import INDEX_FOLDER, Core
from ..errors import BadInput, StoreError
from ..files import toml_text
from ..files.private_files import open_private
from ..index.external.backend import BackendFailed
from ..index.external.health_file import Health, read_healths
from ..index.external.settings import BUILT_IN, SCHEMES, index_settings
from ..index.external.sync import Follower
from ..namespaces.open import borrow_core
from .doctor_checks import Check

KEPT = ("key_env", "timeout", "allow_http")  # settings that stay when another engine is chosen

Progress = Callable[[int, int], None]


def health(core: Core) -> Health:
    """How the engine of an open memory is, asked now."""
    if (backed := core.engine()) is None:
        return Health(BUILT_IN, "in memory", "ready", namespace=core.namespace)
    return backed.follower.looked_at()


def healths(folder: Path) -> list[Health]:
    """What was told last of the engine a store uses; nothing of the built-in scan, which cannot fail."""
    backend = index_settings(load_config(folder).index).backend
    return [] if backend == BUILT_IN else read_healths(folder / INDEX_FOLDER, backend)


def told_health(values: Mapping[str, Any]) -> str:
    """How an engine is, in words, from what was told of it as JSON."""
    return str(Health(**values))


def engine_check(core: Core) -> list[Check]:
    """A line for doctor, where an engine is configured."""
    if core.engine() is None:
        return []
    found = health(core)
    mend = "" if found.is_well else "; `engramma reindex` brings it up to date"
    return [Check("index backend", found.is_well, f"{found}{mend}")]


def fill_engine(core: Core, progress: Progress | None = None) -> None:
    """Bring the engine up to date in every namespace, however long it takes."""
    for follower in followers(core):
        try:
            follower.fill(progress)
        except BackendFailed as error:
            raise StoreError(
                f"The index backend {follower.health().backend} could not be filled: {error}. Recall keeps using the "
                "built-in scan; fix this and run `engramma reindex` again."
            ) from error
        finally:
            follower.close()
    drop_others(core.path / INDEX_FOLDER, index_settings(core.config.index).backend)


def switch(core: Core, backend: str, url: str | None, progress: Progress | None = None) -> None:
    """Fill another engine, write it into config.toml, and leave nothing in the former one."""
    old = core.config
    table: dict[str, Any] = {key: value for key, value in old.index.items() if key in KEPT}
    table |= {"backend": backend} | ({} if url is None else {"url": url})
    new = replace(old, index=table)
    index_settings(table, "reindex")
    embedder = core.embedder
    note_named_addresses(core.path, *index_addresses(table), lasting=True)
    core.close_engine()
    with borrow_core(core.path, core.namespace, embedder=embedder, config=new) as other:
        fill_engine(other, progress)
    if not same_place(old, new):
        for follower in followers(core):
            follower.clear()
            follower.close()
    write_choice(core.path / CONFIG_FILE, table)
    drop_others(core.path / INDEX_FOLDER, backend)


def followers(core: Core) -> Iterator[Follower]:
    """The engine's followers, one a namespace; none for the built-in scan."""
    if core.engine() is None:
        return
    core.close_engine()
    for row in core.store.database.all("namespace_names", {}):
        yield core.follower_of(type(core.store)(core.store.database, row["name"]))


def same_place(old: Config, new: Config) -> bool:
    one, other = index_settings(old.index), index_settings(new.index)
    return (one.backend, one.url, one.path) == (other.backend, other.url, other.path)


def drop_others(folder: Path, backend: str) -> None:
    """Delete what engines that are not used any more left in the store."""
    for name in set(SCHEMES) - {backend, BUILT_IN}:
        for path in folder.glob(f"*.{name}*"):
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)
    if backend == BUILT_IN:
        for path in folder.glob("*.health"):
            path.unlink(missing_ok=True)


def write_choice(path: Path, table: Mapping[str, Any]) -> None:
    """Put the table [index] into config.toml; other tables, line ends, mode and a link to it stay as they are."""
    file = Path(os.path.realpath(path))
    text = file.read_bytes().decode("utf-8") if file.exists() else ""
    try:
        written = toml_text.set_table(text, "index", table)
    except BadInput as error:
        raise StoreError(f"{path} could not be changed; write [index] with {dict(table)} into it by hand.") from error
    new = file.with_name(f"{file.name}.{os.getpid()}.new")
    with open_private(new) as out:
        out.write(written.encode("utf-8"))
    if file.exists():
        new.chmod(stat.S_IMODE(file.stat().st_mode))
    new.replace(file)
