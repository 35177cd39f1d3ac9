"""Records the health of an external index in a small file, so that every process can see it."""

from __future__ import annotations

import json
import os
import secrets
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Health:
    """Which backend finds neighbours, its state, and its error if it has one."""

    backend: str
    where: str
    state: str  # ready, catching up, failed, not asked yet
    behind: int = 0  # changes, or rows of a first fill, that it does not know yet
    error: str | None = None
    namespace: str = "default"

    @property
    def is_well(self) -> bool:
        return self.state == "ready"

    def __str__(self) -> str:
        if self.state == "failed":
            return f"{self.backend} at {self.where}: failed ({self.error}); the built-in scan answers"
        if self.state == "catching up":
            return f"{self.backend} at {self.where}: {self.behind} changes behind; the built-in scan answers"
        return f"{self.backend} at {self.where}: {self.state}"


def write_health(folder: Path, ns: int, told: Health) -> None:
    """Put the file in its place whole."""
    folder.mkdir(exist_ok=True)
    new = folder / f"{ns}.health.{os.getpid()}.new"
    new.write_text(json.dumps(asdict(told)), encoding="utf-8")
    new.replace(folder / f"{ns}.health")


def read_healths(folder: Path, backend: str) -> list[Health]:
    """What was told last of an engine, by any process: a line a namespace that asked for it."""
    found = []
    for path in sorted(folder.glob("*.health")):
        try:
            found.append(Health(**json.loads(path.read_text(encoding="utf-8"))))
        except (OSError, ValueError, TypeError):
            continue
    return [one for one in found if one.backend == backend]


def place_token(folder: Path, database: Path) -> str:
    """Tells this store from a copy of its directory, which has the same id: the copy's database is another file."""
    path = folder / "place"
    try:
        inode = database.stat().st_ino
    except OSError:
        return ""  # the database is not a file here: there is only one
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        if kept["inode"] == inode:
            return str(kept["token"])
    except (OSError, ValueError, TypeError, KeyError):
        pass
    token = secrets.token_hex(8)
    folder.mkdir(exist_ok=True)
    new = folder / f"place.{os.getpid()}.new"
    new.write_text(json.dumps({"token": token, "inode": inode}), encoding="utf-8")
    new.replace(path)
    return token
