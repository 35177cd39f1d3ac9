"""Models whose files are damaged or missing: named, and what can be done without them goes on."""

from __future__ import annotations

import re
import shutil
from functools import partial
from pathlib import Path

import pytest

from engramma import Memory, ModelError
from engramma.admin.doctor import doctor
from engramma.models import packaged
from engramma.models.onnx import WEIGHTS
from engramma.models.packaged import MINI_PIECES, MINI_WEIGHTS, MULTI_PIECES, MULTI_WEIGHTS
from tests.bad_input.conftest import nothing_lost
from tests.conftest import talk
from tests.fakes import HashEmbedder
from tests.models.runs import RUNS, run_by

pytestmark = pytest.mark.long


def damage_truncated(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:1000])


def damage_changed(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


@pytest.mark.parametrize(
    "name, runs_by", [(MINI_WEIGHTS, RUNS[0]), (MINI_PIECES, RUNS[0]), *((run(MINI_WEIGHTS), run) for run in RUNS)]
)
@pytest.mark.parametrize("damage", [Path.unlink, damage_truncated, damage_changed], ids=["missing", "cut", "changed"])
def test_a_damaged_model_file_is_named_and_words_go_on(tmp_path, monkeypatch, name, runs_by, damage):
    run_by(monkeypatch, runs_by)
    with Memory.open(tmp_path / "s") as memory:
        memory.remember_session("thread", "monday", talk("Ana: my cat is called Pixel"))
    weights = tmp_path / "weights"
    weights.mkdir()
    for file in (MINI_WEIGHTS, runs_by(MINI_WEIGHTS), MINI_PIECES):
        shutil.copyfile(WEIGHTS / file, weights / file)
    damage(weights / name)
    with monkeypatch.context() as patch:
        patch.setattr(packaged, "load_packaged", partial(packaged.load_packaged, weights))
        with Memory.open(tmp_path / "s") as memory:
            found = memory.recall("Pixel")
            assert found.candidates and re.search(
                f"{name}.*(missing|damaged).*reinstall engramma", found.trace.degraded
            )
            memory.remember_session("thread", "tuesday", talk("Ana: more of it"))
            assert memory.recall("more", recipe="bm25").candidates
            wrong = {check.name: check.detail for check in doctor(memory._core) if not check.ok}
            assert set(wrong) == {"embedder works", "nothing waits for a vector"}
            assert "reinstall" in wrong["embedder works"]
    with Memory.open(tmp_path / "s") as memory:
        doctor(memory._core, fix=True)
        with nothing_lost(memory):
            assert len(memory.recall("Pixel", recipe="vector").candidates) == 2


@pytest.mark.parametrize("name", (MULTI_WEIGHTS, MULTI_PIECES))
def test_without_a_file_for_other_languages_english_goes_on_and_doctor_names_it(tmp_path, monkeypatch, name):
    weights = tmp_path / "weights"
    weights.mkdir()
    for file in packaged.PUBLISHED:
        if file != name:
            shutil.copyfile(WEIGHTS / file, weights / file)
    with monkeypatch.context() as patch:
        patch.setattr(packaged, "load_packaged", partial(packaged.load_packaged, weights))
        with Memory.open(tmp_path / "s") as memory:
            memory.remember_session("thread", "monday", talk("Ana: my cat is called Ben"))
            assert memory.recall("What is the cat called?", recipe="vector").candidates
            memory.remember_session("thread", "tuesday", talk("Ana: моя собака спит весь день", prefix="d"))
            assert memory.recall("собака", recipe="bm25").candidates
            wrong = {check.name: check.detail for check in doctor(memory._core) if not check.ok}
            assert re.search(f"{name} is missing; reinstall engramma", wrong["embedder works"])
    with Memory.open(tmp_path / "s") as memory:
        doctor(memory._core, fix=True)
        with nothing_lost(memory):
            assert "собака" in memory.recall("the dog sleeps all day", recipe="vector").candidates[0].text


def test_a_model_that_is_not_there_is_answered_with_what_there_is(tmp_path, refused):
    with pytest.raises(ModelError, match=r"no embedder 'magic'.*engramma-multi-1, engramma-mini-1"):
        Memory.open(tmp_path / "s", embedder="magic")
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "model.onnx").write_bytes(b"not a model")
    (tmp_path / "model" / "tokenizer.json").write_text("{}")
    with pytest.raises(ModelError, match="model"):
        Memory.open(tmp_path / "s", embedder=str(tmp_path / "model"))
    assert "engramma-mini-1" in refused("--store", tmp_path / "s", "init", "--embedder", "magic")
    with Memory.open(tmp_path / "s", embedder=HashEmbedder()) as memory:
        memory.remember_session("c", "s", talk("Ana: a failed start leaves the store free for another model"))
