"""Commands about the proxy's addresses: env (prints the base URLs) and relay (serves them)."""

from __future__ import annotations

import json as json_module
import shlex
from pathlib import Path
from typing import Annotated

import typer

from ...errors import BadInput
from .common import command, out, say, store_path, wants_json

VARIABLES = {"anthropic": "ANTHROPIC_BASE_URL", "openai": "OPENAI_BASE_URL", "ollama": "OLLAMA_HOST"}


@command("env", without=("namespace",))
def env(
    unset: Annotated[bool, typer.Option("--unset", help="Print the lines that unset them; needs no daemon.")] = False,
    inject: Annotated[
        bool, typer.Option("--inject", help="Use the key that may read: memories are added to requests.")
    ] = False,
) -> None:
    """Print the capture proxy's base URLs, for `eval "$(engramma env)"`. They also work while no daemon runs."""
    if unset:
        names = list(VARIABLES.values())
        out(json_module.dumps(names) if wants_json() else f"unset {' '.join(names)}")
        return
    urls = base_urls(store_path(), inject)
    if wants_json():
        out(json_module.dumps(urls))
        return
    for provider, name in VARIABLES.items():
        if provider in urls:
            out(f"export {name}={shlex.quote(urls[provider])}")


def base_urls(folder: Path, inject: bool) -> dict[str, str]:
    """The address for each provider, at the relay, which is started if it does not run."""
    from ..daemon import control
    from ..daemon.folder import inject_key, place_in, proxy_key, read_json, state_of, token_of
    from ..daemon.run import is_running
    from ..daemon.state import proxy_urls
    from ..relay.control import RelayError, relay_url, start_relay

    place = place_in(folder)
    if is_running(place) or relay_url(place) is None:
        told = control.ask_daemon_status(folder)
        upstreams = list(told["upstreams"])
        if inject and not told["inject"]:
            say("the daemon adds nothing to requests until it is started with --inject")
    else:
        upstreams = list(read_json(place.upstreams).get("upstreams", {}))
    try:
        url = start_relay(folder)
    except RelayError as error:
        url = str(state_of(place).get("url"))
        say(f"{error} These are the daemon's own addresses, which work only while it runs.")
    token = token_of(place)
    return proxy_urls(url, inject_key(token) if inject else proxy_key(token), upstreams)


@command(
    "relay",
    without=(
        "namespace",
        "json",
    ),
)
def _relay(
    port: Annotated[
        int | None, typer.Option(help="Port to listen on; 0 for any.", show_default="7734", min=0, max=65_535)
    ] = None,
) -> None:
    """Serve the address that `engramma env` prints, until Ctrl-C: forward to the daemon or straight to the provider."""
    from ..daemon.folder import place_in, read_json
    from ..relay.control import PORT
    from ..relay.serve import serve_relay

    folder = store_path().resolve()
    before = read_json(place_in(folder).relay).get("port")
    wanted = port if port is not None else before if isinstance(before, int) else PORT
    if not serve_relay(folder, wanted, lambda url: say(f"the relay listens at {url} (Ctrl-C stops it)")):
        raise BadInput("A relay already serves this memory. `engramma stop --relay` stops it.")
