"""Figures of answers for people: tables on a terminal, and the curve of abstention as a picture."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from .plots import COLOURS, STYLE, pyplot


def show_qa_record(record: dict[str, Any], console: Console) -> None:
    """Every table of a record."""
    limited = ", first questions only" if record["dataset"]["limit"] else ""
    console.print(f"{record['title']}: {record['questions']} questions of {record['dataset']['file']}{limited}")
    times = record["ask_ms"]
    console.print(f"ask: {times['p50']:.0f} ms (median), {times['p95']:.0f} ms (95th percentile)\n")
    if "llm" in record:
        written = ", ".join(f"{count} {how}" for how, count in record["llm"]["written"].items())
        console.print(f"written by {record['llm']['model']}: {written}\n")
    if "people" in record:
        for name, found in record["people"].items():
            rows = {"all": found["all"], **found["conversations"]}
            console.print(table(name, list(found["all"]), rows))
        return
    show_quotes(record["quotes"], console)
    if "f1" not in record:
        return
    console.print(table("F1 by LoCoMo's rules", list(next(iter(record["f1"].values()))), record["f1"]))
    abstained = record["abstention"]
    console.print(
        f"abstention at {abstained['threshold']}: {percent(abstained['adversarial_refused'])} of the adversarial and "
        f"{percent(abstained['answerable_refused'])} of the answerable refused; AUROC {abstained['auroc']:.3f}"
    )
    columns = ["n", "auroc", "adversarial_refused", "answerable_refused"]
    console.print(table("by conversation", columns, abstained["by_conversation"]))
    if "cross_validated" in abstained:
        crossed = abstained["cross_validated"]
        console.print(
            f"weights and threshold from the other conversations: {percent(crossed['adversarial_refused'])} and "
            f"{percent(crossed['answerable_refused'])}; AUROC {crossed['auroc']:.3f}; "
            f"{percent(crossed['refused_at_8'])} at 8 %"
        )
        console.print(table("the same by conversation", columns, crossed["by_conversation"]))
    console.print(table("whose words", ["share"], {k: {"share": v} for k, v in record["attribution"].items()}))


def show_quotes(found: dict[str, Any], console: Console) -> None:
    """What each system said, quoted, got wrong and refused, group by group."""
    rows = {f"{group}: {system}": own for group, systems in found["groups"].items() for system, own in systems.items()}
    columns = list(dict.fromkeys(name for row in rows.values() for name in row))
    console.print(table("Short answers: shares said, quoted, wrong and refused", columns, rows))
    if found["left_out"]:
        console.print(f"{found['left_out']} answerable questions are left out: their answers are too long\n")


def table(title: str, columns: Sequence[str], rows: dict[str, dict[str, Any]]) -> Table:
    made = Table(title=title, box=box.SIMPLE, title_justify="left")
    made.add_column("")
    for column in columns:
        made.add_column(column.replace("_", " "), justify="right")
    for name, row in rows.items():
        made.add_row(name, *(_cell(row.get(column)) for column in columns))
    return made


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return "-" if math.isnan(value) else f"{value:.3f}"
    return "-" if value is None else f"{value:,}"


def percent(value: float) -> str:
    return f"{100 * value:.1f} %"


def draw_abstention(record: dict[str, Any], folder: Path) -> list[Path]:
    """The curve of abstention as PNG; nothing for a record that has none."""
    if "abstention" not in record:
        return []
    plt = pyplot()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{record['task']}-roc.png"
    found = record["abstention"]
    points = found["curve"]
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(figsize=(5.4, 4.6), layout="constrained")
        x, y = ([100 * point[f"{kind}_refused"] for point in points] for kind in ("answerable", "adversarial"))
        axes.plot(x, y, color=COLOURS[0], linewidth=2, label=f"confidence, AUROC {found['auroc']:.3f}")
        here = 100 * found["answerable_refused"], 100 * found["adversarial_refused"]
        axes.plot(
            *here, "o", color=COLOURS[1], label=f"threshold {found['threshold']}: {here[1]:.0f} % at {here[0]:.1f} %"
        )
        axes.axvline(8, color="#9A9A9A", linewidth=0.8, linestyle="--")
        axes.set(xlabel="answerable questions refused, %", ylabel="adversarial questions refused, %")
        axes.set(xlim=(0, 100), ylim=(0, 101), title=record["title"])
        axes.legend(loc="lower right")
        figure.savefig(path)
        plt.close(figure)
    return [path]
