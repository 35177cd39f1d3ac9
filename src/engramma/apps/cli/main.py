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
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by who started us
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8"))
        getattr(sys, name).reconfigure(errors="backslashreplace")  # a terminal may know few letters
    guard()
    try:
        app()
    except EngrammaError as error:
        say(f"engramma: {error}")
        sys.exit(1)
    except KeyboardInterrupt:
        say("engramma: interrupted; what was stored until then is kept")
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our pipe has enough
        sys.exit(0)
    except Exception:
        say(traceback.format_exc().rstrip())  # a bug of ours: its message may quote what was read
        sys.exit(1)
