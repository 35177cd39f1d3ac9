"""Commands about a store's database: which one it is, its state, and stopping a private server."""

from __future__ import annotations

from typing import Annotated

import typer

from ...errors import BadInput
from .common import command, store_path, tell


@command("engine", without=("namespace",))
def engine(
    act: Annotated[
        str, typer.Argument(help="status, or stop: stop a private server that was left running.")
    ] = "status",
) -> None:
    """Show which database the memory uses and its state. A private server stops with the last process that uses it."""
    from ...config.settings import load_config
    from ...store.engine import EMBEDDED, SQLITE

    folder = store_path()
    chosen = str(load_config(folder).store.get("engine", SQLITE))
    if act not in ("status", "stop"):
        raise BadInput(f"engine {act}: use `engramma engine status` or `engramma engine stop`.")
    facts: dict[str, object] = {"store": str(folder), "engine": chosen}
    if chosen == EMBEDDED:
        from ...store.postgres.server import find_server_place, stop_server

        place = find_server_place(folder)
        if act == "stop":
            facts["stopped"] = stop_server(folder)
        facts |= {"data": str(place.data), "made": place.is_made, "running": place.pid is not None, "pid": place.pid}
    elif act == "stop":
        raise BadInput(f"There is no server to stop: the engine of this memory is {chosen}.")
    tell(facts, (f"{name:8} {'-' if value is None else value}" for name, value in facts.items()))
