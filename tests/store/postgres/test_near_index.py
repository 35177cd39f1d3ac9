"""The HNSW index of a large namespace: made when it is due, asked by SQL, and gone before other vectors come."""

from __future__ import annotations

import json
from datetime import timedelta

import numpy as np
import pytest

from engramma import Memory
from engramma.admin.reindex import reindex
from engramma.store.postgres import statements
from engramma.store.postgres.values import vector_text
from engramma.transfer.imports import import_file
from tests.conftest import START
from tests.fakes import HashEmbedder

pytestmark = pytest.mark.engines


class Longer(HashEmbedder):
    """Vectors of another length."""

    dimension = 128


@pytest.fixture
def few(monkeypatch):
    """Twenty live segments are many."""
    monkeypatch.setitem(
        statements.queries("postgres_engine.sql"),
        "near_due",
        statements.queries("postgres_engine.sql")["near_due"].replace("20000", "20"),
    )
    statements.statement.cache_clear()
    yield
    monkeypatch.undo()
    statements.statement.cache_clear()


def write(path, sessions: int):
    rows = [{"engramma": 1, "kind": "export", "namespace": "default"}]
    for n in range(sessions):
        place = {"conversation": "c", "session": f"s{n}"}
        rows += [
            {"type": "session", "conversation": "c", "id": f"s{n}", "closed": True},
            {"type": "turn", **place, "id": "t", "speaker": "Ann", "text": f"talk number {n}",
             "said_at": (START + timedelta(days=n)).isoformat()},
        ]  # fmt: skip
    rows.insert(1, {"type": "conversation", "id": "c", "title": None, "source": None})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def near_indexes(memory: Memory) -> list[str]:
    database = memory._core.store.database
    return [row["name"] for row in database.ask("near_indexes", schema=database.address.schema)]


def test_it_is_made_when_a_namespace_has_grown_and_goes_before_a_reindex(few, tmp_path):
    with Memory.open(tmp_path / "store", embedder=HashEmbedder()) as memory:
        import_file(memory._core, write(tmp_path / "few.jsonl", 10))
        assert near_indexes(memory) == []
        import_file(memory._core, write(tmp_path / "many.jsonl", 30))
        assert near_indexes(memory) == [f"embeddings_near_{memory._core.store.ns}"]
        import_file(memory._core, write(tmp_path / "more.jsonl", 32))
        asked = np.asarray(memory._core.embedder.embed(["Ann: talk number 31"])[0], dtype="<f2").tobytes()
        found = memory._core.store.database._with_connection(
            lambda c: c.execute("SELECT content FROM match_memories(%s::vector)", (str(vector_text(asked)),)).fetchall()
        )
        assert found[0][0] == "Ann: talk number 31"
    with Memory.open(tmp_path / "store", embedder=HashEmbedder()) as memory:
        reindex(memory._core, Longer("longer"), "longer")
    with Memory.open(tmp_path / "store", embedder=Longer("longer")) as memory:
        assert near_indexes(memory) == [f"embeddings_near_{memory._core.store.ns}"]
        assert memory.recall("talk number 7", recipe="vector").candidates[0].text == "talk number 7"


@pytest.mark.parametrize("maker", ["import", "SQL"])
def test_a_large_one_is_made_by_one_process_where_several_would_stop_the_server(few, maker, tmp_path):
    """pgvector for ARM: a parallel build, which a table of 8 MB gets, dies where the processor has no SVE."""
    with Memory.open(tmp_path / "store", embedder=HashEmbedder()) as memory:
        said = memory._core.store.database._with_connection
        said(lambda c: c.execute("ALTER TABLE embeddings SET (parallel_workers = 2)"))
        import_file(memory._core, write(tmp_path / "few.jsonl", 19 if maker == "SQL" else 60))
        if maker == "SQL":
            said(lambda c: c.execute("SELECT index_memories('default')"))
        assert near_indexes(memory) == [f"embeddings_near_{memory._core.store.ns}"]
        workers = said(lambda c: c.execute("SHOW max_parallel_maintenance_workers").fetchone()[0])
        assert int(workers) > 0, "what was set for the making stayed with the connection"
