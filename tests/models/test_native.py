"""The library that runs the packaged networks: the same bits on every processor, the same meaning as the graphs."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import hatch_build
import numpy as np
import pytest
from packaging.requirements import Requirement
from train.network_layout import layout_text

from engramma.errors import ModelError
from engramma.models import native
from engramma.models.local_embedder import open_tokenizer
from engramma.models.native import (
    LONGEST,
    NativeNetwork,
    is_faster,
    known_kernels,
    layout_name,
    open_word_table,
    what_runs,
)
from engramma.models.onnx import WEIGHTS, OnnxNetwork, graph_name
from engramma.models.packaged import MINI_TOKENIZER, MINI_WEIGHTS, MULTI_WEIGHTS, PUBLISHED, load_mini, open_network
from engramma.models.reader import READER, NativeOutputs, OnnxOutputs
from engramma.models.settings import EncoderSettings

ROOT = Path(__file__).parents[2]
ASKED = "Requires-Dist: "
NETWORKS = (MINI_WEIGHTS, MULTI_WEIGHTS)

needs_library = pytest.mark.skipif(not known_kernels(), reason="the library was not built for this machine")

# Of the vectors of all `texts()`, by the packaged English network; the same on x86-64 and on 64-bit ARM.
BITS = "70a00fcd54105d0efb7941d3017ff644d1b3e78c25d38741915b960d867bce50"


def texts(most: int = 70) -> list[list[int]]:
    """Token ids of texts of every length up to a few rows and panels, and of the longest one."""
    numbers = np.random.default_rng(5)
    return [numbers.integers(1000, 30000, length).tolist() for length in (*range(1, most), LONGEST)]


def open_native(weights: str, kernel: str | None = None) -> NativeNetwork:
    return NativeNetwork(WEIGHTS / weights, WEIGHTS / layout_name(weights), kernel=kernel)


def bits(vectors: list[np.ndarray]) -> str:
    return hashlib.sha256(b"".join(np.ascontiguousarray(one).tobytes() for one in vectors)).hexdigest()


@needs_library
@pytest.mark.parametrize("kernel", known_kernels())
def test_every_kernel_gives_the_bits_that_every_other_processor_gives(kernel):
    network = open_native(MINI_WEIGHTS, kernel)
    asked = texts() if kernel != native.SLOW else texts(20)[:-1]
    best = open_native(MINI_WEIGHTS)
    found = [network.vector(tokens) for tokens in asked]
    assert all(np.array_equal(one, best.vector(tokens)) for one, tokens in zip(found, asked, strict=True))
    if kernel != native.SLOW:
        assert bits(found) == BITS


@needs_library
@pytest.mark.parametrize("weights", NETWORKS)
def test_its_vectors_mean_what_those_of_the_graph_mean(weights):
    network, graph = open_native(weights), OnnxNetwork(WEIGHTS / graph_name(weights), EncoderSettings("x"))
    tokenizer = load_mini().tokenizer
    said = ["We booked the night train to Vienna.", "ok", "", "The cat sleeps; " * 40, "Where does Ana's sister live?"]
    cosines = [float(network.vector(ids) @ graph.vector(ids)) for ids in (tokenizer.encode(one).ids for one in said)]
    assert min(cosines) > 0.99 and network.dimension == graph.dimension


@needs_library
def test_the_reader_says_what_its_graph_says():
    ours, graph = NativeOutputs(WEIGHTS / READER, WEIGHTS / layout_name(READER)), OnnxOutputs(WEIGHTS / READER)
    tokenizer = open_tokenizer(WEIGHTS / MINI_TOKENIZER, LONGEST)
    ids = tokenizer.encode("Where did Ana move?", "Ana: I moved to Ghent in May, after ten years in Vienna.").ids
    (relevance, spans), (other, others) = ours.of_tokens(ids), graph.of_tokens(ids)
    assert relevance == pytest.approx(other, abs=0.2) and np.abs(spans - others).max() < 0.5
    assert np.array_equal(spans.argmax(axis=0), others.argmax(axis=0))


@needs_library
def test_many_threads_get_the_bits_of_one():
    network = open_native(MINI_WEIGHTS)
    asked = texts() * 4
    with ThreadPoolExecutor(8) as pool:
        assert bits(list(pool.map(network.vector, asked))) == bits([network.vector(tokens) for tokens in asked])


@needs_library
@pytest.mark.parametrize(
    "tokens", [[], [30522], [-1], [101] * (LONGEST + 1)], ids=["empty", "unknown", "below", "long"]
)
def test_what_it_cannot_read_is_an_error_and_nothing_is_read_beyond_the_table(tokens):
    with pytest.raises(ModelError, match="cannot read"):
        open_native(MINI_WEIGHTS).vector(tokens)


@needs_library
def test_an_unknown_kernel_and_a_table_of_another_width_are_errors(tmp_path):
    with pytest.raises(ModelError, match="there is no kernel avx3000"):
        open_native(MINI_WEIGHTS, "avx3000")
    words = open_word_table(WEIGHTS / MINI_WEIGHTS, WEIGHTS / layout_name(MINI_WEIGHTS))
    words.width = 768
    with pytest.raises(ModelError, match="768"):
        NativeNetwork(WEIGHTS / READER, WEIGHTS / layout_name(READER), words)


@pytest.mark.parametrize("weights", (*NETWORKS, READER))
def test_the_packaged_layouts_are_those_of_the_networks(weights):
    path = WEIGHTS / layout_name(weights)
    assert path.read_text("utf-8") == layout_text(WEIGHTS / weights)
    assert weights == READER or hashlib.sha256(path.read_bytes()).hexdigest() == PUBLISHED[path.name]


@pytest.mark.parametrize("found", ["nothing", "no library", "another version"])
def test_without_the_library_the_graph_runs(tmp_path, monkeypatch, found):
    path = tmp_path / "libnetwork.so"
    if found == "no library":
        path.write_bytes(b"not a library")
    if found == "another version":
        if not known_kernels():
            pytest.skip("the library was not built for this machine")
        path.write_bytes(native.LIBRARY.read_bytes())
        monkeypatch.setattr(native, "VERSION", native.VERSION + 1)
    monkeypatch.setattr(native, "LIBRARY", path)
    native._library.cache_clear()
    try:
        assert known_kernels() == [] and not is_faster()
        assert load_mini().embed(["a cat"]).shape == (1, 384)
        with pytest.raises(ModelError, match="reinstall engramma"):
            open_native(MINI_WEIGHTS)
    finally:
        native._library.cache_clear()


def test_a_missing_compiler_is_told_and_writes_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv("CC", "no-such-compiler")
    assert "no-such-compiler" in (hatch_build.compile_library(tmp_path / "made.so") or "")
    monkeypatch.setenv("ENGRAMMA_MACHINE", "riscv64")
    assert "riscv64" in (hatch_build.compile_library(tmp_path / "made.so") or "")
    assert not any(tmp_path.iterdir())


@needs_library
def test_an_older_compiler_leaves_out_what_it_does_not_know(tmp_path, monkeypatch):
    compiler = tmp_path / "old"
    compiler.write_text('#!/bin/sh\ncase "$*" in *" -m"*) exit 1 ;; esac\nexec cc "$@"\n', "utf-8")
    compiler.chmod(0o755)
    monkeypatch.setenv("CC", str(compiler))
    assert hatch_build.compile_library(tmp_path / "made.so") is None
    monkeypatch.setattr(native, "LIBRARY", tmp_path / "made.so")
    native._library.cache_clear()
    try:
        assert known_kernels() == [native.SLOW] and not is_faster() and "no fast kernel" in what_runs()
    finally:
        native._library.cache_clear()


@needs_library
@pytest.mark.parametrize("has_runtime", (True, False))
def test_the_plain_kernel_runs_where_there_is_nothing_faster(monkeypatch, has_runtime):
    monkeypatch.setattr(native, "known_kernels", lambda: [native.SLOW])
    monkeypatch.setattr(native, "find_spec", lambda _: has_runtime or None)
    opened = open_network(WEIGHTS, MINI_WEIGHTS, EncoderSettings("x"))
    assert isinstance(opened, OnnxNetwork if has_runtime else NativeNetwork)
    assert ("engramma[models]" in what_runs()) != has_runtime


def test_where_nothing_can_run_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setattr(native, "known_kernels", lambda: [])
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(ModelError, match=r"need onnxruntime, .*: pip install 'engramma\[models\]'"):
        load_mini()


@needs_library
@pytest.mark.long
@pytest.mark.parametrize("compiler", ("", "no-such-compiler"))
def test_a_wheel_has_the_library_or_asks_for_what_runs_the_networks_instead(tmp_path, monkeypatch, compiler):
    if compiler:
        monkeypatch.setenv("CC", compiler)
    copy = tmp_path / "copy"
    copy.mkdir()
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE", "NOTICE"):
        shutil.copy(ROOT / name, copy)
    shutil.copytree(ROOT / "native", copy / "native")
    shutil.copytree(ROOT / "src", copy / "src", ignore=shutil.ignore_patterns("__pycache__", "*.so", "*.onnx"))
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path / "dist")]
    told = subprocess.run(build, cwd=copy, capture_output=True, text=True)
    assert told.returncode == 0, told.stderr
    [wheel] = (tmp_path / "dist").iterdir()
    assert "-py3-none-" in wheel.name and wheel.name.endswith("any.whl") == bool(compiler)
    with zipfile.ZipFile(wheel) as inside:
        assert ("engramma/models/libnetwork.so" in inside.namelist()) != bool(compiler)
        assert not any("tokenizer.json" in name for name in inside.namelist())
        [metadata] = (name for name in inside.namelist() if name.endswith("/METADATA"))
        asked = [Requirement(line[15:]) for line in inside.read(metadata).decode().splitlines() if line[:15] == ASKED]
    here = {one.name for one in asked if one.marker is None or one.marker.evaluate({"extra": ""})}
    assert ("onnxruntime" in here) == bool(compiler) and "tokenizers" not in here
