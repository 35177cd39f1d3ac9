"""The command that serves MCP on stdin and stdout: mcp."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from ...errors import BadInput
from .common import chosen, command, store_path


class Compat(StrEnum):
    """Other servers whose tools can be served."""

    reference = "reference"


@command("mcp", without=("json",))
def mcp(
    read_only: Annotated[bool, typer.Option("--read-only", help="Offer only the tools that read.")] = False,
    compat: Annotated[
        Compat | None,
        typer.Option(help="Serve the tools of the reference memory server instead.", show_default=False),
    ] = None,
    root: Annotated[
        list[Path] | None,
        typer.Option(
            help="A folder memory_ingest may read documents from; repeatable. Without one it reads no paths.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Serve this memory to an assistant over MCP on stdin and stdout."""
    from ..mcp.lazy_memory import LateMemories
    from ..mcp.serve import log_to_stderr, run_stdio, server

    log_to_stderr()
    memories, name = LateMemories(store_path()), chosen.namespace or "default"
    if missing := [one for one in root or [] if not one.expanduser().is_dir()]:
        raise BadInput(f"--root {missing[0]}: there is no such folder.")
    roots = [one.expanduser() for one in root or []]
    made = server(memories, name, read_only=read_only, compat=compat and compat.value, roots=roots)
    run_stdio(made, memories, name, create=not read_only)
