"""How well `engramma.language.dates` reads dates, against the specifications of Microsoft's Recognizers-Text.

    python evaluate/bench/datetimes.py FOLDER [--json OUT] [--misses] [--only NAME]

FOLDER holds files such as DateParser.json (MIT licence, github.com/microsoft/Recognizers-Text, Specs/DateTime/English).
Per file and kind: labelled results, the share for which we find an expression that overlaps the label, and the
share resolved to the same days, whichever way an open year is settled. `exact` asks for both labelled days.
`resolved` also takes, where the label is a range with two ends, the end of the day, week, month, quarter or year
that begins at the labelled end: the labels stop where the last part begins, we count that part in. Labels
without any day (a season, an impossible date) are found or not, but not counted as resolved. For inputs without
labels every find is a false one. What the specifications mark as not supported by one of their own
implementations is counted in the table and once more apart.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from engramma.language.dates import EARLIEST, LATEST, Interval, intervals

KINDS = ("date", "daterange")
NOT_RESOLVED = ("", "0001-01-01", "not resolved")
# For the few inputs that name no reference, whose dates are all absolute.
DEFAULT_REFERENCE = "2016-11-07T00:00:00"
Days = tuple[str, str]


@dataclass
class Tally:
    """Counts of one file and kind."""

    labels: int = 0
    found: int = 0
    dated: int = 0
    exact: int = 0
    resolved: int = 0
    misses: list[str] = field(default_factory=list)

    def row(self) -> dict[str, float | int]:
        return {
            "labels": self.labels,
            "found": round(self.found / max(1, self.labels), 4),
            "dated": self.dated,
            "exact": round(self.exact / max(1, self.dated), 4),
            "resolved": round(self.resolved / max(1, self.dated), 4),
        }


def labels_of(entry: dict[str, Any]) -> list[tuple[str, int, int, list[Days], bool]]:
    """Kind, span, accepted days (one for a date, start and end for a range) and whether it is a range with two ends."""
    found = []
    for result in entry["Results"]:
        kind = str(result.get("Type") or result.get("TypeName") or "").removeprefix("datetimeV2.")
        start = int(result.get("Start", -1))
        end = start + int(result["Length"]) if "Length" in result else int(result.get("End", -2)) + 1
        if "Value" in result:
            value = result["Value"] or {}
            options = [value.get("PastResolution") or {}, value.get("FutureResolution") or {}]
            values = [
                {"value": o.get("date"), "start": o.get("startDate"), "end": o.get("endDate"), "timex": value["Timex"]}
                for o in options
            ]
        else:
            values = (result.get("Resolution") or {}).get("values") or []
        days = [
            (str(v.get("value") or v.get("start") or ""), str(v.get("value") or v.get("end") or ""))
            for v in values
            if v.get("value") not in NOT_RESOLVED[1:]
        ]
        days = [pair for pair in days if any(day not in NOT_RESOLVED for day in pair)]
        has_ends = any(str(v.get("timex") or "").startswith("(") for v in values)
        found.append((kind, start, end, days, has_ends))
    return found


def shown(interval: Interval) -> Days:
    """The days where it starts and ends, empty where it is open."""
    start = "" if interval.start == EARLIEST else f"{interval.start:%Y-%m-%d}".rjust(10, "0")
    end = "" if interval.end == LATEST else f"{interval.end:%Y-%m-%d}".rjust(10, "0")
    return start, end


def one_more(day: str) -> set[str]:
    """The day, and the ends of the day, week, month, quarter and year that begin on it."""
    start = datetime.fromisoformat(day)
    ends = [start + timedelta(days=1)]
    if start.weekday() == 0:
        ends.append(start + timedelta(days=7))
    if start.day == 1:
        # A few days too many, and back to the month's first.
        ends += [(start + timedelta(days=days)).replace(day=1) for days in (31, 92)]
    if (start.month, start.day) == (1, 1):
        ends.append(start.replace(year=start.year + 1))
    return {day, *(f"{moment:%Y-%m-%d}".rjust(10, "0") for moment in ends)}


def compare(kind: str, days: list[Days], has_ends: bool, interval: Interval) -> tuple[bool, bool]:
    """Whether the interval has exactly the labelled days, and whether it does with the last one counted in."""
    start, end = shown(interval)
    if kind == "date":
        is_equal = any(start == day for day, _ in days)
        return is_equal, is_equal
    is_exact = (start, end) in days
    is_counted = has_ends and any(start == first and last and end in one_more(last) for first, last in days)
    return is_exact, is_exact or is_counted


def best(finds: list[Interval], kind: str, days: list[Days], has_ends: bool) -> tuple[bool, bool]:
    results = [compare(kind, days, has_ends, find) for find in finds]
    return any(exact for exact, _ in results), any(resolved for _, resolved in results)


def measure(path: Path) -> dict[str, Any]:
    entries = json.loads(path.read_text(encoding="utf-8-sig"))
    tallies: dict[str, Tally] = defaultdict(Tally)
    empty = false = others = 0
    false_texts, spent = [], 0.0
    for entry in entries:
        reference = (entry.get("Context") or {}).get("ReferenceDateTime") or DEFAULT_REFERENCE
        moment = datetime.fromisoformat(reference)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        text = entry["Input"]
        began = time.perf_counter()
        found = {prefer: intervals(text, moment, prefer=prefer) for prefer in ("past", "future")}
        spent += (time.perf_counter() - began) / 2
        labels = labels_of(entry)
        if not labels:
            empty += 1
            false += bool(found["past"])
            false_texts += [f"{text!r}: {[i.text for i in found['past']]}"] if found["past"] else []
        for kind, start, end, days, has_ends in labels:
            if kind not in KINDS:
                others += 1
                continue
            finds = [i for each in found.values() for i in each if i.span[0] < end and start < i.span[1]]
            is_exact, is_resolved = best(finds, kind, days, has_ends)
            groups = [kind]
            if "NotSupported" in entry or "NotSupportedByDesign" in entry:
                groups.append(f"{kind}, not supported by all of theirs")
            for group in groups:
                tally = tallies[group]
                tally.labels += 1
                tally.found += bool(finds)
                tally.dated += bool(days)
                tally.exact += bool(days) and is_exact
                tally.resolved += bool(days) and is_resolved
            if days and not is_resolved:
                ours = [(i.text, *shown(i)) for i in finds]
                tallies[kind].misses.append(f"{reference[:10]} {text!r}: [{text[start:end]}] {days} ours {ours}")
    return {
        "kinds": {kind: tally.row() for kind, tally in sorted(tallies.items())},
        "misses": {kind: tally.misses for kind, tally in tallies.items() if tally.misses},
        "other kinds": others,
        "without labels": empty,
        "false finds": false,
        "false texts": false_texts,
        "microseconds a text": round(spent / max(1, len(entries)) * 1e6, 1),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("folder", type=Path, help="a folder of specification files")
    parser.add_argument("--json", type=Path, help="write the figures here")
    parser.add_argument("--misses", action="store_true", help="print what was not resolved and the false finds")
    parser.add_argument("--only", help="a file's name without .json")
    arguments = parser.parse_args()
    paths = sorted(path for path in arguments.folder.glob("*.json") if arguments.only in (None, path.stem))
    if not paths:
        sys.exit(f"no specification files in {arguments.folder}")
    results = {path.stem: measure(path) for path in paths}
    table = Table("file", "kind", "labels", "found", "dated", "exact", "resolved", "false finds", "µs a text")
    for name, result in results.items():
        for kind, row in result["kinds"].items():
            false = f"{result['false finds']} of {result['without labels']}"
            shares = (f"{row['found']:.1%}", str(row["dated"]), f"{row['exact']:.1%}", f"{row['resolved']:.1%}")
            table.add_row(name, kind, str(row["labels"]), *shares, false, str(result["microseconds a text"]))
    Console(width=150).print(table)
    if arguments.misses:
        for result in results.values():
            for line in [*(m for ms in result["misses"].values() for m in ms), *result["false texts"]]:
                print(line)
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
