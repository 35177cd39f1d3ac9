"""The trust command: shows the addresses in a store's settings and confirms them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .common import chosen, command, say, store_path, tell, wants_json

if TYPE_CHECKING:
    from ...config.trust import Outgoing


@command("trust", without=("namespace",))
def trust(
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Confirm them all without asking.")] = False,
    show: Annotated[bool, typer.Option("--show", help="Only show them.")] = False,
    remove: Annotated[bool, typer.Option("--remove", help="Withdraw all confirmations for this memory.")] = False,
) -> None:
    """Confirm the addresses in a memory's settings: servers that receive your data and keys.

    An address that came with a copy, a restore or an edited config.toml is not used until you confirm it.
    """
    from ...config.trust import confirm, unconfirmed, withdraw
    from ...errors import StoreNotFound
    from ..render import plural

    folder = store_path()
    if not folder.is_dir():
        raise StoreNotFound.at(folder)
    if remove:
        gone = withdraw(folder)
        line = f"Took back {plural(gone, 'confirmation')} for {folder}."
        tell({"store": str(folder), "removed": gone}, [line])
        return
    named = addresses_of(folder)
    missing = unconfirmed(folder, named)
    if missing and not show and (yes or agreed(missing)):
        confirm(folder, *missing)
        missing = unconfirmed(folder, missing)
        if later := unconfirmed(folder, addresses_of(folder)):  # known only now that the database may be opened
            missing = later
            named = [*named, *(one for one in later if one not in named)]
    listed = [{"setting": n.setting, "address": n.address, "keys": n.keys, "ok": n not in missing} for n in named]
    lines = [f"{'not confirmed' if one in missing else 'ok':<13}  {one}" for one in named]
    none = f"The settings of {folder} name no external address."
    tell({"store": str(folder), "addresses": listed}, lines or [none])
    if missing:
        say(f"Not used until you confirm it: `engramma trust --yes --store {folder}`.")
        raise typer.Exit(1)


def agreed(missing: list[Outgoing]) -> bool:
    """Ask, if there is somebody to ask."""
    if wants_json() or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    for one in missing:
        say(f"  {one}")
    return typer.confirm("Did you choose this, and may this memory use it?", default=False, err=True)


def addresses_of(folder: Path) -> list[Outgoing]:
    """Every address that a store's settings, its daemon's, and its database name."""
    from ...config.settings import load_config
    from ...config.trust import addresses_in, embedder_address, server_in
    from ...errors import AddressNotConfirmed, StoreNotFound
    from ...memory import Memory
    from ..daemon.settings import daemon_addresses

    config = load_config(folder)
    named = [*addresses_in(config), *daemon_addresses(config.daemon)]
    named += [one for one in (server_in(folder, config.store),) if one is not None]
    try:
        with Memory.open(folder, chosen.namespace or "default", create=False) as memory:
            if config.embedder is None:
                named += [one for one in (embedder_address(memory.admin.embedder_spec),) if one is not None]
            named += memory.namespaces.home_addresses()
    except (StoreNotFound, AddressNotConfirmed):  # nothing is in it yet; or the database itself is not confirmed
        pass
    return named
