from __future__ import annotations

import io
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from engramma import Memory
from engramma.admin.doctor import doctor
from engramma.apps.cli import main
from engramma.transfer.export import export_lines
from tests.conftest import talk


@pytest.fixture
def kept(memory):
    """A memory in which something is remembered already."""
    return with_pixel(memory)


def with_pixel(memory: Memory) -> Memory:
    memory.remember_session("thread", "monday", talk("Ana: my cat is called Pixel", "Ben: a fine name"))
    memory.remember_session("thread", "tuesday", talk("user: where is Pixel", "assistant: on the roof", day=1))
    return memory


@contextmanager
def nothing_lost(memory: Memory):
    """Whatever happens inside, what was stored before is there byte for byte, and doctor finds nothing."""
    before = "".join(export_lines(memory._core))
    segments, edges = memory.graph()
    yield
    assert "".join(export_lines(memory._core)) == before
    assert memory.graph() == (segments, edges)
    assert [check for check in doctor(memory._core) if not check.ok] == []


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


class Said:
    """How a command ended: its exit code and what it said where."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err


@pytest.fixture
def engramma(monkeypatch, capsys):
    """Run the command in this process; an error that is not turned into a message fails the test by itself."""

    def call(*arguments: object, stdin: bytes = b"") -> Said:
        capsys.readouterr()
        monkeypatch.setattr(sys, "argv", ["engramma", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        with pytest.raises(SystemExit) as ended:
            main.run()
        code = ended.value.code
        return Said(code if isinstance(code, int) else 0 if code is None else 1, *capsys.readouterr())

    return call


@pytest.fixture
def refused(engramma):
    """Run a command that must be refused: exit code 1, a message on stderr, nothing on stdout."""

    def call(*arguments: object, stdin: bytes = b"") -> str:
        said = engramma(*arguments, stdin=stdin)
        assert (said.code, said.out) == (1, ""), said.err
        assert said.err.startswith("engramma: ") and "Traceback" not in said.err
        return said.err

    return call
