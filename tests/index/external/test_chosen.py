"""An engine is chosen, refused, switched, and walks a graph where there is much."""

from __future__ import annotations

import sys

import pytest
from typer.testing import CliRunner

from engramma import BadInput, Memory, StoreError
from engramma.admin import switch_index as engines_module
from engramma.admin.switch_index import healths, write_choice
from engramma.apps.cli.main import app
from engramma.config.settings import Config
from engramma.index.external.settings import index_settings
from tests.index.external.engines import PLACES, Placed, Store
from tests.index.external.test_failing import found, state, wanted

pytestmark = pytest.mark.engines


@pytest.mark.parametrize(
    ("table", "wrong"),
    [
        ({"backend": "oracle"}, "backend must be one of"),
        ({"backend": "pgvector"}, "needs a url"),
        ({"backend": "faiss", "url": "http://localhost"}, "has no url"),
        ({"backend": "qdrant", "url": "ftp://localhost"}, "must begin with"),
        ({"backend": "qdrant", "url": "http://example.org:6333"}, "must be https"),
        ({"backend": "qdrant", "url": "https://me:secret@example.org"}, "must not hold a password"),
        ({"backend": "qdrant", "url": "http://localhost:6333", "path": "x"}, "not both"),
        ({"backend": "qdrant", "timeout": 0}, "timeout must be"),
        ({"backend": "qdrant", "api_key": "secret"}, "unknown setting"),
    ],
)
def test_settings_that_cannot_work_are_refused(table, wrong, tmp_path):
    with pytest.raises(BadInput, match=wrong):
        index_settings(table)
    with pytest.raises(BadInput, match=wrong):
        Memory.open(tmp_path / "store", embedder=Placed(), config=Config(index=table))


@pytest.mark.parametrize(
    ("backend", "package"),
    [("sqlite-vec", "apsw"), ("chroma", "chromadb"), ("qdrant", "qdrant_client"), ("pgvector", "psycopg")],
)
def test_a_missing_extra_is_named_and_recall_goes_on(backend, package, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    table = {"backend": backend} | ({"url": "postgresql:///x"} if backend == "pgvector" else {})
    store = Store(tmp_path / "store", table, rows=12)
    assert found(store) == wanted(store)
    assert f"pip install 'engramma[{backend}]'" in store.follower.health().error
    with pytest.raises(StoreError, match="could not be filled"):
        engines_module.fill_engine(store.memory._core)
    store.memory.close()


def test_an_engine_is_chosen_filled_and_left_again(tmp_path, postgres):
    pytest.importorskip("apsw")
    store = Store(tmp_path / "store", {}, rows=25)
    config = store.folder / "config.toml"
    config.write_text("edge_floor = 0.97\n[recipes.default]\npool = 50\n", encoding="utf-8")
    for backend, url in (("sqlite-vec", None), ("pgvector", postgres), ("faiss", None)):
        engines_module.switch(store.memory._core, backend, url)
        store.memory.close()
        store.memory = Memory.open(store.folder, embedder=Placed())
        assert store.memory._core.index_settings.backend == backend
        assert store.memory.config.edge_floor == 0.97 and store.memory.config.recipes == {"default": {"pool": 50}}
        assert found(store) == wanted(store)
        left = sorted(path.name for path in (store.folder / "index").glob("1.*"))
        assert [name for name in left if "sqlite-vec" in name] == [] or backend == "sqlite-vec"
        assert [one.state for one in healths(store.folder)] == ([] if backend == "faiss" else ["ready"])
    store.memory.close()


def test_config_toml_keeps_everything_else(tmp_path):
    path = tmp_path / "config.toml"
    path.write_text('# mine\nedge_cap = 9\n\n[index]\nbackend = "chroma"\n\n[llm]\nmodel = "m"\n', encoding="utf-8")
    write_choice(path, {"backend": "qdrant", "url": "http://localhost:6333"})
    text = path.read_text(encoding="utf-8")
    assert text.startswith("# mine\nedge_cap = 9\n") and '[llm]\nmodel = "m"\n' in text
    assert text.endswith('[index]\nbackend = "qdrant"\nurl = "http://localhost:6333"\n') and "chroma" not in text


def test_the_command_line_switches_the_engine_and_shows_how_it_is(tmp_path, monkeypatch):
    pytest.importorskip("apsw")
    monkeypatch.setattr("engramma.models.load.load", lambda spec=None: Placed())
    monkeypatch.setattr("engramma.core.embedder.load", lambda spec=None: Placed())
    store = Store(tmp_path / "store", {}, rows=12)
    store.memory.close()

    def run(*words: str):
        return CliRunner().invoke(app, [*words, "--store", str(store.folder)])

    assert "--backend" in str(run("reindex", "--url", "http://localhost").exception)
    told = run("reindex", "--backend", "sqlite-vec")
    assert told.exit_code == 0 and "found by sqlite-vec from now on" in told.stdout
    assert "sqlite-vec at" in run("stats").stdout and "index     default: sqlite-vec at" in run("status").stdout
    assert "ok   index backend: sqlite-vec at" in run("doctor", "--verbose").stdout
    monkeypatch.setitem(sys.modules, "apsw", None)
    broken = run("doctor")
    assert broken.exit_code == 3 and "BAD  index backend" in broken.stdout
    assert "failed" in run("status").stdout and "pip install 'engramma[sqlite-vec]'" in run("status").stdout


def test_many_rows_of_pgvector_are_found_through_its_graph(tables, tmp_path, monkeypatch):
    table = tables("pgvector")
    monkeypatch.setattr("engramma.index.external.pgvector.GRAPH_FROM", 100)
    store = Store(tmp_path / "store", table)
    store.follower.fill()
    backend = store.follower._backend
    assert backend._has_graph and backend._rows == len(store.live())
    backend._connected().execute("SET enable_seqscan = off")  # so few rows the server would rather scan
    plan = backend._connected().execute(
        f"EXPLAIN {backend._sql('nearest')}", {"query": backend._text(PLACES[0]), "k": 5}
    )
    assert any(f"{backend._table}_graph" in line for (line,) in plan.fetchall())
    for number in (3, 57, 100):
        assert found(store, number) == wanted(store, number) and state(store) == "ready"
    backend._connected().execute(f"DROP INDEX {backend._table}_graph")  # as of 8 MB, several processes would make it
    backend._connected().execute(f"ALTER TABLE {backend._table} SET (parallel_workers = 2)")
    backend.settle()
    assert backend._has_graph, "pgvector's parallel build stops the server where an ARM processor has no SVE"
    store.memory.close()
