"""What a command imports: whoever waits for one line must not wait for people, importers, FAISS and a web server."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from engramma import Memory
from engramma.apps.cli.areas import AREA_OF, AREAS
from engramma.apps.cli.common import app
from engramma.models.native import is_faster
from tests.commands import ran

# Prints, as its last line, the modules that a command has imported, each of ours and the packages of others.
# Not those that Python itself loads at its start, such as a hook of setuptools.
RUN = """
import json, sys
before = set(sys.modules)
from engramma.apps.cli.main import run
try:
    run()
finally:
    own = sorted(name for name in sys.modules if name.startswith("engramma."))
    others = {name.partition(".")[0] for name, one in sys.modules.items()
              if name not in before and "site-packages" in (getattr(one, "__file__", None) or "")}
    sys.stdout.flush()
    sys.stderr.write("\\n" + json.dumps([own, sorted(others)]))
"""
TYPER = {"typer", "click", "annotated_doc", "shellingham", "typing_extensions"}  # by version, it has some of these
# The rooms of engramma that a recall goes through; of others only the modules named.
RECALLS = (
    *("config", "core", "encryption", "errors", "features", "files", "index", "language", "memory", "models"),
    *("namespaces", "patterns", "recall", "records", "redaction", "store"),
)
FACES = ("apps", "apps.cli", "apps.cli.areas", "apps.cli.command_list", "apps.cli.common", "apps.cli.main")
FACES += (
    "apps.cli.endings",
    "apps.cli.passphrase",
    "apps.cli.plain_values",
    "apps.cli.recall",
    "apps.cli.served",
    "apps.cli.terminal",
)
FACES += ("apps.daemon", "apps.daemon.folder", "apps.daemon.proof", "apps.daemon.same_settings", "apps.hooks")
FACES += ("apps.hooks.ask", "apps.printed", "apps.styled")
RENDERERS = ("apps.command_answers", "apps.hits", "apps.render")
NEVER = (
    *("engramma.records.people", "engramma.records.documents", "engramma.records.notes", "engramma.records.team"),
    *("engramma.models.reader", "engramma.models.remote"),
    *("engramma.namespaces.namespaces", "engramma.store.postgres.database"),
    *("engramma.models.tiers", "engramma.models.local_model", "engramma.models.safetensors"),
)


def imported(*arguments: object) -> tuple[set[str], set[str]]:
    """Our modules and other packages that a command has imported when it ends."""
    command = [sys.executable, "-c", RUN, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    own, others = json.loads(done.stderr.splitlines()[-1])
    return set(own), set(others)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = tmp_path_factory.mktemp("start") / "store"
    with Memory.open(store) as memory:
        memory.remember("My cat is called Pixel.")
    return store


def test_recall_imports_what_it_needs(store):
    own, others = imported("recall", "What is the cat called?", "-k", "3", "--store", store)
    assert others - TYPER <= ({"numpy"} if is_faster() else {"numpy", "onnxruntime", "flatbuffers"})
    faces = {f"engramma.{name}" for name in (*FACES, *RENDERERS)}
    strangers = {name for name in own - faces if name.split(".")[1] not in RECALLS}
    assert strangers == set()
    assert own.isdisjoint(NEVER)


def test_help_imports_hardly_anything():
    for arguments in (("--help",), ("recall", "--help")):
        own, others = imported(*arguments)
        assert others <= TYPER
        assert {
            name for name in own if name.split(".")[1] not in ("apps", "config", "errors", "files", "language")
        } == set()


def test_a_command_that_a_daemon_answers_imports_neither_numpy_nor_a_memory(store):
    """As far as to the question whether there is one: RUN ends there, before anything is opened."""
    code = "import engramma.apps.cli.served as s; s.running = lambda *_: sys.exit('asked')\n"
    place = store / "daemon"
    place.mkdir(exist_ok=True)
    from engramma import __version__

    (place / "state.json").write_text(json.dumps({"version": __version__}), encoding="utf-8")
    command = [sys.executable, "-c", RUN.replace("try:", code + "try:"), "recall", "cat", "--store", str(store)]
    done = subprocess.run(command, capture_output=True, text=True)
    (place / "state.json").unlink()
    own, others = json.loads(done.stderr.splitlines()[-1].removesuffix("asked"))
    assert done.returncode == 1
    assert set(others) <= TYPER
    beside = ("errors", "files", "files.foreign_json", "config", "config.environment", "config.settings")
    beside += ("config.version", "language", "language.times")
    assert {name.removeprefix("engramma.") for name in own} <= {*FACES, *beside}


def test_memory_imports_no_feature_before_it_is_asked_for():
    code = """
import sys
from engramma import Memory
rooms = {name.split(".")[1] for name in sys.modules if name.startswith("engramma.")}
print(sorted(rooms & {"people", "steward", "documents", "sources", "transfer", "admin", "topics", "review", "apps"}))
print([name for name in ("faiss", "onnxruntime", "tokenizers", "pydantic", "rich", "httpx2") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["[]", "[]"]


def test_every_command_stands_in_the_list_of_areas():
    """An area declares what the list says, and no area is left out."""
    from importlib import import_module

    folder = Path(sys.modules["engramma.apps.cli"].__file__ or "").parent
    for area in AREAS:
        import_module(f"engramma.apps.cli.{area}")
    declared = [*app.registered_commands, *app.registered_groups]
    assert {one.name for one in declared} == set(AREA_OF)
    declaring = {path.stem for path in folder.glob("*.py") if "command(" in path.read_text(encoding="utf-8")}
    declaring -= {"areas", "common", "command_list"}
    assert declaring == set(AREAS)
    for area, names in AREAS.items():
        text = (folder / f"{area}.py").read_text(encoding="utf-8")
        assert all(f'"{name}"' in text for name in names)


def test_a_slip_in_a_command_is_met_with_its_right_name():
    result = ran("recal", "cat")
    assert result.returncode == 2
    assert "'recall'" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("recall", "cat", "-k", "three"), "-k"),
        (("recall", "cat", "--budget", "0"), "--budget"),
        (("recall",), "QUERY"),
    ],
)
def test_values_that_are_not_plain_are_refused_as_ever(arguments, told):
    result = ran(*arguments)
    assert result.returncode == 2
    assert told in result.stderr
