"""Figures for people and for files: tables on a terminal, JSON with where it came from."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from ..config.version import __version__
from .ablate import WHOLE, WITHOUT
from .answers import BUDGETS
from .runner import EACH

LONG_NAME = 13  # letters; a longer name of a group takes several lines
LAYOUTS = {EACH: "a store each", "shared": "one shared store"}
LABELS = {
    "turn_recall": "turn recall",
    "turn_any": "turn any",
    "turn_all": "turn all",
    "turn_mrr": "turn MRR",
    "turn_ndcg": "turn nDCG",
    "session_recall": "session fraction",
    "session_any": "session any",
    "session_all": "session all",
    "session_mrr": "session MRR",
    "session_ndcg": "session nDCG",
}


def recorded(result: dict[str, Any], arguments: Sequence[str], program: str = "engramma") -> dict[str, Any]:
    """The result with all that one needs to make it again. Folders stay out: they tell about the machine only."""
    words = [without_folder(word) for word in arguments]
    return {
        "engramma": __version__,
        "commit": commit(),
        "command": " ".join([program, *words]),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, {platform.system()}, "
        f"Python {platform.python_version()}",
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        **result,
    }


def without_folder(word: str) -> str:
    """/data/locomo10.json -> locomo10.json, --json=/tmp/out.json -> --json=out.json"""
    option, equals, value = word.rpartition("=") if word.startswith("--") else ("", "", word)
    return f"{option}{equals}{Path(value).name}" if os.sep in value else word


def commit() -> str | None:
    """The commit this code is from, marked where files differ from it; None outside a checkout."""
    here = Path(__file__).parent.parent
    try:
        tracked = subprocess.run(
            ["git", "ls-files", "--error-unmatch", "__init__.py"], cwd=here, capture_output=True, check=False
        )
        if tracked.returncode:
            return None
        command = ["git", "describe", "--always", "--dirty", "--exclude=*"]
        found = subprocess.run(command, cwd=here, capture_output=True, text=True, check=False)
    except OSError:
        return None
    return found.stdout.strip() or None


# --- tables ----------------------------------------------------------------------------------------


def show_record(record: dict[str, Any], console: Console) -> None:
    """Everything a person wants to see of a run."""
    console.print(Text(record["title"], style="bold"), Text(f"({record['dataset']['file']})", style="dim"))
    for note in record["notes"]:
        console.print(Text(f"  {note}", style="dim"))
    if record["dataset"]["limit"]:
        console.print(Text("  only the first questions: do not compare these figures with others", style="yellow"))
    for layout, found in record["layouts"].items():
        console.print(Group(*layout_tables(record, layout, found)))


def layout_tables(record: dict[str, Any], layout: str, found: dict[str, Any]) -> Iterable[RenderableType]:
    runs = {label: run for label, run in found["runs"].items() if not label.startswith(WITHOUT)}
    first = record["headline"][0]
    groups = groups_there(record)
    group = groups[0]
    size = f"{LAYOUTS[layout]}: {found['stores']:,} x, {found['turns']:,} turns, {found['segments']:,} segments"
    yield Text(f"\n{size}", style="bold underline")
    for name in groups[:2]:
        yield measures(f"{name}, %", runs, "groups", name, record["headline"])
    if any("corrected" in run for run in runs.values()):
        yield measures(f"{group} with corrected evidence, %", runs, "corrected", group, record["headline"])
    yield by_group(f"{label_measure(first)} by category, %", runs, record["groups"], first)
    asked = {label: run for label, run in runs.items() if "recall_ms" in run}
    if any(f"coverage@{BUDGETS[0]}" in run["groups"][group] for run in asked.values()):
        yield coverages(f"evidence turns inside the context, {group}, %", asked, group)
    if any(row["refused"] for run in asked.values() for row in run["groups"].values()):
        yield by_group("refused by category, %", asked, groups, "refused")
    yield costs(record, found, asked)
    if len(runs) < len(found["runs"]) and WHOLE in runs:
        yield _ablation(found["runs"], group, [*record["headline"], "coverage"])


def groups_there(record: dict[str, Any]) -> list[str]:
    """The groups that have questions; a limited run may lack some."""
    runs = [run for found in record["layouts"].values() for run in found["runs"].values()]
    return [group for group in record["groups"] if any(group in run["groups"] for run in runs)]


def measures(title: str, runs: dict[str, Any], which: str, group: str, names: Sequence[str]) -> Table:
    table = start_table(title, "recipe", "n", *(label_measure(name) for name in names))
    rows = {label: run[which][group] for label, run in runs.items() if group in run.get(which, {})}
    best = {name: max((row[name] for row in rows.values() if name in row), default=None) for name in names}
    for label, row in rows.items():
        cells = [cell(row.get(name), row.get(name) == best[name]) for name in names]
        table.add_row(label, str(row.get(f"n_{names[0].split('_')[0]}", row["n"])), *cells)
    return table


def by_group(title: str, runs: dict[str, Any], groups: Sequence[str], name: str) -> Table:
    shown = [group for group in groups if any(name in run["groups"].get(group, {}) for run in runs.values())]
    sample = next(iter(runs.values()))["groups"]
    heads = [stacked(group, sample.get(group, {}).get("n")) for group in shown]
    table = start_table(title, "recipe", *heads)
    for label, run in runs.items():
        table.add_row(label, *(cell(run["groups"].get(group, {}).get(name)) for group in shown))
    return table


def coverages(title: str, runs: dict[str, Any], group: str) -> Table:
    table = start_table(title, "recipe", *(f"{size:,} tokens" for size in BUDGETS), "as it is", "its tokens", "refused")
    for label, run in runs.items():
        row = run["groups"][group]
        cells = [cell(row.get(f"coverage@{size}")) for size in BUDGETS]
        table.add_row(label, *cells, cell(row.get("coverage")), f"{row['tokens']:,.0f}", cell(row["refused"]))
    return table


def costs(record: dict[str, Any], found: dict[str, Any], runs: dict[str, Any]) -> Table:
    table = start_table(
        "milliseconds", "recipe", "recall p50", "recall p95", "with the query's embedding p50", "slowest stage"
    )
    embedding = record["query_embedding_ms"]["p50"]
    for label, run in runs.items():
        times, stages = run["recall_ms"], run["stages_ms"]
        slowest = max(stages, key=lambda stage: stages[stage]["p50"]) if stages else "-"
        table.add_row(
            label,
            f"{times['p50']:.1f}",
            f"{times['p95']:.1f}",
            f"{times['p50'] + embedding:.1f}",
            f"{slowest} {stages[slowest]['p50']:.1f}" if stages else "-",
        )
    lag = found["write_to_readable_s"]
    table.caption = (
        f"{found['bytes_a_segment']:,.0f} bytes a segment on disk; {lag['p50']:.3f} s from write to readable"
        + (f" ({lag['missed']:.0f} of {lag['trials']:.0f} not found)" if lag["missed"] else "")
    )
    return table


def _ablation(runs: dict[str, Any], group: str, names: Sequence[str]) -> Table:
    """What the figures lose without a stage: a positive gain is what the stage is worth, in points."""
    table = start_table(
        f"ablation of {WHOLE}; {group}, % (gain in points)", "left out", *(label_measure(n) for n in names)
    )
    whole = runs[WHOLE]["groups"][group]
    table.add_row("nothing", *(cell(whole.get(name)) for name in names))
    for label, run in runs.items():
        if label.startswith(WITHOUT):
            row = run["groups"][group]
            pairs = [(row.get(name), whole.get(name)) for name in names]
            cells = [f"{100 * a:.1f} ({gain(b, a):+.1f})" if a is not None and b is not None else "-" for a, b in pairs]
            table.add_row(label.removeprefix(WITHOUT), *cells)
    return table


def gain(whole: float, without: float) -> float:
    """In points; never a negative zero."""
    return round(100 * (whole - without), 1) + 0.0


def start_table(title: str, first: str, *rest: str) -> Table:
    table = Table(
        title=title,
        title_justify="left",
        title_style="bold",
        caption_justify="left",
        header_style="",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
    )
    table.add_column(first, no_wrap=True)
    for name in rest:
        table.add_column(name, justify="right")
    return table


def cell(value: float | None, best: bool = False) -> str:
    if value is None:
        return "-"
    return f"[bold]{100 * value:.1f}[/bold]" if best else f"{100 * value:.1f}"


def stacked(group: str, n: int | None) -> str:
    """A group's name in short lines, with its n below."""
    if " " in group:
        parts = group.split(" ", 1)
    elif len(group) > LONG_NAME:
        parts = group.replace("-", "- ").split(" ")
    else:
        parts = [group]
    return "\n".join([*parts, f"n={n}"] if n else parts)


def label_measure(name: str) -> str:
    """turn_recall@10 -> turn recall@10"""
    stem, _, k = name.partition("@")
    return LABELS.get(stem, stem) + (f"@{k}" if k else "")
