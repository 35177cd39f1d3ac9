"""`python -m engramma`: the `engramma` command where its script is not on the path."""

from __future__ import annotations

from .apps.cli.main import run

if __name__ == "__main__":
    run()
