"""Encrypts or decrypts copies of a store and dies by SIGKILL at one step after the other: a step is a call that
changes a file's name, deletes one, or waits for the disk."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from pathlib import Path

from engramma.admin.encrypt import KeyChoice, decrypt_store, encrypt_store

STRIDE = 1 if os.environ.get("ENGRAMMA_LONG") else 5  # steps from one kill to the next
STEPS = ("replace", "unlink", "fsync", "rmdir")


def die_at(step: int) -> None:
    """Kill this process just before the step."""
    left = [step]
    for name in STEPS:
        real = getattr(os, name)

        def counted(*args, real=real, **options):
            left[0] -= 1
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*args, **options)

        setattr(os, name, counted)


def main() -> None:
    way, store, key, copies = sys.argv[1], *map(Path, sys.argv[2:5])
    for step in range(1, 500, STRIDE):
        shutil.copytree(store, copy := copies / f"{step:03}")
        if (child := os.fork()) == 0:
            die_at(step)
            if way == "encrypt":
                encrypt_store(copy, KeyChoice("file", key_file=key))
            else:
                decrypt_store(copy)
            os._exit(0)
        if os.waitpid(child, 0)[1] == 0:
            return
    raise SystemExit("it never ended")


if __name__ == "__main__":
    main()
