"""A filled store of its own for each test of the tools."""

from __future__ import annotations

import shutil

import pytest

from tests.apps.mcp.calls import filled, memories_at


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    return filled(tmp_path_factory.mktemp("template") / "store")


@pytest.fixture
def memories(template, tmp_path):
    shutil.copytree(template, tmp_path / "store")
    opened = memories_at(tmp_path / "store")
    yield opened
    opened.close()
