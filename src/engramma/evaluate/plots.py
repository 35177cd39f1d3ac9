"""Pictures of a run: recall against k, by category, and evidence against tokens. Needs matplotlib."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..errors import BadInput
from .ablate import WHOLE, WITHOUT
from .answers import BUDGETS
from .metrics import CUTS
from .report import LAYOUTS, gain, groups_there, label_measure, stacked

INSTALL = "pip install 'engramma[eval]'"
# Okabe and Ito's colours, which everybody can tell apart; baselines are grey.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C6BB1", "#7F4F24")
GREYS = ("#A0A0A0", "#CFCFCF")
MARKERS = "osD^vPX*"
WIDTH = 5.4  # inches of a panel beside another
INK, FAINT = "#222222", "#E3E3E3"
STYLE = {
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": "#9A9A9A",
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": FAINT,
    "grid.linewidth": 0.8,
    "xtick.color": INK,
    "ytick.color": INK,
    "legend.frameon": False,
    "figure.dpi": 110,
    "savefig.dpi": 160,
    "savefig.bbox": "tight",
    "savefig.pad_inches": 0.15,
}


def pyplot() -> Any:
    """matplotlib without a screen, or a message that says how to get it."""
    try:
        import matplotlib
    except ImportError as error:
        raise BadInput(f"--plot needs matplotlib. Install it with: {INSTALL}") from error
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    return plt


def draw_plots(record: dict[str, Any], folder: Path) -> list[Path]:
    """All pictures as PNG; returns their paths."""
    plt = pyplot()
    folder.mkdir(parents=True, exist_ok=True)
    with plt.rc_context(STYLE):
        figures = {
            "recall": curves(plt, record),
            "categories": bars(plt, record),
            "coverage": _coverage(plt, record),
            "ablation": _ablation(plt, record),
        }
        paths = []
        for name, figure in figures.items():
            if figure is not None:
                paths.append(folder / f"{record['task']}-{name}.png")
                figure.savefig(paths[-1])
                plt.close(figure)
    return paths


def _shown(found: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """(label, run, how its line looks): recipes in colour, baselines in grey behind them.

    Later lines are thinner, so that one which lies exactly on another leaves it to be seen.
    """
    runs = {label: run for label, run in found["runs"].items() if not label.startswith(WITHOUT)}
    baselines = [label for label in runs if label.startswith("baseline ")]
    recipes = [label for label in runs if label not in baselines]
    for number, label in enumerate(baselines):
        look = {"color": GREYS[number % 2], "linewidth": 5.6, "alpha": 0.9, "solid_capstyle": "round", "zorder": 2}
        yield label, runs[label], look
    for number, label in enumerate(recipes):
        width = max(1.8, 4.2 - 1.2 * number)
        look = {
            "color": COLOURS[number % len(COLOURS)],
            "linewidth": width,
            "marker": MARKERS[number % len(MARKERS)],
            "markersize": width + 3.6,
            "markeredgecolor": "white",
            "markeredgewidth": 0.7,
            "zorder": 3 + number,
        }
        yield label, runs[label], look


def panels(plt: Any, record: dict[str, Any], height: float = 4.0) -> tuple[Any, list[Any]]:
    count = len(record["layouts"])
    width = WIDTH if count > 1 else 1.5 * WIDTH
    figure, axes = plt.subplots(
        1, count, figsize=(width * count, height), sharey=True, squeeze=False, layout="constrained"
    )
    return figure, list(axes[0])


def _headed(figure: Any, record: dict[str, Any], what: str, group: str | None) -> None:
    first = next(iter(next(iter(record["layouts"].values()))["runs"].values()))["groups"]
    over = f"{group}, n = {first[group]['n']}" if group else "n: questions in the group"
    limited = ", first questions only" if record["dataset"]["limit"] else ""
    figure.suptitle(f"{record['title']}: {what}", x=0.01, ha="left", fontsize=13, fontweight="bold")
    figure.supxlabel(
        f"{over}{limited}  |  engramma {record.get('engramma', '')}, {record['embedder']['name']}",
        x=0.01,
        ha="left",
        fontsize=8,
        color="#777777",
    )


def legend(figure: Any, axis: Any) -> None:
    handles, labels = axis.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right center")


def curves(plt: Any, record: dict[str, Any]) -> Any:
    """The headline measure against k, a line a recipe."""
    stem, group = record["headline"][0].partition("@")[0], groups_there(record)[0]
    figure, axes = panels(plt, record)
    for axis, (layout, found) in zip(axes, record["layouts"].items(), strict=True):
        for label, run, look in _shown(found):
            row = run["groups"].get(group, {})
            axis.plot(CUTS, [100 * row.get(f"{stem}@{k}", 0) for k in CUTS], label=label, **look)
        axis.set_xscale("log")
        axis.set_xticks(CUTS, [str(k) for k in CUTS])
        axis.minorticks_off()
        axis.set_title(LAYOUTS[layout])
        axis.set_xlabel("k")
    axes[0].set_ylabel(f"{label_measure(stem)}@k, %")
    axes[0].set_ylim(0, 102)
    _headed(figure, record, f"{label_measure(stem)}@k", group)
    legend(figure, axes[-1])
    return figure


def bars(plt: Any, record: dict[str, Any]) -> Any:
    """The headline measure by category, a bar a recipe."""
    name = record["headline"][0]
    runs = list(_shown(next(iter(record["layouts"].values()))))
    groups = [g for g in groups_there(record) if any(name in run["groups"].get(g, {}) for _, run, _ in runs)]
    width = max(7.0, len(groups) * max(1.15, 0.24 * (len(runs) + 1.5)) + 2.5)
    count = len(record["layouts"])
    figure, axes = plt.subplots(
        count, 1, figsize=(width, 3.1 * count + 0.6), squeeze=False, layout="constrained", sharex=True
    )
    for axis, (layout, found) in zip(axes[:, 0], record["layouts"].items(), strict=True):
        runs = list(_shown(found))
        step = 0.82 / len(runs)
        for number, (label, run, look) in enumerate(runs):
            heights = [100 * run["groups"].get(group, {}).get(name, 0) for group in groups]
            at = [place + (number - (len(runs) - 1) / 2) * step for place in range(len(groups))]
            drawn = axis.bar(at, heights, step * 0.92, label=label, color=look["color"], zorder=3)
            axis.bar_label(drawn, fmt="%.0f", fontsize=6.5, padding=1.5, color="#555555")
        counts = next(iter(found["runs"].values()))["groups"]
        axis.set_xticks(range(len(groups)), [stacked(group, counts.get(group, {}).get("n")) for group in groups])
        axis.grid(axis="x", visible=False)
        axis.set_ylim(0, 108)
        axis.set_title(LAYOUTS[layout])
        axis.set_ylabel(f"{label_measure(name)}, %")
    _headed(figure, record, f"{label_measure(name)} by category", None)
    legend(figure, axes[0, 0])
    return figure


def _coverage(plt: Any, record: dict[str, Any]) -> Any:
    """Evidence inside the context against the tokens it takes; None where no budget was asked."""
    group = groups_there(record)[0]
    key = f"coverage@{BUDGETS[0]}"
    if not any(key in run["groups"].get(group, {}) for f in record["layouts"].values() for run in f["runs"].values()):
        return None
    figure, axes = panels(plt, record)
    for axis, (layout, found) in zip(axes, record["layouts"].items(), strict=True):
        for label, run, look in _shown(found):
            row = run["groups"].get(group, {})
            if key in row:
                tokens = [row[f"tokens@{size}"] for size in BUDGETS]
                axis.plot(tokens, [100 * row[f"coverage@{size}"] for size in BUDGETS], label=label, **look)
                axis.plot(
                    row["tokens"],
                    100 * row["coverage"],
                    "o",
                    markersize=11,
                    markerfacecolor="none",
                    color=look["color"],
                )
        axis.set_title(LAYOUTS[layout])
        axis.set_xlabel("tokens of the context (mean; a ring: as it is asked by default)")
        axis.set_xlim(left=0)
    axes[0].set_ylabel("evidence turns inside the context, %")
    axes[0].set_ylim(0, 102)
    _headed(figure, record, "evidence inside the context, budgets 500 to 8,000", group)
    legend(figure, axes[-1])
    return figure


def _ablation(plt: Any, record: dict[str, Any]) -> Any:
    """What each stage of `default` is worth; None where none was left out."""
    name, group = record["headline"][0], groups_there(record)[0]
    stages = list(dict.fromkeys(label for f in record["layouts"].values() for label in f["runs"] if WITHOUT in label))
    if not stages:
        return None
    figure, axes = panels(plt, record, height=1.6 + 0.34 * len(stages))
    for axis, (layout, found) in zip(axes, record["layouts"].items(), strict=True):
        whole = found["runs"][WHOLE]["groups"][group][name]
        gains = [gain(whole, found["runs"][stage]["groups"][group][name]) for stage in stages]
        colours = [COLOURS[0] if points >= 0 else COLOURS[1] for points in gains]
        drawn = axis.barh(range(len(stages)), gains, 0.62, color=colours, zorder=3)
        axis.bar_label(drawn, fmt="%+.1f", fontsize=8.5, padding=3)
        axis.set_yticks(range(len(stages)), [stage.removeprefix(WITHOUT) for stage in stages])
        axis.axvline(0, color="#9A9A9A", linewidth=0.9)
        axis.grid(axis="y", visible=False)
        axis.margins(x=0.18)
        axis.set_title(LAYOUTS[layout])
        axis.set_xlabel(f"points of {label_measure(name)} lost without it")
    axes[0].invert_yaxis()  # once: the panels share it
    _headed(figure, record, f"what each stage of {WHOLE} is worth", group)
    return figure
