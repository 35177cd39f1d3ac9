"""`engramma reindex --model FOLDER`, from the first import to a folder that is gone, for every architecture."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.commands import ran
from tests.models import tiny
from tests.models.test_published import export

pytestmark = pytest.mark.long

KINDS = ["roberta", "xlm-roberta", "modernbert"]
SAID = ("the cat sits on the mat", "a dog runs to the market today", "die Katze sitzt auf der Matte", "猫が座っている")


@pytest.fixture(scope="module")
def imported(tmp_path_factory):
    """A small store with the packaged encoder's vectors, of an import."""
    folder = tmp_path_factory.mktemp("imported")
    lines = [
        {"role": "user" if number % 2 else "assistant", "content": text, "timestamp": f"2026-01-05T09:0{number}:00Z"}
        for number, text in enumerate(SAID)
    ]
    (folder / "talk.json").write_text(json.dumps(lines))
    told(folder / "store", "init")
    told(folder / "store", "import", folder / "talk.json")
    return folder / "store"


@pytest.fixture
def store(imported, tmp_path):
    return Path(shutil.copytree(imported, tmp_path / "store"))


def told(store: Path, command: str, *arguments: object) -> str:
    done = ran(command, *arguments, "--store", store)
    assert done.returncode == 0, done.stderr
    return done.stdout


def rows(store: Path) -> list[list[tuple]]:
    """All that a reindex would change."""
    with closing(sqlite3.connect(store / "memory.db")) as database:
        wanted = (
            "SELECT key, value FROM meta WHERE key LIKE 'embedder%' OR key LIKE 'reindex%' ORDER BY key",
            "SELECT * FROM embeddings ORDER BY 1, 2",
            "SELECT * FROM edges ORDER BY 1, 2, 3",
            "SELECT * FROM reindexed",
        )
        return [database.execute(query).fetchall() for query in wanted]


def texts(printed: str) -> str:
    return "\n".join(found["text"] for found in json.loads(printed)["candidates"])


def another_process(store: Path, home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "XDG_CACHE_HOME": str(home / "cache")}
    command = "from engramma.apps.cli.main import run; run()"
    given = [sys.executable, "-c", command, *arguments, "--store", str(store)]
    return subprocess.run(given, env=environment, capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize("form", ["safetensors", "int8", "onnx"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_store_is_embedded_with_a_model_of_ones_own_and_goes_back(store, tmp_path, kind, form):
    folder = tiny.save_published(tmp_path / "mine", kind)
    if form == "int8":
        tiny.save_json(folder, engramma={"precision": "int8", "pooling": "cls"})
    if form == "onnx":
        export(folder, kind, "model.onnx_data")
    before = rows(store)
    assert f"Embedded {len(before[1])} segments with mine." in told(store, "reindex", "--model", folder)
    meta = dict(rows(store)[0])
    assert (meta["embedder_name"], meta["embedder_dimension"]) == ("mine", tiny.HIDDEN)
    assert meta["embedder_spec"] == str(folder)
    assert "already embedded with mine" in told(store, "reindex", "--model", folder)
    found = texts(told(store, "recall", SAID[1], "--recipe", "vector", "--json"))
    assert SAID[1] in found
    assert "all checks passed" in told(store, "doctor")
    assert f"Embedded {len(before[1])} segments with engramma-multi-1." in told(store, "reindex")
    assert rows(store)[:2] == before[:2]


@pytest.mark.parametrize("kind", ["xlm-roberta", pytest.param("modernbert", marks=pytest.mark.long)])
def test_another_process_finds_the_folder_and_says_when_it_is_gone(store, tmp_path, kind):
    folder = tiny.save_published(tmp_path / "mine", kind)
    told(store, "reindex", "--model", folder)
    asked = ("recall", "market today", "--json")
    done = another_process(store, tmp_path, *asked, "--recipe", "vector")
    assert done.returncode == 0
    assert all(text in texts(done.stdout) for text in SAID)
    folder.rename(tmp_path / "elsewhere")
    done = another_process(store, tmp_path, *asked)
    assert SAID[1] in texts(done.stdout)  # by its words
    said = json.dumps(json.loads(done.stdout)["trace"]["notes"])
    assert f"no embedder '{folder}' and no such folder" in said
    assert "already embedded with elsewhere" in told(store, "reindex", "--model", tmp_path / "elsewhere")
    assert "unavailable" not in ran("status", "--store", store).stdout
    done = another_process(store, tmp_path, *asked, "--recipe", "vector")
    assert all(text in texts(done.stdout) for text in SAID)


def change(folder: Path, key: str, value: object) -> None:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {key: value}))


def without(folder: Path, name: str) -> None:
    tensors = tiny.weights("modernbert", tokens=300)
    tiny.save_safetensors(folder / "model.safetensors", {key: tensors[key] for key in tensors if key != name})


def cut(folder: Path) -> None:
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-100])


