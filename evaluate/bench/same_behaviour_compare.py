"""Compares two recordings, part by part and item by item."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SHOWN = 5  # differences of a part that are printed
WIDE = 300  # characters of a value that are printed
IMPORT = "import"  # the part that is there only where stores were made anew


def items_of(path: Path) -> dict[str, Any]:
    """The items of one part by their keys."""
    with path.open(encoding="utf-8") as file:
        return {one["key"]: one["value"] for one in map(json.loads, file)}


def differences(before: Any, after: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Where two JSON values differ: the path, the value before, the value after."""
    if isinstance(before, dict) and isinstance(after, dict):
        for name in sorted(before.keys() | after.keys()):
            if name not in before or name not in after:
                yield f"{path}/{name}", before.get(name, "(absent)"), after.get(name, "(absent)")
            else:
                yield from differences(before[name], after[name], f"{path}/{name}")
    elif isinstance(before, list) and isinstance(after, list):
        for number, (one, other) in enumerate(zip(before, after, strict=False)):
            yield from differences(one, other, f"{path}/{number}")
        if len(before) != len(after):
            yield f"{path} (length)", len(before), len(after)
    elif type(before) is not type(after) or before != after:
        yield path, *around(before, after)


def around(before: Any, after: Any) -> tuple[Any, Any]:
    """Two values, long texts from shortly before the first character that differs."""
    if not (isinstance(before, str) and isinstance(after, str)) or max(len(before), len(after)) <= WIDE:
        return before, after
    same = next((n for n, (one, other) in enumerate(zip(before, after, strict=False)) if one != other), len(before))
    start = max(0, same - 60)
    return f"…{before[start : start + WIDE]}", f"…{after[start : start + WIDE]}"


def shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= WIDE else f"{text[:WIDE]}…"


def compare_part(name: str, before: Path, after: Path) -> bool:
    """Print how many items of a part are equal and the first that are not; returns whether all are."""
    old, new = items_of(before), items_of(after)
    keys = list(dict.fromkeys([*old, *new]))
    unequal = [key for key in keys if key not in old or key not in new or any(differences(old[key], new[key]))]
    print(f"{name:<24} {len(keys) - len(unequal):>6} of {len(keys)} equal{'' if not unequal else '   DIFFERENT'}")
    for key in unequal[:SHOWN]:
        if key not in old or key not in new:
            print(f"  {key}: only {'before' if key in old else 'after'}")
            continue
        for path, one, other in list(differences(old[key], new[key]))[:2]:
            print(f"  {key}  {path or '/'}\n    before: {shown(one)}\n    after:  {shown(other)}")
    if len(unequal) > SHOWN:
        print(f"  … and {len(unequal) - SHOWN} more")
    return not unequal


def compare(before: Path, after: Path) -> bool:
    """Print a line a part; returns whether everything is equal."""
    facts = [json.loads((folder / "about.json").read_text(encoding="utf-8")) for folder in (before, after)]
    same = facts[0]["asked"] == facts[1]["asked"]
    if not same:
        print(f"recorded with other options: {facts[0]['asked']} before, {facts[1]['asked']} after")
    names = sorted({path.stem for folder in (before, after) for path in folder.glob("*.jsonl")})
    for name in names:
        places = [folder / f"{name}.jsonl" for folder in (before, after)]
        if all(place.exists() for place in places):
            same = compare_part(name, *places) and same
        elif name == IMPORT and any(fact["stores_taken"] for fact in facts):
            print(f"{name:<24} left out: one recording took its stores from another")
        elif facts[0]["steps"] != facts[1]["steps"]:
            print(f"{name:<24} left out: only one recording has that step")
        else:
            print(f"{name:<24} only in {'BEFORE' if places[0].exists() else 'AFTER'}   DIFFERENT")
            same = False
    print("everything is equal" if same and names else "DIFFERENT")
    return bool(same and names)
