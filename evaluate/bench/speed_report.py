"""The figures of speed.py as tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rich.console import Console
from rich.table import Table

ENCODERS = {
    "engramma": "engramma, packaged",
    "fp32": "the same network, fp32 in batches",
    "dynamic_int8": "the same, dynamic int8 of ONNX Runtime",
}
STORES = {"engramma": "Engramma", "langgraph": "LangGraph SqliteStore", "chroma": "Chroma"}


def show(figures: dict[str, Any]) -> None:
    """Print everything that was measured."""
    console = Console(width=120)
    about = figures["machine"]
    can = about["features"]
    features = can if isinstance(can, str) else ", ".join(f"{'' if has else 'no '}{name}" for name, has in can.items())
    console.print(f"{about['architecture']}: {about['processor']}, {about['cores']} cores, {about['memory_gb']} GB")
    console.print(f"{features}; load average {figures['load']['before']} before, {figures['load']['after']} after")
    console.print(", ".join(f"{name} {number}" for name, number in figures["versions"].items()))
    for part, table in TABLES.items():
        if part in figures:
            console.print(table(figures[part]))


def encoder_table(found: dict[str, Any]) -> Table:
    table = Table("encoder", "texts/s", "cpu ms a text", "one query, ms", "cosine to fp32: least, mean")
    for name, shown in ENCODERS.items():
        one = found[name]
        cosines = f"{one['cosine_least']}, {one['cosine_mean']}"
        table.add_row(shown, str(one["texts_s"]), str(one["cpu_ms_a_text"]), str(one["query_ms"]), cosines)
    return table


def store_table(found: dict[str, Any]) -> Table:
    table = Table(
        "store", "import, turns/s", "from, to", "cpu ms a turn", "query", "p50 ms", "p95 ms", "cpu ms", "peak MB"
    )
    alone = found["embedding_alone"]
    for shown, key in (("embedding alone, by session", "turns_s"), ("embedding alone, in groups", "in_groups_turns_s")):
        cpu = str(alone["cpu_ms_a_turn"]) if key == "turns_s" else ""
        table.add_row(shown, *rates(alone[key]), cpu, *[""] * 5)
    for name, shown in STORES.items():
        if name not in found:
            continue
        one = found[name]
        first = (shown, *rates(one["import_turns_s"]), str(one["import_cpu_ms_a_turn"]))
        for recipe, times in one["query"].items():
            peak = str(one["peak_mb"]) if first[0] else ""
            table.add_row(*first, recipe, str(times["p50_ms"]), str(times["p95_ms"]), str(times["cpu_ms"]), peak)
            first = ("", "", "", "")
    ours = found["engramma"]
    table.add_row("Engramma, a file", *rates(ours["file_turns_s"]), str(ours["file_cpu_ms_a_turn"]), *[""] * 5)
    table.caption = (
        f"{found['turns']} turns. Session by session takes {ours['times_embedding_alone']} times as long as embedding "
        f"alone ({ours['cpu_times_embedding_alone']} of the processor's time), a file "
        f"{ours['file_times_embedding_alone']} times."
    )
    return table


def rates(found: dict[str, float]) -> tuple[str, str]:
    return str(found["median"]), f"{found['least']}, {found['most']}"


def shell_table(found: dict[str, Any]) -> Table:
    table = Table("engramma recall, a new process", "seconds", "seconds of the processor", "peak MB")
    for name, shown in (("alone", "without a daemon"), ("daemon", "answered by a daemon")):
        one = found[name]
        table.add_row(shown, str(one["wall_s"]), str(one["cpu_s"]), str(round(one["peak_mb"], 1)))
    return table


def installed_table(found: dict[str, Any]) -> Table:
    table = Table("installed, without bytecode", "MB (10^6)", "of")
    for name, one in found.items():
        table.add_row(STORES[name], str(one["mb"]), ", ".join(f"{k} {v}" for k, v in one["versions"].items()))
    return table


def reader_table(found: dict[str, Any]) -> Table:
    table = Table("readers", "writer", "recalls/s", "p50 ms", "p95 ms", "cpu ms", "cores", "errors")
    for row in found["rows"]:
        who = f"{row['processes']} processes" if row["processes"] > 1 else f"threads: {row['threads']}"
        numbers = [str(row[name]) for name in ("recalls_s", "p50_ms", "p95_ms", "cpu_ms", "cores")]
        table.add_row(who, "yes" if row["writer"] else "", *numbers, str(len(row["errors"])))
    return table


def disk_table(found: list[dict[str, Any]]) -> Table:
    table = Table("turns", "fresh store, bytes", "bytes a turn", "archive, bytes a turn")
    for row in found:
        table.add_row(*(str(row[name]) for name in ("turns", "fresh_bytes", "bytes_a_turn", "archive_a_turn")))
    return table


TABLES: dict[str, Callable[[Any], Table]] = {
    "encoder": encoder_table,
    "stores": store_table,
    "shell": shell_table,
    "installed": installed_table,
    "readers": reader_table,
    "disk": disk_table,
}
