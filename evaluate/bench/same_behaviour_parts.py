"""What a recording is made of: parts, files of JSON lines with a key and a value each; and the command under test."""

from __future__ import annotations

import json
import os
import subprocess
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from same_behaviour_plain import Plain

KEPT = ("PATH", "PYTHONPYCACHEPREFIX", "LD_LIBRARY_PATH")  # of the environment; the rest could change an answer
SECONDS = 1800  # the longest that one command may take


@dataclass
class Parts:
    """Writes the items of a recording, one file a part."""

    folder: Path
    plain: Plain
    counts: Counter[str] = field(default_factory=Counter)
    keys: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, part: str, key: str, value: Any) -> None:
        """Write one item; a key that was there before gets a number."""
        key = self.plain.text(key)
        self.keys[part, key] += 1
        if (times := self.keys[part, key]) > 1:
            key = f"{key} #{times}"
        line = json.dumps({"key": key, "value": self.plain.value(value)}, ensure_ascii=False, sort_keys=True)
        with (self.folder / f"{part}.jsonl").open("a", encoding="utf-8") as file:
            file.write(line + "\n")
        self.counts[part] += 1

    def add_rows(self, part: str, key: str, rows: Iterable[Any]) -> None:
        """Write a list, an item a row."""
        for number, row in enumerate(rows):
            self.add(part, f"{key} row {number}", row)


class Done(NamedTuple):
    """What a command left: its exit code and what it wrote."""

    code: int
    out: str
    err: str

    def value(self) -> dict[str, Any]:
        """The same as a value of a recording, with JSON read."""
        return {"exit": self.code, "out": parsed(self.out), "err": self.err}


def parsed(text: str) -> Any:
    """The JSON in a text, or the text."""
    try:
        return json.loads(text)
    except ValueError:
        return text


@dataclass(frozen=True)
class Program:
    """The `engramma` command under test, in a home of its own."""

    path: Path
    home: Path

    def environment(self) -> dict[str, str]:
        """An environment in which nothing of this machine's settings is felt."""
        fixed = {"HOME": str(self.home), "TZ": "UTC", "LANG": "C.UTF-8", "COLUMNS": "100", "NO_COLOR": "1"}
        return {name: os.environ[name] for name in KEPT if name in os.environ} | fixed

    def run(self, *arguments: str, stdin: str = "") -> Done:
        """Run it to its end."""
        done = subprocess.run(
            [str(self.path), *arguments],
            input=stdin,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            env=self.environment(),
            cwd=self.home,
            timeout=SECONDS,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    def needed(self, *arguments: str) -> Any:
        """Run it to its end, which must be a good one; gives back the JSON or text that it printed."""
        done = self.run(*arguments)
        if done.code:
            raise SystemExit(f"engramma {' '.join(arguments)} ended with {done.code}: {done.err[-2000:]}")
        return parsed(done.out)
