"""Finds the files that a model's weights consist of."""

from __future__ import annotations

import mmap
import re
from pathlib import Path

from ..errors import ModelError
from .safetensors import INDEX, shard_files

ONNX_FILES = (
    "model.onnx",
    "model.int8.onnx",
    "model_quantized.onnx",
    "onnx/model.onnx",
    "onnx/model.int8.onnx",
    "onnx/model_int8.onnx",
    "onnx/model_quantized.onnx",
)
SAFETENSORS = "model.safetensors"
PICKLES = ("pytorch_model.bin", "pytorch_model.bin.index.json")
# How an ONNX file names another that has a tensor's numbers: an entry with the key "location", in protobuf's letters.
LOCATION = re.compile(rb"\n\x08location\x12([\x01-\x7f])")
LFS = b"version https://git-lfs"


def find_weights(folder: Path) -> Path:
    """The ONNX file, else the safetensors, else the index of safetensors in several files."""
    for name in (*ONNX_FILES, SAFETENSORS, INDEX):
        if (folder / name).is_file():
            return folder / name
    found = sorted(folder.glob("*.onnx")) or sorted(folder.glob("onnx/*.onnx"))
    if len(found) == 1:
        return found[0]
    if found:
        names = ", ".join(path.name for path in found[:5])
        raise ModelError(f"{folder} has several ONNX files ({names}); rename the one to use to model.onnx")
    if any((folder / name).is_file() for name in PICKLES):
        raise ModelError(
            f"{folder} has only pytorch_model.bin, which cannot be read safely; fetch the model's onnx folder or "
            f"its {SAFETENSORS} too, or export it to ONNX"
        )
    raise ModelError(f"{folder} has no model; it needs one of {', '.join((*ONNX_FILES, SAFETENSORS, INDEX))}")


def all_weight_files(weights: Path) -> list[Path]:
    """The file and all others that it says hold some of its numbers."""
    if weights.name == INDEX:
        files = [weights, *sorted(set(shard_files(weights).values()))]
    elif weights.suffix == ".onnx":
        files = [weights, *external_files(weights)]
    else:
        files = [weights]
    for file in files:
        check_is_whole(file)
    return files


def external_files(graph: Path) -> list[Path]:
    """The files beside an ONNX file that hold its large tensors."""
    try:
        with graph.open("rb") as file:
            if not file.read(1):
                return []  # what is wrong with it, the runtime says
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
                names = {content[hit.end() : hit.end() + hit[1][0]] for hit in LOCATION.finditer(content)}
    except OSError as error:
        raise ModelError(f"cannot read {graph}: {error.strerror}; check its permissions") from error
    files = [graph.with_name(name.decode()) for name in sorted(names) if re.fullmatch(rb"[\w.+ -]+", name)]
    missing = [file.name for file in files if not file.is_file()]
    if missing:
        raise ModelError(
            f"{graph} keeps its weights in files beside it that are not there ({', '.join(missing[:5])}); fetch them"
        )
    return files


def check_is_whole(file: Path) -> None:
    """A clone without Git LFS has a few lines in the place of every large file."""
    try:
        with file.open("rb") as content:
            start = content.read(len(LFS))
    except OSError as error:
        raise ModelError(f"cannot read {file}: {error.strerror}; check its permissions") from error
    if start == LFS:
        raise ModelError(f"{file} is only a pointer of Git LFS; run `git lfs pull` in its folder")
