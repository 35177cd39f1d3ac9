"""Builds the commands that start the server and the hooks: absolute paths, because a desktop has no PATH."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from ...config.settings import load_config
from ...errors import BadInput
from ..daemon.client import proven_url
from ..daemon.folder import place_in, token_of
from ..daemon.settings import settings_from
from .clients import ServerEntry

RUN = "from engramma.apps.cli.main import run; run()"


def by_command(store: Path, namespace: str, *, read_only: bool = False, roots: Sequence[Path] = ()) -> ServerEntry:
    """`engramma mcp` of this very installation."""
    folders = [word for root in roots for word in ("--root", str(root.expanduser().resolve()))]
    arguments = ["mcp", *_store(store), *(["--namespace", namespace] if namespace != "default" else [])]
    return ServerEntry((*_program("engramma"), *arguments, *(["--read-only"] if read_only else []), *folders))


def by_daemon(store: Path, namespace: str) -> ServerEntry:
    """The address and token of the daemon that runs, or that will by the store's settings."""
    place = place_in(store)
    url = proven_url(place)  # a client sends the token there from now on
    if url is None:
        settings = settings_from(load_config(store).daemon)
        if not settings.port:
            raise BadInput(f"No daemon serves {store}, and its port is not fixed. Run `engramma start` first.")
        url = f"http://127.0.0.1:{settings.port}"
    headers = {"Authorization": f"Bearer {token_of(place)}"}
    if namespace != "default":
        headers["X-Engramma-Namespace"] = namespace
    return ServerEntry(url=f"{url}/mcp", headers=headers)


def hook_command(store: Path, namespace: str) -> str:
    """The command line of our hook, for a shell."""
    arguments = [*_program("engramma-hook"), *_store(store)]
    arguments += ["--namespace", namespace] if namespace != "default" else []
    return subprocess.list2cmdline(arguments) if sys.platform == "win32" else shlex.join(arguments)


def _program(name: str) -> list[str]:
    """A script of this installation, or this interpreter with the module behind it."""
    folder = Path(os.path.abspath(sys.executable)).parent  # noqa: PTH100  # a venv's link must not be followed
    script = folder / (f"{name}.exe" if sys.platform == "win32" else name)
    if script.is_file():
        return [str(script)]
    # -P: nothing is imported from the folder that the assistant happens to work in.
    module = ["-m", "engramma.apps.hooks"] if name == "engramma-hook" else ["-c", RUN]
    return [str(folder / Path(sys.executable).name), "-P", *module]


def is_passing() -> bool:
    """Whether this installation may be gone tomorrow: uvx and pipx run keep theirs in a cache."""
    parts = Path(sys.executable).parts
    return any(part.startswith("archive-v") for part in parts) or (".cache" in parts and "pipx" in parts)


def usual_store() -> Path:
    """Where the memory lies when nothing is said, in a program with windows as well."""
    import platformdirs

    return Path(platformdirs.user_data_dir("engramma", appauthor=False))


def _store(store: Path) -> list[str]:
    absolute = Path(os.path.abspath(store))  # noqa: PTH100  # a link may be meant
    return [] if absolute == usual_store() else ["--store", str(absolute)]
