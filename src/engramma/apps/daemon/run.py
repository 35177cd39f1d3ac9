"""Serves a store: takes the lock, listens, runs a worker, and shuts down cleanly."""

from __future__ import annotations

import logging
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ...config.trust import note_named_addresses
from ...config.version import __version__
from ...encryption import handed, is_encrypted
from ...errors import EngrammaError, StoreBusy
from ...files.locks import hold_lock
from ..dashboard.handover import sweep_pages
from .exposure import check_exposure
from .folder import DaemonFolder, place_in, read_json, token_of, write_json
from .logfile import Bounded, Collapsing
from .memories import Memories
from .processes import is_lock_held
from .scribe import WorkerScribe
from .settings import DaemonSettings, daemon_addresses
from .spool import Spool
from .state import Daemon

if TYPE_CHECKING:
    from .connections import GuardedServer

GRACE_SECONDS = 10  # for replies that are still on their way when the daemon is told to stop
BACKLOG = 2048

logger = logging.getLogger("engramma.daemon")


class CannotListen(EngrammaError):
    """The address is taken or not this machine's."""


def serve(
    store: Path,
    namespace: str,
    settings: DaemonSettings,
    ready: Callable[[Daemon], None] = lambda _: None,
    log: Collapsing | None = None,
) -> None:
    """Serve until told to stop (SIGTERM, Ctrl-C)."""
    import uvicorn

    from ..proxy.exchange import told_of
    from .app import build_app
    from .connections import BoundedListener, Connection, Door, GuardedServer, most_connections

    check_exposure(settings)
    place = place_in(store)
    memories = Memories(store)
    memories.get(namespace, create=True)  # makes the store if there is none, and says what is wrong with it
    with only_one(place), _listening(settings.host, settings.port) as socket_:
        door = Door(most_connections())
        listener = BoundedListener(fileno=socket_.detach())
        listener.door = door
        command = [sys.executable, "-m", "engramma.apps.daemon.worker", str(store), namespace]
        spool = Spool(place.spool, settings.spool_items, settings.spool_bytes)
        scribe = WorkerScribe(
            command,
            handing=lambda: handed(store),
            lay_aside=lambda frame: spool.note_failed("frame", told_of(frame)),
        )
        port = listener.getsockname()[1]
        daemon = Daemon(store, place, memories, spool, scribe, token_of(place), settings, port, namespace)
        config = uvicorn.Config(
            build_app(daemon),
            loop="asyncio",  # another loop would not ask the listener whether there is room
            http=cast(Any, partial(Connection, door)),
            ws="none",
            ssl_certfile=settings.tls_cert or None,
            ssl_keyfile=settings.tls_key or None,
            log_config=None,
            access_log=False,  # paths hold keys, and what is asked is nobody's business
            server_header=False,
            date_header=False,
            lifespan="on",
            timeout_graceful_shutdown=GRACE_SECONDS,
            backlog=BACKLOG,
        )

        server = GuardedServer(config, door, [Bounded(place.log, log).look, daemon.visitors.tidy], daemon.closing.set)
        server.each_second += (partial(end_without, place.lock, place.lock.stat().st_ino, server),)
        write_json(place.state, _state_of(daemon))
        # confirmed by now: the settings' own were checked, the others were given in so many words
        note_named_addresses(store, *daemon_addresses({"upstreams": daemon.upstreams}), lasting=True)
        write_json(place.upstreams, {"upstreams": dict(daemon.upstreams)})
        scribe.start()
        try:
            ready(daemon)
            threading.Thread(target=warm_up, args=(memories, namespace), name="warm-up", daemon=True).start()
            logger.info("engramma %s serves %s at %s", __version__, store, daemon.url)
            for told in (signal.SIGTERM, signal.SIGINT):  # the server ends by them, and then sends them once more
                signal.signal(told, lambda *_: None)
            server.run(sockets=[listener])
        finally:
            listener.close()
            daemon.visitors.turn_out()
            scribe.close()
            memories.close()
            place.state.unlink(missing_ok=True)
            logger.info("stopped")


def warm_up(memories: Memories, namespace: str) -> None:
    """Load the encoder and the index before somebody waits for them."""
    try:
        memory = memories.get(namespace)
        memory.admin.warm_up("warm up")
        memory.admin.edge_threshold()
    except (EngrammaError, OSError) as error:  # whoever asks first is told what is wrong
        logger.warning("not ready for questions: %s", error)


def end_without(lock: Path, inode: int, server: GuardedServer) -> None:
    """End a daemon whose folder was deleted or moved: no command would find it, and its memory must not come back."""
    try:
        is_there = lock.stat().st_ino == inode
    except OSError as error:
        is_there = not isinstance(error, FileNotFoundError)  # a disk in trouble may come back
    if not is_there and not server.should_exit:
        logger.warning("%s is gone: the daemon ends", lock.parent)
        server.should_exit = True


def _state_of(daemon: Daemon) -> dict[str, object]:
    told: dict[str, object] = {
        "pid": os.getpid(),
        "lock": daemon.place.lock.stat().st_ino,
        "host": daemon.settings.host,
        "port": daemon.port,
        "url": daemon.url,
        **({} if is_encrypted(daemon.store) else {"namespace": daemon.namespace}),  # a name; nobody needs it here
        "version": __version__,
        "started_at": time.time(),
    }
    return {**told, "tls_cert": str(Path(daemon.settings.tls_cert).absolute())} if daemon.settings.tls_cert else told


@contextmanager
def _listening(host: str, port: int) -> Iterator[socket.socket]:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        raise CannotListen(f"Cannot listen on {host}:{port}: {error.strerror}. Choose another with --port.") from error
    with listener:
        yield listener


@contextmanager
def only_one(place: DaemonFolder) -> Iterator[None]:
    """The store's daemon lock, held as long as the process lives: two daemons would fight over the spool."""
    place.make()
    with hold_lock(place.lock) as is_alone:
        if not is_alone:
            other = read_json(place.state)
            where = f" at {other['url']} (process {other['pid']})" if "url" in other else ""
            raise StoreBusy(f"A daemon already serves this memory{where}. `engramma stop` stops it.")
        place.state.unlink(missing_ok=True)  # of one that was killed: its process and port are others' by now
        sweep_pages(place.folder)
        yield


def is_running(place: DaemonFolder) -> bool:
    """Does a daemon hold the lock?"""
    return is_lock_held(place.lock)
