"""Opens one namespace of a store: in its directory, or on a shared server."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from ..config.settings import Config, default_store_path, load_config, validate_config
from ..config.trust import addresses_in, check, embedder_address, engine_address, note_named_addresses, server_in
from ..core.core import Core
from ..files.folders import make_folder
from ..models.embed import Embedder
from ..models.lazy import LazyEmbedder
from ..recall.recipes import check_overrides, plan_for
from ..store.engine import SQLITE, check_engine, kept_password, local_folder, open_database
from ..store.postgres.address import is_address


def open_core(
    path: str | Path | None = None,
    namespace: str = "default",
    *,
    embedder: str | Embedder | None = None,
    create: bool = True,
    config: Config | None = None,
) -> Core:
    """Open a store's directory, making it if needed, or the address of a PostgreSQL database."""
    shared = str(path) if is_address(path) else None
    if shared is not None:
        folder, shared = local_folder(shared, default_store_path())
    else:
        folder = Path(path).expanduser() if path is not None else default_store_path()
    make_folder(folder, create or shared is not None)
    settings = validate_config(config) if config is not None else load_config(folder)
    if shared is not None:
        settings = replace(settings, store={"engine": shared})
    elif config is not None and not settings.store:  # the engine is the store's, whoever brings settings along
        settings = replace(settings, store=load_config(folder).store)
    check_engine(settings.store, "config")
    if config is not None and not config.is_found:  # the caller's own words
        note_named_addresses(folder, *addresses_in(config), server_in(folder, config.store))
        note_named_addresses(folder, embedder_address(config.embedder), lasting=True)  # the store notes it
    if shared is None:
        check(folder, engine_address(settings.store), server_in(folder, settings.store))
    database = open_database(folder, settings.store, busy_seconds=settings.busy_seconds, create=create)
    try:
        if settings.store.get("engine", SQLITE) != SQLITE:
            from ..store.postgres.homes import at_home

            database = at_home(database, namespace, kept_password(folder), folder)
        check_overrides(settings.recipes)
        core = Core(folder, database, namespace, settings, plan_for("default", settings.recipes), create)
        if embedder is not None:
            if not isinstance(embedder, LazyEmbedder):  # that one is the store's own word, not the caller's
                note_named_addresses(folder, embedder_address(getattr(embedder, "name", embedder)), lasting=True)
            core.choose_embedder(embedder)
    except BaseException:
        database.close()
        raise
    return core


@contextmanager
def borrow_core(
    path: Path,
    namespace: str = "default",
    *,
    embedder: Embedder | None = None,
    create: bool = True,
    config: Config | None = None,
) -> Iterator[Core]:
    """A namespace for a while."""
    core = open_core(path, namespace, embedder=embedder, create=create, config=config)
    try:
        yield core
    finally:
        core.close()
