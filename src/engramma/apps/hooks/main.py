"""The hook command: Claude Code's JSON on standard input, what to add to the context on standard output.

    engramma-hook [--store PATH] [--namespace NAME] [--seconds LIMIT]

SessionStart and UserPromptSubmit ask the daemon and print what it recalls; Stop and SessionEnd leave a note for the
daemon to import the transcript. Whatever goes wrong, it ends with 0 and says nothing: an assistant must not notice.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...files import foreign_json

if TYPE_CHECKING:
    from ..daemon.folder import DaemonFolder

RECALLS = ("SessionStart", "UserPromptSubmit")
CAPTURES = ("Stop", "SessionEnd")
SECONDS = 1.5  # for everything, the recall included
SPARE_SECONDS = 0.5  # after which it ends, whatever it is waiting for
MOST_INPUT = 8 * 1024 * 1024
MOST_LOG = 64 * 1024


def run() -> None:
    """The entry point."""
    limit = SECONDS
    try:
        options = options_of(sys.argv[1:])
        if options is None or sys.stdin is None or sys.stdin.isatty():
            sys.stderr.write(f"{__doc__}\n")
            return
        limit = seconds_of(options)
        watch = threading.Timer(limit + SPARE_SECONDS, os._exit, [0])
        watch.daemon = True
        watch.start()
        if text := answer_hook(sys.stdin.buffer.read, options, time.monotonic() + limit):
            sys.stdout.write(text + "\n")
            sys.stdout.flush()
    except BaseException:
        pass  # nobody is there to be told
    os._exit(0)  # nothing is left to be tidied up, and the user waits


def answer_hook(read: Callable[[int], bytes], options: dict[str, str], deadline: float) -> str:
    """What to print for one call; empty for nothing."""
    begun = time.monotonic()
    event, place = "?", None
    try:
        call = read_hook_call(read)
        named = call.get("hook_event_name")
        if not isinstance(named, str) or named not in RECALLS + CAPTURES:
            return ""
        event = named
        place = find_daemon_folder(options)
        if place is None:
            return ""
        namespace = options.get("namespace", "")
        if event in CAPTURES:
            from .capture import capture

            capture(place, call, namespace)
            return ""
        from .recall import recalled

        text = recalled(place, event, call, namespace, deadline)
        if not text:
            return ""
        return json.dumps({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}})
    except Exception as error:
        note(place, event, error, time.monotonic() - begun)
        return ""


def read_hook_call(read: Callable[[int], bytes]) -> dict[str, Any]:
    """The call as Claude Code describes it; empty if it is not one."""
    data = read(MOST_INPUT + 1)
    if len(data) > MOST_INPUT:
        while read(1024 * 1024):  # whoever writes must not meet a closed pipe
            pass
        return {}
    try:
        call = foreign_json.loads(data)
    except ValueError:
        return {}
    return call if isinstance(call, dict) else {}


def find_daemon_folder(options: dict[str, str]) -> DaemonFolder | None:
    """The daemon's folder in the store; None if there is no such store."""
    from pathlib import Path

    from ..daemon.folder import place_in

    given = options.get("store") or os.environ.get("ENGRAMMA_STORE")
    if given:
        store = Path(given).expanduser()
    elif sys.platform == "linux" and not os.environ.get("XDG_DATA_HOME"):
        store = Path.home() / ".local" / "share" / "engramma"  # what the next lines say, without their imports
    else:
        from ...config.settings import default_store_path

        store = default_store_path()
    return place_in(store) if store.is_dir() else None


def options_of(arguments: list[str]) -> dict[str, str] | None:
    """The options; None if help is asked for. What is not known is ignored: a newer version may have written it."""
    options: dict[str, str] = {}
    rest = iter(arguments)
    for argument in rest:
        if argument in ("-h", "--help"):
            return None
        name, sign, value = argument.partition("=")
        if name in ("--store", "--namespace", "--seconds"):
            options[name[2:]] = value if sign else next(rest, "")
    return options


def seconds_of(options: dict[str, str]) -> float:
    try:
        given = float(options.get("seconds") or os.environ.get("ENGRAMMA_HOOK_SECONDS") or SECONDS)
    except ValueError:
        return SECONDS
    return min(max(given, 0.05), 60.0) if given == given else SECONDS


def note(place: DaemonFolder | None, event: str, error: Exception, seconds: float) -> None:
    """A line in the daemon's folder that says what failed, and nothing of what was said."""
    try:
        if place is None or not place.folder.is_dir():
            return
        log = place.folder / "hook.log"
        if log.exists() and log.stat().st_size > MOST_LOG:
            os.replace(log, log.with_suffix(".log.1"))
        when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        with os.fdopen(descriptor, "a", encoding="ascii") as file:
            file.write(f"{when} {event} {type(error).__name__} after {seconds * 1000:.0f} ms\n")
    except OSError:
        pass
