"""Commands about the daemon: serve, start, stop, status, logs, pause, resume, unit."""

from __future__ import annotations

import json as json_module
import os
import sys
import time
from dataclasses import dataclass, fields
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...errors import BadInput
from .common import chosen, command, out, say, store_path, wants_json

if TYPE_CHECKING:
    from ..daemon.settings import DaemonSettings


@dataclass(frozen=True, slots=True)
class Wishes:
    """Options of `serve` and `start`; what is None is left to the store's settings."""

    host: Annotated[
        str | None,
        typer.Option(help="Address to listen on; TLS is required unless it is local.", show_default="127.0.0.1"),
    ] = None
    port: Annotated[int | None, typer.Option(help="Port to listen on; 0 for any.", show_default="7733", min=0)] = None
    upstream: Annotated[
        list[str] | None, typer.Option(help="Where the proxy sends a provider's requests: openai=https://…")
    ] = None
    inject: Annotated[
        bool | None,
        typer.Option("--inject/--no-inject", help="Add memories to requests that pass through the proxy."),
    ] = None
    read_only: Annotated[bool | None, typer.Option("--read-only", help="Refuse all writes.")] = None
    allow_host: Annotated[
        list[str] | None, typer.Option("--allow-host", help="A host name that other machines may use for it.")
    ] = None
    tls_cert: Annotated[Path | None, typer.Option(help="Serve TLS with this certificate (PEM).")] = None
    tls_key: Annotated[Path | None, typer.Option(help="The certificate's key (PEM, no passphrase).")] = None
    insecure_no_tls: Annotated[
        bool | None,
        typer.Option(
            "--insecure-no-tls", help="Let other machines connect without TLS: the token is sent in plain text."
        ),
    ] = None


class UnitKind(StrEnum):
    systemd = "systemd"
    launchd = "launchd"


@command("serve", without=("json",))
def _serve(wishes: Wishes) -> None:
    """Serve the memory on this machine until Ctrl-C: dashboard, HTTP API, MCP and capture proxy on one port."""
    import logging

    from ..daemon.exposure import warning
    from ..daemon.logfile import log_to
    from ..daemon.run import serve as run
    from ..daemon.state import Daemon
    from ..dashboard.pages import link_to

    log = log_to(sys.stderr)
    logging.getLogger("uvicorn").setLevel(logging.WARNING)
    logging.getLogger("mcp").setLevel(logging.WARNING)

    def ready(daemon: Daemon) -> None:
        say(f"Engramma serves {daemon.store} at {daemon.url} (Ctrl-C stops it)")
        if told := warning(daemon.settings):
            say(f"warning: {told}")
        # A link that lets somebody in is for a person at a terminal, not for a log.
        say(f"dashboard: {link_to(daemon) if sys.stderr.isatty() else '`engramma open` opens it'}")
        say("`engramma token` prints the token of the API, `engramma env` the base URLs for the capture proxy")

    folder = store_path()
    run(folder, chosen.namespace or "default", settings(folder, wishes), ready, log)


@command("start")
def _start(wishes: Wishes) -> None:
    """Start the daemon in the background."""
    from ..daemon import control
    from ..daemon.exposure import warning

    folder = store_path().resolve()
    wished = settings(folder, wishes)  # what could not work is said here, not in a log
    told = control.start_daemon(folder, given(chosen.namespace, wishes))
    if not told["was_running"] and (what := warning(wished)):
        say(f"warning: {what}")
    line = f"{'already running' if told['was_running'] else 'started'}: {told['url']} (process {told['pid']})"
    out(json_module.dumps(told) if wants_json() else line)


@command("stop", without=("namespace",))
def _stop(
    relay: Annotated[
        bool,
        typer.Option("--relay", help="Also stop the relay: programs that use its address can then reach no provider."),
    ] = False,
) -> None:
    """Stop the daemon cleanly: what was captured is stored first. Programs keep working through the relay."""
    from ..daemon import control
    from ..relay.control import stop_relay

    folder = store_path()
    stopped = control.stop_daemon(folder)
    told = {"stopped": stopped, **({"relay_stopped": stop_relay(folder)} if relay else {})}
    lines = ["stopped" if stopped else "no daemon is running"]
    if relay:
        took_back = "relay stopped; `engramma env --unset` unsets its address"
        lines.append(took_back if told["relay_stopped"] else "no relay is running")
    out(json_module.dumps(told) if wants_json() else "\n".join(lines))


