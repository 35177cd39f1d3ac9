"""ARCHITECTURE.md says of every package that a base install brings how large it is and what for."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import hatch_build
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
SECTION = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").split("\n## Dependencies\n")[1].split("\n## ")[0]
ROW = re.compile(r"^\| `([\w-]+)` \| ([\d.]+) \| ([^|]*)\| ([^|]+) \|$", re.MULTILINE)


def test_the_table_names_the_base_dependencies_and_no_others():
    rows = [found[1] for found in ROW.finditer(SECTION)]
    assert sorted(rows) == sorted(["engramma", *(Requirement(one).name for one in PROJECT["dependencies"])])
    assert len(ROW.findall(SECTION)) == SECTION.count("\n| `"), "a row that cannot be read"


def test_every_row_has_a_size_and_a_reason():
    for name, size, _, reason in ROW.findall(SECTION):
        assert float(size) > 0 and len(reason.split()) > 1, name


def test_what_was_made_an_extra_stays_one():
    base = {one.name for one in map(Requirement, PROJECT["dependencies"]) if one.marker is None}
    extras = PROJECT["optional-dependencies"]
    runs = {"onnxruntime", "tokenizers"}
    for extra, packages in (("models", runs), ("safetensors", {"onnx", *runs}), ("faiss", {"faiss-cpu"})):
        assert {Requirement(one).name for one in extras[extra]} == packages
        assert packages.isdisjoint(base)
        assert packages <= {Requirement(one).name for one in extras["dev"]}, "the tests need it"
        assert f"`{extra}`" in SECTION


def test_onnxruntime_is_asked_for_only_where_our_library_is_never_compiled():
    [asked] = (Requirement(one) for one in PROJECT["dependencies"] if Requirement(one).name == "onnxruntime")
    assert asked.name + str(asked.specifier) == hatch_build.INSTEAD and asked.marker is not None
    for system, machine in (("linux", "x86_64"), ("linux", "aarch64"), ("darwin", "arm64"), ("darwin", "x86_64")):
        assert not asked.marker.evaluate({"sys_platform": system, "platform_machine": machine})
    for system, machine in (("win32", "AMD64"), ("win32", "ARM64"), ("linux", "riscv64"), ("linux", "armv7l")):
        assert asked.marker.evaluate({"sys_platform": system, "platform_machine": machine})
