"""The `engramma` command run in this process, as a shell would run it: the tests of commands start no process each.

That the installed command starts as a process is tested where it matters (tests/docs/test_docs.py, crash, daemon, MCP).
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Mapping
from contextlib import ExitStack, chdir, redirect_stderr, redirect_stdout
from dataclasses import asdict
from pathlib import Path
from subprocess import CompletedProcess
from unittest.mock import patch

from engramma.apps.cli import main
from engramma.apps.cli.common import chosen


def ran(
    *arguments: object,
    cwd: Path | None = None,
    stdin: str | None = None,
    env: Mapping[str, str] | None = None,
    joined: bool = False,
) -> CompletedProcess[str]:
    """What a command printed, where, and its exit code. `joined`: errors among the rest, in the order of printing."""
    given = ["engramma", *map(str, arguments)]
    out = pipe()
    err = out if joined else pipe()
    with ExitStack() as stack:
        stack.enter_context(patch.object(sys, "argv", given))
        stack.enter_context(patch.multiple(chosen, **asdict(chosen)))  # what this command chooses ends with it
        stack.enter_context(patch.object(sys, "stdin", pipe((stdin or "").encode())))
        stack.enter_context(redirect_stdout(out))
        stack.enter_context(redirect_stderr(err))
        if cwd is not None:
            stack.enter_context(chdir(cwd))
        if env is not None:
            stack.enter_context(patch.dict(os.environ, env, clear=True))
        try:
            main.run()
            code = 0
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 0 if ended.code is None else 1
    return CompletedProcess(given, code, said(out), None if joined else said(err))


def pipe(content: bytes = b"") -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(content), encoding="utf-8", newline=None)


def said(stream: io.TextIOWrapper) -> str:
    stream.flush()
    found: bytes = stream.buffer.getvalue()  # type: ignore[attr-defined]
    return found.decode("utf-8")