@command("status", without=("namespace",))
def status() -> None:
    """Show the state of the daemon, its capture and its spool. Exit code 3 if it is not running."""
    from ...admin.switch_index import healths
    from ..daemon import control
    from ..daemon.folder import place_in
    from ..daemon.run import is_running
    from ..daemon.spool import Spool
    from ..relay.control import relay_url
    from ..render import as_value

    folder = store_path()
    place = place_in(folder)
    if is_running(place):
        told = {"running": True, **control.ask_daemon_status(folder)}
    else:
        items, size = Spool(place.spool).waiting()
        told = {
            "running": False,
            "store": str(folder),
            "spool": {"items": items, "bytes": size, "failed": Spool(place.spool).failed()},
            "index": as_value(healths(folder)),
            "embedder": _embedder_of(folder),
        }
    told["relay"] = relay_url(place)
    out(json_module.dumps(told) if wants_json() else status_text(told))
    if not told["running"]:
        raise typer.Exit(3)


def _embedder_of(folder: Path) -> dict[str, Any]:
    """What waits for the embedder in a store that no daemon serves, and what is to be done about it."""
    from ...errors import EngrammaError
    from ...memory import Memory

    try:
        with Memory.open(folder, create=False) as memory:
            return memory.ingest.store_backlog().values() | {"advice": memory.admin.language_advice()}
    except EngrammaError:  # there is none, or none that can be opened: other commands tell why
        return {}


@command(
    "logs",
    without=(
        "namespace",
        "json",
    ),
)
def logs(
    lines: Annotated[int, typer.Option("--lines", help="How many.", min=1, max=100_000)] = 50,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Keep printing new lines until Ctrl-C.")] = False,
) -> None:
    """Show the daemon's log: what it did and what went wrong, never what was said."""
    from ..daemon.folder import place_in
    from ..daemon.logfile import last_lines

    path = place_in(store_path()).log
    if not path.exists():
        raise BadInput(f"There is no log at {path}: only a daemon started with `engramma start` writes one.")
    out(last_lines(path, lines))
    if follow:
        with path.open(encoding="utf-8", errors="replace") as file:
            file.seek(0, os.SEEK_END)
            while True:
                if line := file.readline():
                    out(line.rstrip("\n"))
                else:
                    if path.stat().st_size < file.tell():
                        file.seek(0)  # it was set aside, and begins anew
                    time.sleep(0.3)


@command(
    "pause",
    without=(
        "namespace",
        "json",
    ),
)
def _pause(
    minutes: Annotated[
        float | None, typer.Option(help="For how long; by default until `engramma resume`.", min=0.01)
    ] = None,
) -> None:
    """Pause capture: by proxy, hooks, watch and MCP. Requests still pass through, and recall still answers."""
    from ..daemon.folder import place_in
    from ..daemon.pauses import pause as leave_note

    leave_note(place_in(store_path()), minutes)
    if minutes is None:
        out("paused; `engramma resume` resumes it")
    else:
        out(f"paused for {minutes:g} minute{'' if minutes == 1 else 's'}")


@command(
    "resume",
    without=(
        "namespace",
        "json",
    ),
)
def _resume() -> None:
    """Resume capture."""
    from ..daemon.folder import place_in
    from ..daemon.pauses import resume as remove_note

    remove_note(place_in(store_path()))
    out("capturing")


@command("unit", without=("json", "upstream", "inject", "read_only", "allow_host"))
def _unit(
    kind: Annotated[UnitKind, typer.Argument(help="For which system.")],
    relay: Annotated[bool, typer.Option("--relay", help="The unit for the relay instead of the daemon.")] = False,
    write: Annotated[bool, typer.Option("--write", help="Write it to where the system looks for it.")] = False,
    *,
    wishes: Wishes,
) -> None:
    """Print a service unit that starts the daemon when you log in."""
    from ..daemon import units
    from ..daemon.folder import place_in

    folder = store_path().resolve()
    settings(folder, wishes)
    text = units.unit(kind, folder, place_in(folder).log, given(chosen.namespace, wishes))
    if relay:
        text = units.relay_unit(kind, folder, place_in(folder).relay_log, wishes.port)
    if not write:
        out(text.rstrip("\n"))
        return
    path: Path = units.unit_path(kind, relay)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    out(str(path))
    say(f"now: {units.next_step(kind, relay)}")