def header(folder: Path, **entry: object) -> None:
    """Weights whose header says something else about one tensor."""
    raw = (folder / "model.safetensors").read_bytes()
    length = int.from_bytes(raw[:8], "little")
    told = json.loads(raw[8 : 8 + length])
    told["final_norm.weight"] |= entry
    text = json.dumps({key: value for key, value in told.items() if value is not None}).encode()
    (folder / "model.safetensors").write_bytes(len(text).to_bytes(8, "little") + text + raw[8 + length :])


def dangle(folder: Path, name: str) -> None:
    (folder / name).unlink()
    (folder / name).symlink_to(folder / name)


BAD = {
    "weights cut short": (cut, "cut short"),
    "empty weights": (lambda folder: (folder / "model.safetensors").write_bytes(b""), "fetch it again"),
    "a tensor is missing": (lambda folder: without(folder, "layers.1.attn.Wqkv.weight"), "no tensor"),
    "a wrong shape": (lambda folder: header(folder, shape=[4, 8]), "final_norm.weight has the shape"),
    "a shape that is none": (lambda folder: header(folder, shape=["x"]), "damaged header"),
    "a negative shape": (lambda folder: header(folder, shape=[-8, -4]), "damaged header"),
    "offsets that are none": (lambda folder: header(folder, data_offsets=[9, 2]), "damaged header"),
    "a type that is none": (lambda folder: header(folder, dtype=5), "damaged header"),
    "a type of whole numbers": (lambda folder: header(folder, dtype="I64"), "save it as"),
    "a tensor of nothing": (lambda folder: header(folder, shape=[0], data_offsets=[0, 0]), "damaged at"),
    "a huge model": (lambda folder: change(folder, "hidden_size", 10**18), "config.json asks for"),
    "endless layers": (lambda folder: change(folder, "num_hidden_layers", 10**18), "no tensor"),
    "no layers": (lambda folder: change(folder, "num_hidden_layers", 0), "num_hidden_layers"),
    "half a head": (lambda folder: change(folder, "num_attention_heads", 0.5), "num_attention_heads"),
    "a size beyond numbers": (lambda folder: change(folder, "hidden_size", 1e999), "hidden_size"),
    "heads in words": (lambda folder: change(folder, "num_attention_heads", "four"), "num_attention_heads"),
    "no positions": (lambda folder: change(folder, "max_position_embeddings", -5), "too small"),
    "no such architecture": (lambda folder: change(folder, "model_type", ["x"]), "cannot build a graph"),
    "an empty tokenizer": (lambda folder: (folder / "tokenizer.json").write_bytes(b""), "not a usable tokenizer"),
    "a tokenizer of another": (lambda folder: (folder / "tokenizer.json").write_text("[]"), "not a usable tokenizer"),
    "weights linked to themselves": (lambda folder: dangle(folder, "model.safetensors"), "has no model"),
    "a tokenizer linked to itself": (lambda folder: dangle(folder, "tokenizer.json"), "has no tokenizer.json"),
    "an empty graph": (lambda folder: (folder / "model.onnx").write_bytes(b""), "not a usable ONNX model"),
    "a graph of noise": (lambda folder: (folder / "model.onnx").write_bytes(b"\xff" * 99), "not a usable ONNX model"),
    "deep settings": (lambda folder: (folder / "modules.json").write_text("[" * 9999), "nested too deeply"),
    "settings in no letters": (lambda folder: (folder / "config.json").write_bytes(b"\xff\xfe"), "cannot read"),
}


@pytest.mark.parametrize("what", BAD)
def test_a_bad_folder_is_refused_in_one_line_and_the_store_is_as_it_was(store, tmp_path, what):
    spoil, said = BAD[what]
    folder = tiny.save_published(tmp_path / "mine", "modernbert")
    spoil(folder)
    before = rows(store)
    done = ran("reindex", "--model", folder, "--store", store)
    assert done.returncode != 0
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr
    assert said in done.stderr
    assert rows(store) == before
