"""Options take plain values as they stand; everything else is converted, and complained of, by typer."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from engramma.apps.cli.plain_values import processed


def option(kind: type, **more: Any) -> Any:
    info = {"parser": None, "min": None, "max": None, "exists": False, "file_okay": True, "dir_okay": True}
    info |= {"writable": False, "resolve_path": False, "allow_dash": False, **more}
    described = SimpleNamespace(parameter_info=SimpleNamespace(**info), annotation=kind)
    return SimpleNamespace(type_descriptor=described, multiple=False, nargs=1, required=False, callback=None)


def by_typer(_: Any, value: Any) -> str:
    return f"typer got {value!r}"


@pytest.mark.parametrize(
    ("kind", "given", "taken"),
    [(str, "cat", "cat"), (int, "007", 7), (Path, ".", Path()), (str, None, None)],
)
def test_plain_values_are_taken(kind, given, taken):
    assert processed(option(kind), by_typer, None, given) == taken


@pytest.mark.parametrize(
    ("kind", "given"),
    [(int, "-1"), (int, "1e3"), (int, "٣"), (int, "9" * 16), (float, "1.5"), (Path, "/not/there"), (str, "\udcff")],
)
def test_all_others_are_typers(kind, given):
    assert processed(option(kind), by_typer, None, given) == f"typer got {given!r}"


def test_several_words_are_taken_as_a_list():
    several = option(list[str])
    several.nargs = -1
    assert processed(several, by_typer, None, ("amber", "brooch")) == ["amber", "brooch"]
    assert processed(several, by_typer, None, ("amber", "\udcff")) == "typer got ('amber', '\\udcff')"


def test_a_bound_is_typers_to_check():
    assert processed(option(int, max=5), by_typer, None, "3") == "typer got '3'"


def test_a_typer_that_describes_its_options_otherwise_is_left_alone():
    other = SimpleNamespace(type_descriptor=SimpleNamespace(), multiple=False, nargs=1, required=False, callback=None)
    assert processed(other, by_typer, None, "cat") == "typer got 'cat'"
