"""The `engramma` command: parse, one Memory call, render. Heavy imports wait inside the commands."""

from __future__ import annotations

import atexit
import gc
import os
import sys
import traceback
from typing import Annotated

import typer

from ...errors import EngrammaError
from .areas import EveryCommand
from .common import JsonOption, NamespaceOption, StoreOption, app, chosen, say
from .endings import INTERRUPTED, full_words, give_streams, is_no_room, unwritten
from .passphrase import may_ask
from .terminal import guard

# A command makes tens of thousands of objects that stay (modules, classes, patterns). Looking through them again and
# again for cycles takes a fourteenth of a cold recall; long commands still come to it.
OBJECTS_BEFORE_COLLECTION = 100_000


def show_version(value: bool) -> None:
    if value:
        from ...config.version import __version__

        typer.echo(f"engramma {__version__}")
        raise typer.Exit


@app.callback(cls=EveryCommand)
def options(
    context: typer.Context,
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    json: JsonOption = False,
    version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    chosen.store, chosen.namespace, chosen.json = store, namespace, json
    chosen.command = context.invoked_subcommand or ""
    may_ask()


def run() -> None:
    """The entry point: our errors become a message and an exit code, never a traceback."""
    # Our products are small, or shared out by threads of our own: a thread of numpy's that waits for them burns a core.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.set_threshold(OBJECTS_BEFORE_COLLECTION, *gc.get_threshold()[1:])
    atexit.register(gc.freeze)  # the process ends: Python would look through all objects for cycles once more
    give_streams()
    guard()
    code = exit_code()
    if (error := unwritten()) is not None and code == 0:
        say(full_words(error))
        code = 1
    sys.exit(code)


def exit_code() -> int:
    """Run the command; what it ends with."""
    try:
        app()
    except SystemExit as end:  # so Typer ends, whatever happened
        if isinstance(end.code, str):  # last words, which Python prints
            raise
        code = int(end.code or 0)
        if code == INTERRUPTED:
            say("engramma: interrupted; what was stored until then is kept")
        return code
    except KeyboardInterrupt:  # while it ended
        return INTERRUPTED
    except EngrammaError as error:
        say(f"engramma: {error}")
    except Exception as error:
        if isinstance(error, OSError) and is_no_room(error):
            say(full_words(error))
        elif isinstance(error, RuntimeError) and "home directory" in str(error):  # pathlib's words for ~
            say("engramma: There is no such home directory. Set HOME, or write the path without ~.")
        elif isinstance(error, UnicodeEncodeError):  # of a path; what is remembered is checked when it comes in
            say("engramma: A name has bytes that are not UTF-8, and this cannot be done with it. Rename it first.")
        else:
            say(traceback.format_exc().rstrip())  # a bug of ours: its message may quote what was read
    return 1
