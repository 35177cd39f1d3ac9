"""Takes out of an answer what differs from run to run: clocks, durations, ports, processes, keys, temporary paths."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

WINDOW = timedelta(days=400)  # a time from yesterday to so much later is of this run; the data are older
MEASURED = {"timings_ms", "milliseconds", "elapsed_ms", "seconds", "took_ms"}  # durations, or tables of them
CHANGING = {"pid", "worker", "port", "up_seconds", "bytes", "memory.db", "memory.db-wal", "token", "proxy_key", "proof"}
TIME = re.compile(r"(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(?:\.\d+)?(?: ?Z|[+-]\d\d:?\d\d| UTC)?)?")
STAMP = re.compile(r"\b(20\d\d)-?(\d\d)-?(\d\d)[T_-](\d\d)-?(\d\d)-?(\d\d)(?:[-.]?\d{3,6})?Z?")
PATTERNS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"(engramma-memory-)[a-z2-7]{16}\b"), r"\1TAG"),
    (re.compile(r"(127\.0\.0\.1|localhost|\[::1\]):\d{2,5}\b"), r"\1:PORT"),
    (re.compile(r"/p/[0-9a-f]{32}/"), "/p/KEY/"),
    (re.compile(r"\b000[0-9a-f]{21}\b"), "AUDIT-ID"),
    (re.compile(r"\.engramma-backup-\w{8}\b"), ".engramma-backup-NAME"),
    (re.compile(r"\b(pid|process) \d+\b"), r"\1 PID"),
    (re.compile(r"\b\d+(?:\.\d+)? ?(?:ms|seconds)\b(?= *(?:$|\n|\)))"), "DURATION"),
)


class Plain:
    """Normalises text and JSON values; ids that a run made from a clock or at random are named by order."""

    def __init__(self, paths: dict[str, str]) -> None:
        self.began = datetime.now(UTC)
        self.paths = sorted(paths.items(), key=lambda one: -len(one[0]))
        self.named: dict[str, str] = {}

    def name(self, value: object, kind: str) -> None:
        """Call a random value by its kind and number from now on."""
        if isinstance(value, str) and value and value not in self.named:
            number = sum(1 for one in self.named.values() if one.startswith(f"<{kind} ")) + 1
            self.named[value] = f"<{kind} {number}>"

    def value(self, value: Any, key: str = "") -> Any:
        """A JSON value without what differs from run to run."""
        if key in MEASURED:
            return dict.fromkeys(sorted(value), "MEASURED") if isinstance(value, dict) else "MEASURED"
        if key in CHANGING and not isinstance(value, dict | list) and value is not None:
            return "CHANGING"
        if isinstance(value, dict):
            return {self.text(str(name)): self.value(one, str(name)) for name, one in value.items()}
        if isinstance(value, list | tuple):
            return [self.value(one) for one in value]
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return self.number(value)
        return value

    def number(self, value: float) -> float | str:
        """A count of seconds or microseconds since 1970 that falls into this run is a clock, not a figure."""
        start = (self.began - timedelta(days=1)).timestamp()
        for unit in (1, 1_000_000):
            if start * unit <= value <= (start + WINDOW.total_seconds()) * unit:
                return self.moment(datetime.fromtimestamp(value / unit, UTC))
        return value

    def text(self, text: str) -> str:
        """A text without what differs from run to run."""
        for value, name in self.named.items():
            text = text.replace(value, name)
        for path, name in self.paths:
            text = text.replace(path, name)
        for pattern, instead in PATTERNS:
            text = pattern.sub(instead, text)
        return TIME.sub(self._time, STAMP.sub(self._time_of(lambda found: "".join(found.groups())), text))

    def moment(self, at: datetime) -> str:
        """The name of a time of this run: now, or so many days from now."""
        days = round((at - self.began) / timedelta(days=1))
        return f"NOW+{days}d" if days > 1 else "NOW"

    def _in_run(self, at: datetime) -> bool:
        return self.began - timedelta(days=1) <= at <= self.began + WINDOW

    def _time(self, found: re.Match[str]) -> str:
        try:
            at = datetime.fromisoformat(f"{found[1]}T{found[2] or '12:00'}").replace(tzinfo=UTC)
        except ValueError:
            return found[0]
        return self.moment(at) if self._in_run(at) else found[0]

    def _time_of(self, digits: Callable[[re.Match[str]], str]) -> Callable[[re.Match[str]], str]:
        def replaced(found: re.Match[str]) -> str:
            try:
                at = datetime.strptime(digits(found), "%Y%m%d%H%M%S").replace(tzinfo=UTC)
            except ValueError:
                return found[0]
            return self.moment(at) if self._in_run(at) else found[0]

        return replaced
