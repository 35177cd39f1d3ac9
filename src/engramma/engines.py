"""Choosing the engine that finds neighbours, for a whole store: filled first, then written into config.toml."""

from __future__ import annotations

import json
import os
import re
import shutil
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from .config import CONFIG_FILE, Config, load_config
from .errors import StoreError
from .following import Follower
from .health import Health, read_healths
from .index.backends.backend import BackendFailed
from .index.backends.settings import BUILT_IN, SCHEMES, index_settings
from .memory import INDEX_FOLDER, Memory
from .steward.doctor import Check
from .trust import index_addresses, say

KEPT = ("key_env", "timeout", "allow_http")  # settings that stay when another engine is chosen
SECTION = re.compile(r"^\[index\][^\n]*\n.*?(?=^\[|\Z)", re.MULTILINE | re.DOTALL)

Progress = Callable[[int, int], None]


def health(memory: Memory) -> Health:
    """How the engine of an open memory is, asked now."""
    if (backed := memory._behind_engine()) is None:
        return Health(BUILT_IN, "in memory", "ready", namespace=memory.namespace)
    return backed.follower.looked_at()


def healths(folder: Path) -> list[Health]:
    """What was told last of the engine a store uses; nothing of the built-in scan, which cannot fail."""
    backend = index_settings(load_config(folder).index).backend
    return [] if backend == BUILT_IN else read_healths(folder / INDEX_FOLDER, backend)


def engine_check(memory: Memory) -> list[Check]:
    """A line for doctor, where an engine is configured."""
    if memory._behind_engine() is None:
        return []
    found = health(memory)
    mend = "" if found.is_well else "; `engramma reindex` brings it up to date"
    return [Check("index backend", found.is_well, f"{found}{mend}")]


def fill(memory: Memory, progress: Progress | None = None) -> None:
    """Bring the engine up to date in every namespace, however long it takes."""
    for follower in followers(memory):
        try:
            follower.fill(progress)
        except BackendFailed as error:
            raise StoreError(
                f"The index backend {follower.health().backend} could not be filled: {error}. "
                "Recall goes on with the built-in scan; mend that and run `engramma reindex` again."
            ) from error
        finally:
            follower.close()
    drop_others(memory.path / INDEX_FOLDER, index_settings(memory.config.index).backend)


def switch(memory: Memory, backend: str, url: str | None, progress: Progress | None = None) -> None:
    """Fill another engine, write it into config.toml, and leave nothing in the former one."""
    old = memory.config
    table: dict[str, Any] = {key: value for key, value in old.index.items() if key in KEPT}
    table |= {"backend": backend} | ({} if url is None else {"url": url})
    new = replace(old, index=table)
    index_settings(table, "reindex")
    embedder = memory.embedder
    say(memory.path, *index_addresses(table), lasting=True)
    let_go(memory)
    with Memory.open(memory.path, memory.namespace, embedder=embedder, config=new) as other:
        fill(other, progress)
    if not same_place(old, new):
        for follower in followers(memory):
            follower.clear()
            follower.close()
    write_choice(memory.path / CONFIG_FILE, table)
    drop_others(memory.path / INDEX_FOLDER, backend)


def followers(memory: Memory) -> Iterator[Follower]:
    """The engine's followers, one a namespace; none for the built-in scan."""
    if memory._behind_engine() is None:
        return
    let_go(memory)
    for row in memory.store.database.all("namespace_names", {}):
        yield memory._follower_of(type(memory.store)(memory.store.database, row["name"]))


def let_go(memory: Memory) -> None:
    """Close the engine that the memory has open: files of some can be open once only."""
    backed, memory._backed = memory._backed, None
    if backed is not None:
        backed.follower.close()


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
    """Put the table [index] into config.toml and leave everything else as it is."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    rest = SECTION.sub("", text)
    lines = "".join(f"{key} = {json.dumps(value)}\n" for key, value in table.items())
    written = f"{rest.rstrip()}\n\n[index]\n{lines}".lstrip()
    if tomllib.loads(written).get("index") != dict(table):
        raise StoreError(f"{path} could not be changed; write [index] with {lines.strip()!r} into it by hand.")
    new = path.with_name(f"{path.name}.{os.getpid()}.new")
    new.write_text(written, encoding="utf-8")
    new.replace(path)
