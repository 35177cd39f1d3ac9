"""A few threads to help with scans; numpy and faiss let go of the interpreter while they work."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

T = TypeVar("T")

# A scan is bound by memory bandwidth, which a few cores use up.
MOST_WORKERS = 8


def in_chunks(work: Callable[[slice], T], length: int, chunk: int) -> list[T]:
    """Run `work` on one chunk of rows after the other and return what it gave, in order.

    The caller works too, and does not wait for a helper that has not begun: a core that something else
    keeps busy (a BLAS thread spins for half a second after a matrix product) then costs no time.
    """
    chunks = [slice(start, min(start + chunk, length)) for start in range(0, length, chunk)]
    todo, done = deque(range(len(chunks))), dict[int, T]()

    def drain() -> None:
        while True:
            try:
                number = todo.popleft()
            except IndexError:
                return
            done[number] = work(chunks[number])

    helpers = [_pool().submit(drain) for _ in range(min(len(chunks), worker_count()) - 1)]
    drain()
    for helper in helpers:
        if not helper.cancel():
            helper.result()
    return [done[number] for number in range(len(chunks))]


@cache
def worker_count() -> int:
    """The cores this process may use, up to a few."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(MOST_WORKERS, cores)


@cache
def _pool() -> ThreadPoolExecutor:
    from concurrent.futures import ThreadPoolExecutor  # brings logging along; a small store has one chunk

    return ThreadPoolExecutor(worker_count(), "engramma-index")


if hasattr(os, "register_at_fork"):
    # A forked child has no such threads, and would wait for them for ever.
    os.register_at_fork(after_in_child=_pool.cache_clear)
