"""The README's table of results, made from evaluate/results/*.json.

python -m engramma.evaluate.table README.md evaluate/results           writes it between the markers
python -m engramma.evaluate.table README.md evaluate/results --check   says whether it is up to date
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import BadInput
from ..files import foreign_json

START, END = "<!-- results -->", "<!-- /results -->"
COLUMNS = {"baseline bm25": "BM25", "baseline cosine": "plain cosine", "default": "Engramma"}


@dataclass(frozen=True, slots=True)
class TableRow:
    """One figure of the table and where it stands in a record."""

    what: str
    task: str
    layout: str
    group: str
    measure: str


ROWS = (
    TableRow("LoCoMo, turn recall@10, categories 1-4", "locomo", "each", "categories 1-4", "turn_recall@10"),
    TableRow("the same, all conversations in one store", "locomo", "shared", "categories 1-4", "turn_recall@10"),
    TableRow("LoCoMo, evidence inside a context of 2,000 tokens", "locomo", "each", "categories 1-4", "coverage@2000"),
    TableRow(
        "LongMemEval oracle, pooled, session any@5, questions never trained on",
        "longmemeval",
        "shared",
        "never trained on",
        "session_any@5",
    ),
    TableRow(
        "LME-S-snippet, session any@5, questions never trained on",
        "lme-s-snippet",
        "each",
        "never trained on",
        "session_any@5",
    ),
    TableRow("the same, all sessions in one store", "lme-s-snippet", "shared", "never trained on", "session_any@5"),
)


def find_newest_records(folder: Path) -> dict[str, dict[str, Any]]:
    """The newest record of each task; a run on the first questions only is no result."""
    found: dict[str, tuple[tuple[str, str], dict[str, Any]]] = {}
    for path in sorted(folder.glob("*.json")):
        record = foreign_json.loads(path.read_text(encoding="utf-8"))
        if "layouts" in record and not record["dataset"]["limit"]:
            order = (record["date"], path.name)
            if record["task"] not in found or order > found[record["task"]][0]:
                found[record["task"]] = (order, record)
    return {task: record for task, (_, record) in found.items()}


def made(found: dict[str, dict[str, Any]], rows: Iterable[TableRow] = ROWS) -> str:
    """The table in Markdown; rows without a record are left out."""
    lines = [f"| what | n | {' | '.join(COLUMNS.values())} | command |", f"|---|---|{'---|' * (len(COLUMNS) + 1)}"]
    for row in rows:
        record = found.get(row.task, {})
        runs = record.get("layouts", {}).get(row.layout, {}).get("runs", {})
        values = {name: run["groups"].get(row.group, {}) for name, run in runs.items()}
        if row.measure not in values.get("default", {}):
            continue
        figures = {name: values.get(name, {}).get(row.measure) for name in COLUMNS}
        best = max(value for value in figures.values() if value is not None)
        cells = " | ".join(_written(value, value == best) for value in figures.values())
        lines.append(f"| {row.what} | {values['default']['n']} | {cells} | `{_shown(record['command'])}` |")
    return "\n".join(lines)


def _shown(command: str) -> str:
    """The command without where it keeps and writes things, which changes no figure; the record has it whole."""
    return re.sub(r" --(?:cache|json|plot) \S+", "", command)


def _written(value: float | None, best: bool) -> str:
    if value is None:
        return "-"
    return f"**{100 * value:.1f} %**" if best else f"{100 * value:.1f} %"


def filled(page: str, table: str) -> str:
    """The page with the table between its markers."""
    if START not in page or END not in page:
        raise BadInput(f"The page has no place for the table: it needs a line {START} and a line {END}.")
    return re.sub(f"{START}.*?{END}", lambda _: f"{START}\n{table}\n{END}", page, count=1, flags=re.DOTALL)


def main(arguments: list[str]) -> int:
    check = "--check" in arguments
    paths = [Path(a) for a in arguments if a != "--check"]
    if len(paths) != 2:
        sys.stderr.write(f"{__doc__}\n")
        return 2
    page, folder = paths
    text = page.read_text(encoding="utf-8")
    try:
        new = filled(text, made(find_newest_records(folder)))
    except BadInput as error:
        sys.stderr.write(f"{error}\n")
        return 1
    if check:
        sys.stderr.write("" if new == text else f"{page} is stale: run this without --check.\n")
        return int(new != text)
    page.write_text(new, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