def settings(folder: Path, wishes: Wishes) -> DaemonSettings:
    from ...config.settings import load_config
    from ...config.trust import check
    from ..daemon.exposure import check_exposure
    from ..daemon.settings import daemon_addresses, settings_from

    pairs = [one.partition("=") for one in wishes.upstream or []]
    if wrong := [name for name, equals, _ in pairs if not equals]:
        raise BadInput(f"--upstream {wrong[0]!r:.80}: write it as NAME=URL, such as openai=https://api.openai.com.")
    table = load_config(folder).daemon
    upstreams = {name: url for name, _, url in pairs}
    check(folder, *daemon_addresses(table, (*upstreams, *(["host"] if wishes.host is not None else []))))
    made = settings_from(
        table,
        host=wishes.host,
        port=wishes.port,
        upstreams=upstreams,
        inject=wishes.inject,
        read_only=wishes.read_only,
        allow_hosts=wishes.allow_host or None,
        tls_cert=absolute(wishes.tls_cert),
        tls_key=absolute(wishes.tls_key),
        insecure_no_tls=wishes.insecure_no_tls,
    )
    check_exposure(made)
    return made


def given(namespace: str | None, wishes: Wishes) -> list[str]:
    """The options as another command line takes them."""
    options = ["--namespace", namespace] if namespace else []
    for field in fields(wishes):
        value, option = getattr(wishes, field.name), f"--{field.name.replace('_', '-')}"
        if isinstance(value, bool):
            options += [option] if value else ["--no-inject"] if field.name == "inject" else []
        else:
            for one in value if isinstance(value, list) else [] if value is None else [value]:
                options += [option, str(absolute(one) if isinstance(one, Path) else one)]
    return options


def absolute(path: Path | None) -> str | None:
    """A file as a process in another folder finds it."""
    return None if path is None else str(path.expanduser().absolute())


def status_text(told: dict[str, Any]) -> str:
    """The same for people."""
    from ..render import plural

    spool = told["spool"]
    waiting = f"{spool['items']} waiting ({spool['bytes']:,} bytes)"
    if not told["running"]:
        aside = f", {spool['failed']} set aside" if spool["failed"] else ""
        first = f"not running; spool: {waiting}{aside}. `engramma start` starts it."
        return "\n".join([first, *relay_lines(told), *embedder_lines(told), *index_lines(told)])
    worker, capture = told["worker"], told["capture"]
    until = f" until {_minute(capture['until'])}" if capture["until"] else ""
    lines = [
        f"running   {told['url']} (process {told['pid']}, version {told['version']}, {told['up_seconds']:.0f} s)",
        f"store     {told['store']}, namespace {told['namespace']}",
        f"capture   {capture['state']}{until}",
        f"  now     {plural(told['relayed'].get('relayed', 0), 'request')} passed through since the start, "
        f"{told['scribe']['dropped']} dropped",
        f"  ever    {plural(worker.get('captured', 0), 'exchange')} captured, "
        f"{plural(worker.get('turns', 0), 'turn')} stored, {worker.get('dropped', 0)} dropped",
        f"spool     {waiting}, {spool['failed']} set aside",
    ]
    if "last_error" in worker:
        lines.append(f"last error  {worker['last_error']} ({_minute(worker['last_error_at'])})")
    lines += [*embedder_lines(told), *index_lines(told), *relay_lines(told)]
    lines += [f"proxy     {name}: {url}" for name, url in told["proxy"].items()]
    return "\n".join(lines)


def _minute(time: str) -> str:
    """A time that the daemon wrote down, for people."""
    from ...language.times import parse_time, zoned_minute

    return zoned_minute(parse_time(time))


def embedder_lines(told: dict[str, Any]) -> list[str]:
    """Lines about the embedder, if it is away, something waits for it, or another one would do better."""
    from ...ingest.backlog import told_backlog

    values = told.get("embedder") or {}
    is_told = values.get("segments") or values.get("away_since")
    lines = [str(told_backlog(values))] if is_told else []
    return [f"embedder  {line}" for line in (*lines, values.get("advice")) if line]


def relay_lines(told: dict[str, Any]) -> list[str]:
    """Who holds the address that programs were given."""
    if not told.get("relay"):
        return []
    return [f"relay     {told['relay']}" + ("" if told["running"] else ": requests go to their providers, uncaptured")]


def index_lines(told: dict[str, Any]) -> list[str]:
    """A line a namespace whose neighbours another engine finds."""
    from ...admin.switch_index import told_health

    return [f"index     {one['namespace']}: {told_health(one)}" for one in told.get("index", ())]
