"""How a command ends that was stopped: by Ctrl-C, a signal, a reader that has enough, or a full disk.

A signal that would end the process at once leaves half-made copies of a memory on the disk, so it ends a command as an
exception does: what was begun is cleared away. A server ends by its own means.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

INTERRUPTED = 130  # what a shell says of Ctrl-C
SERVERS = ("mcp", "serve", "relay")
DISK_TAKES_NO_MORE = (errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC))


@contextmanager
def ended_by_signals(command: str) -> Iterator[None]:
    """Let a signal to end clear away what the command was about to make; one that is ignored (nohup) stays ignored."""
    kinds = () if command in SERVERS else ("SIGTERM", "SIGHUP")
    taken = list[signal.Signals]()
    for told in (getattr(signal, name) for name in kinds if hasattr(signal, name)):
        with suppress(ValueError):  # not in the main thread
            if signal.getsignal(told) is signal.SIG_DFL:
                signal.signal(told, lambda number, _: sys.exit(128 + number))
                taken.append(told)
    try:
        yield
    finally:
        for told in taken:
            signal.signal(told, signal.SIG_DFL)


def give_streams() -> None:
    """A stream that who started us closed takes everything and gives nothing; a terminal may know few letters."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            descriptor = os.open(os.devnull, os.O_RDONLY if mode == "r" else os.O_WRONLY)
            setattr(sys, name, os.fdopen(descriptor, mode, encoding="utf-8"))
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]


def unwritten() -> OSError | None:
    """Send off all that was printed; why it could not be. Python would only notice at its very end.

    A reader who has enough of our pipe is no failure.
    """
    try:
        sys.stdout.flush()
    except OSError as error:
        with suppress(OSError, ValueError):  # what waits is not tried again when Python ends
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, sys.stdout.fileno())
            os.close(nowhere)
        return None if isinstance(error, BrokenPipeError) else error
    return None


def is_no_room(error: OSError) -> bool:
    """Whether a disk takes no more, of a file or of what is printed."""
    return error.errno in DISK_TAKES_NO_MORE


def full_words(error: OSError) -> str:
    where = f" {error.filename}" if error.filename else " what was asked for"
    return f"engramma: cannot write{where}: {error.strerror}. Free some space and run the same command again."
