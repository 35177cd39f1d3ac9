"""The encoders that ship with Engramma, used for real."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from engramma.errors import ModelError
from engramma.models.load import load
from engramma.models.local_embedder import LocalEmbedder
from engramma.models.onnx import WEIGHTS, OnnxNetwork, graph_name
from engramma.models.packaged import MINI_PIECES, MINI_WEIGHTS, PUBLISHED, load_mini, packaged_sha256
from engramma.models.settings import EncoderSettings
from tests.models.runs import RUNS, run_by

pytestmark = pytest.mark.long

TEXTS = [
    "Caroline: I ran a charity race last Saturday",
    "Tom: the pasta needs more salt",
    "",
    "short",
    "A much longer turn about the garden, the neighbours, the fence and the storm that took it down. " * 8,
    "日本語のテキスト, مرحبا, emoji 🎉",
    "half a pair \ud800 of surrogates",
]


@pytest.fixture(scope="module")
def packaged():
    return load()


def test_a_question_is_nearer_to_its_answer_than_to_anything_else(packaged):
    question = packaged.embed(["What did Caroline say about her race?"], "query")[0]
    answer, other, another = packaged.embed([TEXTS[0], TEXTS[1], "Caroline: my sister likes jazz"])
    assert question @ answer > question @ another + 0.05
    assert question @ answer > question @ other + 0.2


def test_it_says_what_it_is(packaged):
    assert (packaged.name, packaged.dimension, packaged.edge_floor) == ("engramma-multi-1", 384, 0.6)
    assert packaged.sha256 == packaged_sha256() == load("engramma-multi-1").sha256
    mini = load("engramma-mini-1")
    assert (mini.name, mini.dimension, mini.edge_floor) == ("engramma-mini-1", 384, 0.6)
    assert mini.sha256 == PUBLISHED[MINI_WEIGHTS] != packaged.sha256
    assert packaged.window == mini.window


def test_rows_are_unit_vectors_in_the_order_given(packaged):
    rows = packaged.embed(TEXTS)
    assert rows.shape == (len(TEXTS), 384)
    assert rows.dtype == np.float32
    assert np.abs(np.linalg.norm(rows, axis=1) - 1).max() < 1e-5
    for text, row in zip(TEXTS, rows, strict=True):
        assert np.array_equal(packaged.embed([text])[0], row)


def test_the_same_text_gives_the_same_bits_whatever_it_is_batched_with(packaged):
    alone = packaged.embed([TEXTS[0]])[0]
    crowd = [f"{text} {number}" for number in range(3) for text in TEXTS[:4]] + TEXTS[4:]
    for position in (0, 7, len(crowd)):
        rows = packaged.embed([*crowd[:position], TEXTS[0], *crowd[position:]])
        assert np.array_equal(rows[position], alone)


def test_another_process_gives_the_same_bits(packaged):
    code = (
        "import sys; from engramma.models.load import load; "
        "sys.stdout.buffer.write(load().embed(['one', 'Caroline: I ran a race']).tobytes())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stdout == packaged.embed(["one", "Caroline: I ran a race"]).tobytes()
    assert done.stderr == b""


def test_many_threads_at_once_get_the_same_bits(packaged):
    expected, found = packaged.embed(TEXTS), []
    threads = [threading.Thread(target=lambda: found.append(packaged.embed(TEXTS))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert all(np.array_equal(rows, expected) for rows in found)


def test_no_texts_give_no_rows(packaged):
    assert packaged.embed([]).shape == (0, 384)


def test_progress_counts_every_text_once_repeated_ones_too(packaged):
    steps: list[int] = []
    rows = packaged.embed(["one", "two", "one", "one"], progress=steps.append)
    assert sum(steps) == 4
    assert len(steps) == 2  # the repeated text was embedded once
    assert np.array_equal(rows[0], rows[3])


def test_a_text_of_five_megabytes_costs_no_more_than_a_long_one(packaged):
    started = time.perf_counter()
    row = packaged.embed(["we talked about the weather " * 180_000])[0]
    assert time.perf_counter() - started < 3  # 17 s without the cut
    assert np.array_equal(row, packaged.embed(["we talked about the weather " * 400])[0])


def test_cutting_long_texts_changes_no_ordinary_one():
    text = "Yesterday, extraordinarily, the meteorological institution misjudged: rain, not sunshine! " * 40
    tokenizer = load("engramma-mini-1").tokenizer
    assert len(tokenizer.encode(text[: 256 * 16]).ids) == 256
    assert tokenizer.encode(text[: 256 * 16]).ids == tokenizer.encode(text).ids


def test_nothing_is_reported_to_the_runtimes_makers(tmp_path):
    """onnxruntime keeps a device id below the home folder, and a queue to upload, unless it is told not to."""
    hushed = ("CI", "TF_BUILD", "GITHUB_ACTIONS", "ORT_DISABLE_TELEMETRY")
    kept = {name: value for name, value in os.environ.items() if name not in hushed and not name.startswith("XDG_")}
    code = "from engramma.models.load import load; load().embed(['one'])"
    subprocess.run([sys.executable, "-c", code], check=True, env=kept | {"HOME": str(tmp_path)})
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_importing_the_seam_imports_nothing_heavy():
    code = (
        "import sys, engramma.models.load as e; "
        "print([m for m in ('onnxruntime', 'tokenizers', 'onnx', 'httpx2', 'rich') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    "name, runs_by", [(one, run) for run in RUNS for one in (MINI_WEIGHTS, run(MINI_WEIGHTS), MINI_PIECES)]
)
def test_a_damaged_file_is_named_with_both_hashes(tmp_path, monkeypatch, name, runs_by):
    run_by(monkeypatch, runs_by)
    for file in (MINI_WEIGHTS, runs_by(MINI_WEIGHTS), MINI_PIECES):
        shutil.copyfile(WEIGHTS / file, tmp_path / file)
    content = bytearray((tmp_path / name).read_bytes())
    content[1000] ^= 1
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ModelError, match="reinstall engramma") as caught:
        load_mini(tmp_path)
    assert str(tmp_path / name) in str(caught.value)
    assert PUBLISHED[name] in str(caught.value)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ModelError, match=r"model\.int8\.onnx is missing; reinstall engramma"):
        load_mini(tmp_path)


@pytest.mark.parametrize("content", [b"", b"not a model", None], ids=["empty", "text", "cut short"])
def test_a_model_that_cannot_be_loaded_is_a_model_error_and_prints_nothing(tmp_path, capfd, content):
    path = tmp_path / "model.onnx"
    path.write_bytes((WEIGHTS / "model.int8.onnx").read_bytes()[:100_000] if content is None else content)
    with pytest.raises(ModelError, match="not a usable ONNX model"):
        OnnxNetwork(path, EncoderSettings("x"))
    assert capfd.readouterr() == ("", "")


def test_a_tokenizer_that_cannot_be_loaded_is_a_model_error(tmp_path):
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(ModelError, match="not a usable tokenizer"):
        LocalEmbedder(
            OnnxNetwork(WEIGHTS / graph_name(MINI_WEIGHTS), EncoderSettings("x")),
            tmp_path / "tokenizer.json",
            EncoderSettings("x"),
            "0",
        )


@pytest.mark.parametrize("spec", ["", "gpt-9", "no/such/folder", "minilm:"])
def test_an_unknown_name_is_answered_with_what_there_is(spec):
    with pytest.raises(ModelError) as caught:
        load(spec)
    for known in ("engramma-multi-1", "engramma-mini-1", "minilm", "quality", "ollama:MODEL", "openai:MODEL", "folder"):
        assert known in str(caught.value)
