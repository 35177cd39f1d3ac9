"""The library that runs the packaged networks: the same bits on every processor, the same meaning as the graphs."""

from __future__ import annotations

import hashlib
import json
import os
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
    found = network.vectors(asked)
    assert np.array_equal(found, best.vectors(asked))
    if kernel != native.SLOW:
        assert bits(found) == BITS


@needs_library
def test_a_text_has_the_same_bits_whatever_it_is_run_with():
    network, asked = open_native(MINI_WEIGHTS), texts()
    alone = np.concatenate([network.vectors([tokens]) for tokens in asked])
    assert np.array_equal(network.vectors(asked), alone)
    assert np.array_equal(network.vectors(asked[::-1]), alone[::-1])
    assert network.vectors([]).shape == (0, network.dimension)


@needs_library
@pytest.mark.parametrize("weights", NETWORKS)
def test_its_vectors_mean_what_those_of_the_graph_mean(weights):
    network, graph = open_native(weights), OnnxNetwork(WEIGHTS / graph_name(weights), EncoderSettings("x"))
    tokenizer = load_mini().tokenizer
    said = ["We booked the night train to Vienna.", "ok", "", "The cat sleeps; " * 40, "Where does Ana's sister live?"]
    cosines = [
        float(network.vectors([ids])[0] @ graph.vectors([ids])[0])
        for ids in (tokenizer.encode(one).ids for one in said)
    ]
    assert min(cosines) > 0.99 and network.dimension == graph.dimension


@needs_library
@pytest.mark.parametrize("words", [MINI_WEIGHTS, MULTI_WEIGHTS])
def test_the_reader_says_what_its_graph_says(words):
    ours = NativeOutputs(WEIGHTS / READER, WEIGHTS / layout_name(READER), words)
    graph = OnnxOutputs(WEIGHTS / READER, words)
    tokenizer = open_tokenizer(WEIGHTS / MINI_TOKENIZER, LONGEST)
    ids = tokenizer.encode("Where did Ana move?", "Ana: I moved to Ghent in May, after ten years in Vienna.").ids
    (relevance, spans), (other, others) = ours.of_tokens(ids), graph.of_tokens(ids)
    assert relevance == pytest.approx(other, abs=0.2) and np.abs(spans - others).max() < 0.5
    assert np.array_equal(spans.argmax(axis=0), others.argmax(axis=0))


@pytest.mark.long
@needs_library
def test_many_threads_get_the_bits_of_one():
    network = open_native(MINI_WEIGHTS)
    asked = texts() * 4
    with ThreadPoolExecutor(8) as pool:
        found = [row for rows in pool.map(network.vectors, [[tokens] for tokens in asked]) for row in rows]
        assert bits(found) == bits(network.vectors(asked))


@needs_library
@pytest.mark.parametrize(
    "tokens", [[], [30522], [-1], [101] * (LONGEST + 1)], ids=["empty", "unknown", "below", "long"]
)
def test_what_it_cannot_read_is_an_error_and_nothing_is_read_beyond_the_table(tokens):
    with pytest.raises(ModelError, match="cannot read"):
        open_native(MINI_WEIGHTS).vectors([tokens])


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


@needs_library
@pytest.mark.parametrize("left", ["a header", "its beginning", "a half", "all but its data", "a pipe", "other calls"])
def test_a_damaged_library_is_not_used_and_ends_no_process(tmp_path, left):
    """In a process of its own, which a signal might end."""
    path, whole = tmp_path / "libnetwork.so", native.LIBRARY.read_bytes()
    if left == "a pipe":
        os.mkfifo(path)
    elif left == "other calls":
        (tmp_path / "one.c").write_text(f"int engramma_version(void) {{ return {native.VERSION}; }}\n", "utf-8")
        made = subprocess.run(["cc", "-shared", "-fPIC", "-o", str(path), str(tmp_path / "one.c")], capture_output=True)
        if made.returncode:
            pytest.skip("no C compiler here")
    else:
        parts = {"a header": 64, "its beginning": 4096, "a half": len(whole) // 2, "all but its data": -8192}
        path.write_bytes(whole[: parts[left]])
    code = f"""
import pathlib
from engramma.models import native
native.LIBRARY = pathlib.Path({str(path)!r})
print(native.known_kernels(), native.what_runs())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30)
    assert (done.returncode, done.stdout.split()[:3]) == (0, ["[]", "ONNX", "Runtime,"]), done.stderr


@needs_library
@pytest.mark.parametrize("weights", (MINI_WEIGHTS, READER))
def test_a_layout_that_points_beyond_its_file_is_an_error_and_nothing_is_read_there(tmp_path, weights):
    words = open_word_table(WEIGHTS / MINI_WEIGHTS, WEIGHTS / layout_name(MINI_WEIGHTS))
    whole = json.loads((WEIGHTS / layout_name(weights)).read_text("utf-8"))
    size, path = whole["bytes"], tmp_path / layout_name(weights)
    wrong = [whole | {"arrays": [*whole["arrays"][:9], place, *whole["arrays"][10:]]} for place in (size - 9, -1, "0")]
    wrong += [whole | {"shape": [whole["shape"][0], *other]} for other in ([0, 12, 1536], [384, 12, 10**9])]
    wrong += [whole | {"heads": {"spans.weight": size - 8}}, whole | {"words": {"rows": 0, "steps": 0, "count": size}}]
    for said in wrong:
        path.write_text(json.dumps(said), "utf-8")
        with pytest.raises(ModelError, match="reinstall engramma"):
            NativeNetwork(WEIGHTS / weights, path, words)


def test_a_missing_compiler_is_told_and_writes_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv("CC", "no-such-compiler")
    assert "no-such-compiler" in (hatch_build.compile_library(tmp_path / "made.so") or "")
    monkeypatch.setenv("CC", 'gcc "')
    assert "quotation" in (hatch_build.compile_library(tmp_path / "made.so") or "")
    monkeypatch.setenv("ENGRAMMA_MACHINE", "riscv64")
    assert "riscv64" in (hatch_build.compile_library(tmp_path / "made.so") or "")
    assert not any(tmp_path.iterdir())


@pytest.mark.long
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


@pytest.mark.long
@needs_library
@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
def test_all_kernels_give_the_same_bits_for_the_smallest_and_the_largest_numbers(tmp_path):
    program = tmp_path / "compare"
    source = Path(__file__).parents[2] / "native" / "compare.c"
    subprocess.run(["cc", "-O1", str(source), "-ldl", "-o", str(program)], check=True)
    told = subprocess.run([str(program), str(native.LIBRARY)], check=True, capture_output=True, text=True).stdout
    lines = [line.split(": ") for line in told.splitlines()]
    assert [name for name, _ in lines] == known_kernels()
    assert len({bits for _, bits in lines}) == 1
