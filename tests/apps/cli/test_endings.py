"""Commands that are stopped, by Ctrl-C, a signal, a reader that has enough or a full disk, end in good order."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands import ran

pytestmark = [pytest.mark.long, pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals and devices")]

# What runs behind nohup or in the background is started with these ignored, and so would these tests' commands be.
LISTENING = """
import signal
signal.signal(signal.SIGHUP, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)
"""
# A backup that waits after the database was copied, until it is told to end.
WAITING = """
import sys, time
from engramma.transfer import backup
copy = backup.copy_database
def waiting(*given):
    copy(*given)
    print("copied", flush=True)
    time.sleep(60)
backup.copy_database = waiting
sys.argv = ["engramma", *sys.argv[1:]]
from engramma.apps.cli.main import run
run()
"""


@pytest.fixture
def store(tmp_path: Path) -> Path:
    assert ran("--store", tmp_path / "store", "remember", "The ladder is behind the shed").returncode == 0
    return tmp_path / "store"


def in_shell(line: str, store: Path) -> subprocess.CompletedProcess[str]:
    command = ["sh", "-c", line, sys.executable, str(store)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize(
    ("told", "code", "said"),
    [
        (signal.SIGTERM, 143, ""),
        (signal.SIGHUP, 129, ""),
        (signal.SIGINT, 130, "engramma: interrupted; what was stored until then is kept\n"),
    ],
)
def test_a_backup_that_is_told_to_end_leaves_no_copy(store: Path, tmp_path: Path, told: int, code: int, said: str):
    command = [sys.executable, "-c", LISTENING + WAITING, "--store", str(store), "backup", str(tmp_path / "b.zip")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "copied\n"
        assert [path for path in tmp_path.iterdir() if path.name.startswith(".engramma-backup-")]
        process.send_signal(told)
        _, error = process.communicate(timeout=30)
    assert (process.returncode, error) == (code, said)
    assert [path.name for path in tmp_path.iterdir()] == ["store"]


def test_a_command_that_ignores_hanging_up_goes_on(store: Path, tmp_path: Path):
    before = "import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)\n" + WAITING.replace("(60)", "(1)")
    command = [sys.executable, "-c", before, "--store", str(store), "backup", str(tmp_path / "b.zip")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "copied\n"
        process.send_signal(signal.SIGHUP)
        assert process.wait(timeout=60) == 0
    assert (tmp_path / "b.zip").is_file()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("command", ["stats", "export", "--json recall ladder"])
def test_output_that_does_not_fit_is_a_failure_in_words(store: Path, command: str):
    done = in_shell(f'"$0" -m engramma --store "$1" {command} > /dev/full', store)
    assert done.returncode == 1
    assert done.stderr.startswith("engramma: cannot write") and "No space left" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("command", ["stats", "export", "recall ladder"])
def test_a_reader_that_has_enough_is_no_failure(store: Path, command: str):
    done = in_shell(f'{{ "$0" -m engramma --store "$1" {command}; echo "code $?" >&2; }} | true', store)
    assert done.stderr == "code 0\n"


def test_input_that_was_closed_is_empty(store: Path):
    done = in_shell('"$0" -m engramma --store "$1" remember - <&-', store)
    assert done.returncode == 1 and "The text is empty" in done.stderr and "Traceback" not in done.stderr
    assert in_shell('"$0" -m engramma --store "$1" import --discover <&-', store).stderr.count("Traceback") == 0
