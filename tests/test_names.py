"""A public name of the package means one thing, and a module is named by a noun or an act."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import engramma

ROOT = Path(engramma.__file__).parent

# Looked up by name, in modules that are handed around or by scripts, so each of them has it: name -> folders.
PROTOCOLS = {
    "register": ("apps/cli", "apps/mcp"),  # commands, tools
    "looks_like": ("sources",),  # sources/reader.py
    "read": ("sources", "evaluate/tasks"),
    "takes": ("sources",),
    "read_members": ("sources",),
    "put": ("apps/connect",),  # settings as JSON or TOML: apps/connect/registry.py
    "drop": ("apps/connect",),
    "run": ("apps/cli", "apps/hooks"),  # the entry points in pyproject.toml, by which installed scripts call them
}

# Participles, pronouns and the like, which say nothing of what is inside; "waiting_segments" does.
NO_MODULE = """
    about alone apart around asked aside away behind below beside between bound changed checked chosen closed done due
    elsewhere found gone held helper helpers here inside into joined kept known laid_aside late listed lost made manager
    meant misc missing moved moving named near once opened other outside over own packed parsed passing placed prepared
    private read relative remains reading said seen self shown spoken started stored stuff talks taken that them there
    things this told under us util utils waiting wanted what where which who whole whose within without written
"""
ENDINGS = ("_aside", "_asked", "_done", "_found", "_held", "_kept", "_known", "_made", "_said", "_seen", "_told")


def definitions(body: list[ast.stmt]) -> Iterator[str]:
    """The classes and functions of a module, also those under an `if` or a `try`."""
    for node in body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name
        elif isinstance(node, ast.If | ast.Try):
            yield from definitions([*node.body, *node.orelse])


def is_protocol(name: str, path: Path) -> bool:
    return path.parent.relative_to(ROOT).as_posix() in PROTOCOLS.get(name, ())


def test_no_public_class_or_function_name_stands_in_two_modules():
    homes: dict[str, set[str]] = defaultdict(set)
    for path in ROOT.rglob("*.py"):
        for name in definitions(ast.parse(path.read_text(encoding="utf-8")).body):
            if not name.startswith("_") and not is_protocol(name, path):
                homes[name].add(path.relative_to(ROOT).as_posix())
    assert {name: sorted(paths) for name, paths in homes.items() if len(paths) > 1} == {}


def test_no_module_is_named_by_a_participle_or_a_pronoun():
    names = {path.relative_to(ROOT).with_suffix("") for path in ROOT.rglob("*.py")}
    assert sorted(str(name) for name in names if name.name in NO_MODULE.split() or name.name.endswith(ENDINGS)) == []
