"""ARCHITECTURE.md says of every package that a base install brings how large it is and what for."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

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
    base = {Requirement(one).name for one in PROJECT["dependencies"]}
    extras = PROJECT["optional-dependencies"]
    for extra, package in (("safetensors", "onnx"), ("faiss", "faiss-cpu")):
        assert [Requirement(one).name for one in extras[extra]] == [package]
        assert package not in base
        assert package in {Requirement(one).name for one in extras["dev"]}, "the tests need it"
        assert f"`{extra}`" in SECTION
