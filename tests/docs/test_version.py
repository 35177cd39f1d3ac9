"""One version: the package's, which the build reads, and the changelog's newest."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from engramma import __version__

ROOT = Path(__file__).parents[2]


def test_the_build_takes_its_version_from_the_package():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert "version" not in project["project"]
    assert project["project"]["dynamic"] == ["version"]
    assert project["tool"]["hatch"]["version"]["path"] == "src/engramma/config/version.py"


def test_the_changelog_ends_at_the_packages_version():
    versions = re.findall(r"^## (\d+\.\d+\.\d+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert versions[0] == __version__
    assert versions == sorted(versions, key=lambda one: [int(part) for part in one.split(".")], reverse=True)
