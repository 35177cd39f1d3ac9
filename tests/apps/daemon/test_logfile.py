"""The daemon's log stays small, whoever writes to it and however often the same is said."""

from __future__ import annotations

import io
import logging
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from engramma.apps.daemon.logfile import FEW, KEPT, LONGEST, MANY, WINDOW_SECONDS, Collapsing, rotate


@pytest.fixture
def logged() -> tuple[logging.Logger, io.StringIO, list[float], Collapsing]:
    out, clock = io.StringIO(), [0.0]
    handler = Collapsing(out, lambda: clock[0])
    logger = logging.Logger("engramma.test")
    logger.addHandler(handler)
    return logger, out, clock, handler


def test_what_repeats_is_counted(logged: tuple[logging.Logger, io.StringIO, list[float], Collapsing]) -> None:
    logger, out, clock, handler = logged
    for _ in range(10_000):
        logger.error("cannot accept a connection: %s", "Too many open files")
    assert len(out.getvalue().splitlines()) == FEW
    logger.error("something else")
    assert "something else" in out.getvalue()
    clock[0] = WINDOW_SECONDS + 1
    handler.look()
    assert (
        out.getvalue()
        .splitlines()[-1]
        .endswith(f"{10_000 - FEW:,} more like this within 60 s: cannot accept a connection: %s")
    )
    logger.error("cannot accept a connection: %s", "Too many open files")
    assert out.getvalue().splitlines()[-1].endswith("Too many open files")


def test_errors_that_differ_a_little_are_counted_too(
    logged: tuple[logging.Logger, io.StringIO, list[float], Collapsing],
) -> None:
    logger, out, _, handler = logged
    for number in range(10_000):
        try:
            raise OSError(24, f"socket {number}")
        except OSError:
            logger.exception("socket %d: %s", number, "x" * LONGEST * 2)
    assert out.getvalue().count("Traceback") == 0  # cut off by then
    assert out.getvalue().count("socket") <= MANY * 2 and len(out.getvalue()) < MANY * (LONGEST + 200)
    handler.close()
    assert f"{10_000 - MANY:,} more like this" in out.getvalue()


def test_a_long_log_is_laid_aside_and_everybody_writes_on(tmp_path: Path) -> None:
    log = tmp_path / "daemon.log"
    descriptor = os.open(log, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
    command = [sys.executable, "-c", "import sys; sys.stdin.read(); sys.stderr.write('from a child\\n')"]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=descriptor)
    for number in range(5):
        os.write(descriptor, b"%d" % number * 1_000 + b"\n")
        assert rotate(descriptor, log, most=900)
    child.communicate(b"")
    assert log.read_text() == "from a child\n"
    os.close(descriptor)
    kept = sorted(tmp_path.glob("daemon.log.*"))
    assert [path.name for path in kept] == [f"daemon.log.{number}" for number in range(1, KEPT + 1)]
    assert [path.read_text()[0] for path in kept] == ["4", "3"]
    assert all(path.stat().st_size <= 900 and stat.S_IMODE(path.stat().st_mode) == 0o600 for path in kept)


def test_standard_error_is_bounded_if_it_is_the_log(tmp_path: Path) -> None:
    """As `engramma start` has it: whatever the process writes there, not only what is logged."""
    log = tmp_path / "daemon.log"
    script = (
        "import os, pathlib, sys\n"
        "from engramma.apps.daemon import logfile\n"
        "logfile.rotate.__defaults__ = (10_000,)\n"
        "bounded = logfile.Bounded(pathlib.Path(sys.argv[1]))\n"
        "for _ in range(100):\n"
        "    os.write(2, b'x' * 1_000)\n"
        "    bounded.look()\n"
    )
    with log.open("wb") as opened:  # and not for appending
        subprocess.run([sys.executable, "-c", script, str(log)], stderr=opened, check=True)
    assert log.stat().st_size <= 11_000
    assert set(log.read_bytes()) == {ord("x")}
    other = tmp_path / "mine.log"
    with other.open("wb") as opened:
        subprocess.run([sys.executable, "-c", script, str(log)], stderr=opened, check=True)
    assert other.stat().st_size == 100_000  # somebody's own file is left alone


def test_an_error_is_logged_by_its_kind_and_place_and_never_by_its_words(
    logged: tuple[logging.Logger, io.StringIO, list[float], Collapsing],
) -> None:
    logger, out, _, _ = logged
    try:
        raise ExceptionGroup("of tasks", [KeyError("what was said")])
    except ExceptionGroup:
        logger.exception("Error handling POST request")
    assert "Error handling POST request\nKeyError at " in out.getvalue()
    try:
        raise ValueError("what was said")
    except ValueError:
        logger.exception("Exception in ASGI application")
    assert "ValueError at" in out.getvalue() and "test_logfile.py" in out.getvalue()
    assert "what was said" not in out.getvalue() and "Traceback" not in out.getvalue()
