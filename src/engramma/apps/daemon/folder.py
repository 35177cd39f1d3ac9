"""Where a daemon keeps its things: a folder in the store. Only the standard library, because hooks read it, too."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import StoreNotWritable
from ...files import foreign_json

FOLDER = "daemon"
MAKING_SECONDS = 0.5  # so long an empty token is waited for
FILES = (  # in the order of Place's fields
    *("token", "lock", "daemon.log", "state.json", "worker.json", "paused", "pauses.json", "trying.json"),
    *("spool", "upstreams.json", "relay.json", "relay.lock", "relay.log"),
)


class DaemonFolder(NamedTuple):  # a dataclass would cost every hook the import of `inspect`
    """The files of a store's daemon."""

    folder: Path
    token: Path
    lock: Path
    log: Path
    state: Path  # process id, address and version of the daemon that runs, or ran last
    counts: Path  # what the worker has done so far, for `status`
    paused: Path  # while this lasts, nothing is captured; it may hold the time at which that ends
    pauses: Path  # from when until when nothing was to be captured: transcripts tell of those times, too
    trying: Path  # the item of the spool that the worker is storing; left behind by one that died over it
    spool: Path
    upstreams: Path  # where the last daemon sent each provider's requests: the relay sends them there without it
    relay: Path  # address and process id of the relay that runs, or ran last: programs were given this address
    relay_lock: Path
    relay_log: Path

    def make(self) -> None:
        """The folder, and the store's around it, for their owner only."""
        try:
            make_private_folders(self.folder.parent, self.folder)
        except OSError as error:
            raise StoreNotWritable(
                f"Cannot create {self.folder}: {error.strerror}. The daemon needs to write to the memory's folder."
            ) from error


def make_private_folders(*folders: Path) -> None:
    """Make folders, the outermost first, for their owner only: `parents=True` leaves the upper ones open to all."""
    for folder in folders:
        folder.mkdir(parents=True, mode=0o700, exist_ok=True)


def place_in(store: Path) -> DaemonFolder:
    folder = store / FOLDER
    return DaemonFolder(folder, *(folder / name for name in FILES))


def is_paused(place: DaemonFolder) -> bool:
    """Whether capture is paused: the file is there, and the time in it, if any, has not come; in doubt it is."""
    try:
        until = place.paused.read_text(encoding="ascii").strip()
        if not until:
            return True
        from datetime import UTC, datetime

        return datetime.fromisoformat(until) > datetime.now(UTC)
    except FileNotFoundError:
        return False
    except (OSError, ValueError, TypeError):
        return True


def token_of(place: DaemonFolder) -> str:
    """The store's token: made at the first start, readable by its owner only."""
    place.make()
    try:
        descriptor = os.open(place.token, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        if token := _written_token(place.token):
            return token
        place.token.unlink(missing_ok=True)  # a crash between making the file and writing it
        return token_of(place)
    import secrets

    token = secrets.token_urlsafe(32)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(token + "\n")
    return token


def _written_token(path: Path) -> str:
    """What stands in a token's file, once whoever makes it just now has written it; nothing if nobody does.

    A file that others may read, as a copy may leave it, is its owner's alone again.
    """
    deadline = time.monotonic() + MAKING_SECONDS
    try:
        if path.is_symlink():  # whose target would be read, and made private, as if it were the token
            raise OSError("it is a link")
        while not (token := path.read_text(encoding="ascii").strip()) and time.monotonic() < deadline:
            time.sleep(0.01)
        if os.name == "posix" and path.stat().st_mode & 0o077:
            path.chmod(0o600)
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise StoreNotWritable(f"Cannot read {path} ({error}). Delete it: the next start makes another.") from error
    return token


def proxy_key(token: str) -> str:
    """What stands in a base URL for the proxy: it lets talk be captured, and nothing be read."""
    return _derived(token, b"proxy")


def inject_key(token: str) -> str:
    """The same with the right to read: what is remembered is added to requests under it, where the daemon does that."""
    return _derived(token, b"proxy that injects")


def relay_key(token: str) -> str:
    """What the relay knows the daemon by."""
    return _derived(token, b"relay")


def relay_proof(key: str, nonce: str, port: int) -> bytes:
    """What only the daemon of this store can answer to a nonce, on the port it listens on: no other would do there."""
    return _derived(key, f"{nonce[:64]}:{port}".encode()).encode()


def _derived(token: str, purpose: bytes) -> str:
    """A key made from the token one way: who has it cannot find the token, nor the key for another purpose."""
    import hashlib
    import hmac

    return hmac.new(token.encode(), purpose, hashlib.sha256).hexdigest()[:32]


def read_json(path: Path) -> dict[str, Any]:
    """A small file of the daemon; empty if it is missing or was cut off."""
    try:
        value = foreign_json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def state_of(place: DaemonFolder) -> dict[str, Any]:
    """What the daemon that serves a store says of itself; empty in a copy of the folder, made while it ran.

    A copy has the token, too, so that daemon could prove to be its own, and would show and change the other memory.
    """
    state = read_json(place.state)
    try:
        return state if "lock" not in state or state["lock"] == place.lock.stat().st_ino else {}
    except OSError:
        return {}


def write_json(path: Path, value: dict[str, Any]) -> None:
    """Replace a small file at once, never half of it."""
    beside = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        beside.write_text(json.dumps(value), encoding="utf-8")
        os.replace(beside, path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
