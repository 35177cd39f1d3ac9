"""sqlite-vec: an exact scan inside a SQLite file. Through apsw, since many a Python cannot load extensions.

It knows no dot product. One more dimension makes all vectors equally long, and then the nearest by distance
are the nearest by dot product: |q - v|² = |q|² + LENGTH - 2 q·v.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..vector_index import Keys, Similarities, Vectors
from .backend import Stamp, list_numbers, missing, read_statements
from .settings import IndexSettings

LENGTH = 1.01  # of the lengthened vectors, squared: a little more than any float16 unit vector has
BUSY_MILLISECONDS = 5_000

SQL = read_statements(__file__)


class SqliteVecBackend:
    """Vectors in one file, which any number of processes may use."""

    name = "sqlite-vec"
    most = 4_096  # sqlite-vec's own limit

    def __init__(self, settings: IndexSettings, name: str, dimension: int, folder: Path) -> None:
        try:
            import apsw
            import sqlite_vec
        except ImportError as error:
            raise missing("sqlite-vec", error) from error
        path = folder / f"{name}.{self.name}"
        self.where = str(path)
        folder.mkdir(parents=True, exist_ok=True)
        self._width = dimension + 1
        self._db: Any = apsw.Connection(str(path))
        path.chmod(0o600)
        self._db.set_busy_timeout(BUSY_MILLISECONDS)
        self._db.enable_load_extension(True)
        self._db.load_extension(sqlite_vec.loadable_path())
        self._db.enable_load_extension(False)
        for pragma in ("journal_mode = WAL", "synchronous = NORMAL", "secure_delete = ON"):
            self._db.execute(f"PRAGMA {pragma}")
        self._db.execute(SQL["begin"])
        self._db.execute(SQL["create"].replace("{width}", str(int(self._width))))

    def stamp(self) -> Stamp | None:
        for (value,) in self._db.execute(SQL["stamp"]):
            found: Stamp = json.loads(value)
            return found
        return None

    def mark(self, stamp: Stamp) -> None:
        self._db.execute(SQL["mark"], (json.dumps(stamp),))

    def clear(self) -> None:
        """Written anew, the file has no trace left of what was dropped."""
        with self._db:
            self._db.execute(SQL["drop"])
            self._db.execute(SQL["unstamp"])
            self._db.execute(SQL["create"].replace("{width}", str(int(self._width))))
        self._db.execute("VACUUM")
        self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def add(self, keys: Keys, vectors: Vectors) -> None:
        rows = lengthened(vectors)
        with self._db:
            self._db.executemany(SQL["remove"], [(key,) for key in list_numbers(keys)])
            self._db.executemany(
                SQL["add"], [(k, row.tobytes()) for k, row in zip(list_numbers(keys), rows, strict=True)]
            )

    def remove(self, keys: Keys) -> None:
        with self._db:
            self._db.executemany(SQL["remove"], [(key,) for key in list_numbers(keys)])

    def nearest(self, query: Vectors, k: int) -> tuple[Keys, Similarities]:
        wanted = np.append(query.astype(np.float32), np.float32(0))
        rows = self._db.execute(SQL["nearest"], (wanted.tobytes(), k)).fetchall()
        found = np.array(rows, dtype=np.float64).reshape(len(rows), 2)
        long = float(wanted.astype(np.float64) @ wanted.astype(np.float64))
        return found[:, 0].astype(np.int64), (long + LENGTH - found[:, 1] ** 2) / 2

    def count(self) -> int:
        return int(self._db.execute(SQL["count"]).fetchone()[0])

    def settle(self) -> None:
        """Nothing: it scans."""

    def close(self) -> None:
        self._db.close()


def lengthened(vectors: Vectors) -> NDArray[np.float32]:
    """Vectors with one more dimension that makes all of them equally long."""
    rows = np.zeros((len(vectors), vectors.shape[1] + 1), dtype=np.float32)
    rows[:, :-1] = vectors
    squared = np.einsum("ij,ij->i", rows[:, :-1].astype(np.float64), rows[:, :-1].astype(np.float64))
    rows[:, -1] = np.sqrt(np.maximum(LENGTH - squared, 0))
    return rows
