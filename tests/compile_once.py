"""Compiles what the tests import, on every core, before the workers of a first run would all do so for themselves."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def main() -> None:
    """Collects the tests of a share of the files in each of several processes, which leaves them compiled.

    What the command line has goes to pytest: `-m "not long"` compiles no file that is long as a whole. What cannot be
    imported here is left to the run itself.
    """
    shares = os.cpu_count() or 1
    files = sorted(path for path in HERE.rglob("test_*.py") if "browser" not in path.parts)
    collect = [sys.executable, "-m", "pytest", "--collect-only", "-qq", "-p", "no:xdist", "-p", "no:cacheprovider"]
    collect += ["--continue-on-collection-errors"]
    collect += sys.argv[1:]
    commands = ([*collect, *map(str, files[share::shares])] for share in range(shares))
    for process in [subprocess.Popen(command, stdout=subprocess.DEVNULL) for command in commands]:
        process.wait()


if __name__ == "__main__":
    main()
