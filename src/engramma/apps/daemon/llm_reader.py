"""Extracts claims with a language model in a separate thread of the worker, so that nothing waits for a model."""

from __future__ import annotations

import threading
from typing import Protocol

from ...config.settings import load_config
from ...errors import EngrammaError, RemoteFailed, StoreNotFound
from ...models.llm import llm_settings
from .counts import Counts
from .memories import Memories

LOOK_SECONDS = 30.0  # between two looks for closed sessions


class LLMReadingWorker(Protocol):
    """What a worker that reads with a model needs: its memories, a stop signal, and where to report failures."""

    memories: Memories
    namespace: str
    ended: threading.Event
    counts: Counts

    def failed(self, what: str, error: Exception) -> None: ...


def start_reading(worker: LLMReadingWorker) -> threading.Thread | None:
    """Start the thread if the store has a model for the background; it ends with the worker."""
    try:
        settings = llm_settings(load_config(worker.memories.store).llm)
    except EngrammaError as error:
        worker.failed("model", RemoteFailed(str(error)))  # settings hold no word of the talk
        return None
    if settings is None or not settings.background:
        return None
    thread = threading.Thread(target=keep_reading, args=(worker,), name="reading", daemon=True)
    thread.start()
    return thread


def keep_reading(worker: LLMReadingWorker, seconds: float = LOOK_SECONDS) -> None:
    """Read what waits in every namespace, again and again, until the daemon ends."""
    told = ""
    while not worker.ended.wait(seconds):
        try:
            trouble = read_all(worker)
        except (EngrammaError, OSError) as error:
            if not worker.ended.is_set():
                worker.failed("model", error)
            continue
        if trouble and trouble != told:  # a server that is away is told of once, not twice a minute
            worker.failed("model", RemoteFailed(trouble))
        told = trouble


def read_all(worker: LLMReadingWorker) -> str:
    """Read what waits; returns why the model could not be asked, if so."""
    memory, trouble = worker.memories.get(worker.namespace, create=True), ""
    for name in [one.name for one in memory.namespaces.all()]:
        try:
            report = worker.memories.get(name).llm.extract(is_over=worker.ended.is_set)
        except StoreNotFound:  # deleted meanwhile
            continue
        if report.pieces:
            worker.counts.add(read_by_model=report.pieces, claims_by_model=report.kept)
        if report.ended not in ("done", "busy", "stopped"):
            trouble = report.ended
    return trouble
