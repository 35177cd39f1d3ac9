"""A few threads for the scans; numpy and faiss let go of the interpreter while they work."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from typing import TypeVar

import faiss

T = TypeVar("T")
Span = tuple[int, int]

# A scan is bound by memory bandwidth, which a few cores use up.
MOST_WORKERS = 8


def spans(length: int, least: int) -> list[Span]:
    """Cut a length into one part a worker, none shorter than `least` unless it is the only one."""
    count = max(1, min(worker_count(), length // least))
    edges = [length * part // count for part in range(count + 1)]
    return list(pairwise(edges))


def spread(work: Callable[[Span], T], parts: Sequence[Span]) -> list[T]:
    """Run `work` on every part, each in a thread of its own, and return the results in order."""
    return list(_pool().map(work, parts))


@cache
def worker_count() -> int:
    """The cores this process may use."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(MOST_WORKERS, cores)


@cache
def _pool() -> ThreadPoolExecutor:
    # faiss would start OpenMP threads beside these and they would wait by spinning, which took the
    # cores from whatever came next (a rescoring of 0.5 ms became 8 ms). The setting is a thread's own.
    return ThreadPoolExecutor(worker_count(), "engramma-index", lambda: faiss.omp_set_num_threads(1))


if hasattr(os, "register_at_fork"):
    # A forked child has no such threads, and would wait for them for ever.
    os.register_at_fork(after_in_child=_pool.cache_clear)
