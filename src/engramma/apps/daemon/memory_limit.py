"""Limits the worker's memory, so that one exchange cannot use all that the machine has.

On Linux the system itself refuses more (RLIMIT_DATA counts what is really writable and private; RLIMIT_AS would also
count the address space that onnxruntime, faiss and threads reserve and never touch). The call that asked fails with
MemoryError, and the worker lays that one exchange aside. Elsewhere a thread looks at what the process takes and ends
it; the next worker goes on, without the exchange once it has failed twice.
"""

from __future__ import annotations

import os
import sys
import threading
from contextlib import suppress
from pathlib import Path

MIB = 1024 * 1024
# The largest encoder takes about 1.5 GiB, the smallest 0.3; masking an exchange of 32 MiB takes less than 0.5.
BASE = 2048 * MIB
# Beside them stands the index of what is stored: it is read from these files, and twice in memory while it is built.
TIMES_STORED = 3
LOOK_SECONDS = 0.25
OVER = 86  # the exit code of a worker that took too much, where the system does not refuse


def limit_for(store: Path, asked_mib: int | None = None) -> int | None:
    """Bytes that a store's worker may take; None: as many as there are (0 in the settings)."""
    if asked_mib is not None:
        return asked_mib * MIB or None
    database = store / "memory.db"
    if not database.exists() and (machine := memory_of_machine()) is not None:
        return max(BASE, machine * 3 // 4)  # on a server: nobody here knows how much it holds
    stored = sum(_size_of(path) for path in (database, *store.glob("index/*")))
    return BASE + TIMES_STORED * stored


def _size_of(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def memory_of_machine() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return None


def limit_memory(most: int | None) -> bool:
    """Let the system refuse more than this to the present process; False where it does not. May be called again."""
    if sys.platform != "linux":
        return False
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    wanted = resource.RLIM_INFINITY if most is None else most
    if hard != resource.RLIM_INFINITY:
        wanted = hard if wanted == resource.RLIM_INFINITY else min(wanted, hard)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_DATA, (wanted, hard))
        return True
    return False


def watch_memory(most: int) -> threading.Thread:
    """End this process once it has taken more than this: for systems that refuse nothing."""

    def look() -> None:
        pause = threading.Event()
        while not pause.wait(LOOK_SECONDS):
            if (taken := taken_by_process()) is not None and taken > most:
                sys.stderr.write(
                    f"the worker took {taken // MIB} MiB, more than its limit of {most // MIB}, and exits\n"
                )
                sys.stderr.flush()
                os._exit(OVER)

    thread = threading.Thread(target=look, name="memory", daemon=True)
    thread.start()
    return thread


def taken_by_process() -> int | None:
    """The most bytes of memory that this process has ever had; None where that is not told."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024
