"""Another model for the whole store, resumably, while others look on."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from engramma import EmbedderMismatch, Memory
from engramma.admin.doctor import doctor
from engramma.admin.reindex import reindex
from engramma.apps.cli.main import app
from engramma.config.settings import Config
from engramma.errors import StoreNotFound
from engramma.transfer.export import export_lines
from tests.conftest import talk
from tests.fakes import HashEmbedder

pytestmark = pytest.mark.long

BATCH = 64


class Failing(HashEmbedder):
    """Breaks down after some calls, as a machine does that is switched off."""

    def __init__(self, calls: int) -> None:
        super().__init__("new")
        self.calls = calls

    def embed(self, texts, kind="document", progress=None):
        self.calls -= 1
        if self.calls < 0:
            raise RuntimeError("power cut")
        return super().embed(texts, kind, progress)


@pytest.fixture(autouse=True)
def small_batches(monkeypatch):
    """An interrupt meets a reindex after so few segments."""
    monkeypatch.setattr("engramma.admin.reindex.REINDEX_BATCH", BATCH)


def fill(memory, sessions=10):
    for number in range(sessions):
        memory.remember_session(
            "c", f"s{number:02}", talk(*(f"Ana: train {n % 3} rain {number % 5}" for n in range(20)), day=number)
        )


@pytest.fixture
def new_embedder(monkeypatch):
    """The store will ask for its new model by name."""
    import engramma.core.embedder as module

    new = HashEmbedder("new")
    monkeypatch.setattr(module, "load", lambda spec=None: new)
    return new


def test_a_reindexed_store_is_what_it_would_be_with_the_new_model_from_the_start(tmp_path, new_embedder):
    with Memory.open(tmp_path / "a", embedder=HashEmbedder()) as memory:
        fill(memory)
        said = list(export_lines(memory._core))
        assert reindex(memory._core, new_embedder, "new") == 200
        assert list(export_lines(memory._core)) == said
        with Memory.open(tmp_path / "b", embedder=new_embedder) as fresh:
            fill(fresh)
            assert sorted(memory.graph()[1]) == sorted(fresh.graph()[1])
            one, other = memory.recall("rain 3"), fresh.recall("rain 3")
            assert one.candidates == other.candidates
        assert [c for c in doctor(memory._core) if not c.ok] == []


def test_an_interrupted_reindex_goes_on_where_it_stopped(tmp_path, new_embedder):
    with Memory.open(tmp_path / "a", embedder=HashEmbedder()) as memory:
        fill(memory)
        before = memory.recall("rain 3").candidates
        with pytest.raises(RuntimeError, match="power cut"):
            reindex(memory._core, Failing(calls=1), "new")
        assert memory.recall("rain 3").candidates == before, "until the swap the old vectors serve"
        done: list[int] = []
        reindex(memory._core, new_embedder, "new", lambda now, total: done.append(now))
        assert done[0] > BATCH, "the first batch was not embedded again"


def test_a_memory_that_was_open_meanwhile_is_told_to_open_again(tmp_path, new_embedder):
    with (
        Memory.open(tmp_path / "a", embedder=HashEmbedder()) as memory,
        Memory.open(tmp_path / "a", embedder=HashEmbedder()) as other,
    ):
        fill(memory, 3)
        other.recall("rain")
        reindex(memory._core, new_embedder, "new")
        with pytest.raises(EmbedderMismatch, match=r"[Oo]pen it again"):
            other.recall("rain")
        with pytest.raises(EmbedderMismatch):
            other.remember_session("c", "late", talk("Ana: too late", day=90))


def test_what_was_forgotten_is_left_out_and_comes_back_by_the_new_model(tmp_path, new_embedder):
    with Memory.open(tmp_path / "s", embedder=HashEmbedder()) as memory:
        fill(memory, sessions=3)
        act = memory.forget(session="s01").act
        assert reindex(memory._core, new_embedder, "new") == 40
    with Memory.open(tmp_path / "s", embedder=new_embedder) as memory:
        assert [check for check in doctor(memory._core) if not check.ok] == []
        memory.undo(act)
        assert [check for check in doctor(memory._core) if not check.ok] == []
        found = memory.recall("Ana: train 1 rain 1", recipe="vector").candidates[0]
        assert found.segment_id.startswith("seg_c/s01_")


def test_every_namespace_is_reindexed(tmp_path, new_embedder):
    with Memory.open(tmp_path / "a", "one", embedder=HashEmbedder()) as one:
        fill(one, 2)
    with Memory.open(tmp_path / "a", "two", embedder=HashEmbedder()) as two:
        fill(two, 3)
        assert reindex(two._core, new_embedder, "new") == 100
    for name in ("one", "two"):
        with Memory.open(tmp_path / "a", name, embedder=new_embedder) as memory:
            assert [c for c in doctor(memory._core) if not c.ok] == []


def test_a_store_that_has_the_vectors_already_is_not_embedded_again_unless_forced(tmp_path, new_embedder):
    with Memory.open(tmp_path / "a", embedder=HashEmbedder()) as memory:
        fill(memory, 3)
        assert reindex(memory._core, new_embedder, "new") == 60
        graph = memory.graph()
        assert reindex(memory._core, Failing(calls=0), "new") == 0, "nothing is embedded"
        assert memory.graph() == graph
        assert reindex(memory._core, new_embedder, "new", force=True) == 60
        assert sorted(memory.graph()[1]) == sorted(graph[1])
        assert [c for c in doctor(memory._core) if not c.ok] == []


def test_an_interrupt_while_linking_only_leaves_linking_to_do(tmp_path, new_embedder, monkeypatch):
    import engramma.admin.reindex as module

    def interrupted(memory, embedder):
        raise KeyboardInterrupt

    with Memory.open(tmp_path / "a", embedder=HashEmbedder()) as memory:
        fill(memory, 3)
        with monkeypatch.context() as patch:
            patch.setattr(module, "finish_linking", interrupted)
            with pytest.raises(KeyboardInterrupt):
                reindex(memory._core, new_embedder, "new")
        assert [c.name for c in doctor(memory._core) if not c.ok] == ["nothing left unfinished"]
        assert reindex(memory._core, Failing(calls=0), "new") == 0
        assert [c for c in doctor(memory._core) if not c.ok] == []


def test_a_forced_reindex_that_was_interrupted_goes_on_without_force(tmp_path, new_embedder):
    with Memory.open(tmp_path / "a", embedder=HashEmbedder()) as memory:
        fill(memory, 5)
        reindex(memory._core, new_embedder, "new")
        with pytest.raises(RuntimeError, match="power cut"):
            reindex(memory._core, Failing(calls=1), "new", force=True)
        assert reindex(memory._core, new_embedder, "new") == 100


def test_linking_uses_the_embedder_it_was_given_and_never_loads_one(tmp_path, monkeypatch):
    import engramma.core.embedder as module

    def load(spec=None):
        raise AssertionError(f"{spec} was loaded")

    monkeypatch.setattr(module, "load", load)
    with Memory.open(tmp_path / "a", embedder=HashEmbedder()) as memory:
        fill(memory, 3)
        assert reindex(memory._core, HashEmbedder("new"), "folder/of/new") == 60
        assert memory._core.store.meta("embedder_spec") == "folder/of/new"
        assert reindex(memory._core, HashEmbedder("new"), "moved/new") == 0
        assert memory._core.store.meta("embedder_spec") == "moved/new", "the model is asked for where it is now"


def test_a_reindex_against_config_toml_is_refused_before_it_begins(tmp_path):
    with Memory.open(tmp_path / "a", embedder=HashEmbedder()) as memory:
        fill(memory, 1)
    (tmp_path / "a" / "config.toml").write_text('embedder = "old"\n', encoding="utf-8")
    with Memory.open(tmp_path / "a", embedder=HashEmbedder()) as memory:
        with pytest.raises(EmbedderMismatch, match=r'config.toml says embedder = "old".*embedder = "new"'):
            reindex(memory._core, HashEmbedder("new"), "new")
        assert memory._core.store.meta("reindex_sha256") is None
    (tmp_path / "a" / "config.toml").write_text('embedder = "new"\n', encoding="utf-8")
    with Memory.open(tmp_path / "a") as memory:
        assert reindex(memory._core, HashEmbedder("new"), "new") == 20


@pytest.fixture
def command(tmp_path, monkeypatch):
    """`engramma reindex` on a store, and the list of the models it asked for."""
    import engramma.models.load as module

    asked: list[str | None] = []

    def load(spec=None):
        asked.append(spec)
        return HashEmbedder("new")

    monkeypatch.setattr(module, "load", load)

    def run(*arguments):
        return CliRunner().invoke(app, ["reindex", "--store", str(tmp_path / "a"), *arguments])

    return run, asked


def test_the_command_takes_the_model_of_config_toml(tmp_path, command):
    run, asked = command
    with Memory.open(tmp_path / "a", embedder=HashEmbedder()) as memory:
        fill(memory, 1)
    (tmp_path / "a" / "config.toml").write_text('embedder = "named"\n', encoding="utf-8")
    assert isinstance(run("--embedder", "other").exception, EmbedderMismatch) and asked == []
    assert "Embedded 20 segments" in run().stdout and asked == ["named"]
    assert "--force" in run().stdout
    assert "Embedded 20 segments" in run("--force").stdout


def test_the_command_looks_for_the_store_before_it_loads_a_model(command):
    run, asked = command
    assert isinstance(run().exception, StoreNotFound) and asked == []


def test_a_memory_that_was_open_during_a_forced_reindex_goes_on_and_links_well(tmp_path, new_embedder):
    """Its memo of full lists would keep partners out for which the new settings made room."""
    wide = Config(edge_cap=8)
    same = [("c", f"s{number}", talk("Ana: slow trains and rain", day=number)) for number in range(3)]
    late = ("c", "late", talk("Ana: slow trains and snow", day=90))
    with Memory.open(tmp_path / "a", embedder=new_embedder, config=Config(edge_cap=2)) as memory:
        for session in same:
            memory.remember_session(*session)
    with Memory.open(tmp_path / "a", embedder=new_embedder, config=wide) as other:
        other.remember_session("c", "far", talk("Ana: slow trains and hail", day=50))  # it learns the lists' reach
        with Memory.open(tmp_path / "a", embedder=new_embedder, config=wide) as third:
            reindex(third._core, new_embedder, "new", force=True)
        other.remember_session(*late)
        edges = sorted(other.graph()[1])
    with Memory.open(tmp_path / "b", embedder=new_embedder, config=wide) as fresh:
        for session in same:
            fresh.remember_session(*session)
        fresh.remember_session("c", "far", talk("Ana: slow trains and hail", day=50))
        fresh.remember_session(*late)
        assert edges == sorted(fresh.graph()[1])


def test_a_store_of_an_earlier_encoder_is_told_to_reindex_and_then_works(tmp_path, monkeypatch):
    with Memory.open(tmp_path / "m") as memory:
        memory.remember_session("c", "s", talk("Ana: I planted tomatoes in the garden", "Ben: My cat sleeps all day"))
        said = list(export_lines(memory._core))
        with memory._core.store.transaction():  # as an earlier version left it
            memory._core.store.put_meta("embedder_name", "engramma-mini-0")
            memory._core.store.put_meta("embedder_spec", "engramma-mini-0")
            memory._core.store.put_meta(
                "embedder_sha256", "f47b147efd118e5ce5860890e09cdc4dc78b0ac07f678dd4874fb3a0e9e0c5e0"
            )
    with Memory.open(tmp_path / "m") as memory:
        assert list(export_lines(memory._core)) == said
        for call in (lambda: memory.recall("garden?"), lambda: memory.remember_session("c", "t", talk("Ana: Hi"))):
            with pytest.raises(EmbedderMismatch, match=r"earlier version.*engramma reindex"):
                call()
    runner = CliRunner()
    monkeypatch.setenv("ENGRAMMA_STORE", str(tmp_path / "m"))
    asked = runner.invoke(app, ["recall", "garden?"])
    assert "engramma reindex" in str(asked.exception)
    assert runner.invoke(app, ["reindex"]).exit_code == 0
    with Memory.open(tmp_path / "m") as memory:
        assert "tomatoes" in memory.recall("What grows in the garden?").context
        assert list(export_lines(memory._core)) == said
        assert [c for c in doctor(memory._core) if not c.ok] == []
