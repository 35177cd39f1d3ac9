"""The command that prints the daemon's token: token."""

from __future__ import annotations

from .common import command, out, store_path, wants_json


@command("token", without=("namespace",))
def _token() -> None:
    """Print the token of the daemon's API and MCP server; creates it if there is none."""
    import json as json_module

    from ...errors import StoreNotWritable
    from ..daemon.folder import place_in, token_of

    place = place_in(store_path())
    try:
        value = token_of(place)
    except OSError as error:
        raise StoreNotWritable(f"{place.token} cannot be read or created: {error.strerror}.") from error
    out(json_module.dumps({"token": value, "file": str(place.token)}) if wants_json() else value)
