"""What the source of a module says: its classes, calls, fields and their remarks."""

from __future__ import annotations

import ast
import dataclasses
import importlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from reference_markdown import paragraphs


def members(module: str, name: str, shown: str, inner: Sequence[str]) -> list[str]:
    node = class_in(importlib.import_module(f"engramma.{module}"), name)
    lines = [docstring(node), ""]
    functions = [one for one in node.body if isinstance(one, ast.FunctionDef)]
    for one in functions:
        if not one.name.startswith("_") and one.name not in inner and not is_property(one):
            is_made = any(isinstance(d, ast.Name) and d.id == "classmethod" for d in one.decorator_list)
            lines += [f"### {name if is_made else shown}.{one.name}", "", *described(one, one.name)]
    if found := [one for one in functions if is_property(one)]:
        told = ", ".join(f"`{one.name}: {ast.unparse(one.returns) if one.returns else 'Any'}`" for one in found)
        lines += [f"Properties: {told}.", ""]
    return lines


def described(node: ast.FunctionDef, name: str) -> list[str]:
    return ["```", signature(node, name), "```", docstring(node), ""]


def signature(node: ast.FunctionDef, name: str) -> str:
    """A call as it is written in Python, one argument a line where it would be long."""
    arguments = list(parameters(node.args))
    result = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    short = f"{name}({', '.join(arguments)}){result}"
    if len(short) <= 100:
        return short
    return "\n".join([f"{name}(", *(f"    {one}," for one in arguments), f"){result}"])


def parameters(given: ast.arguments) -> Iterator[str]:
    plain = [*given.posonlyargs, *given.args]
    defaults = [None] * (len(plain) - len(given.defaults)) + list(given.defaults)
    for one, default in zip(plain, defaults, strict=True):
        if one.arg not in ("self", "cls"):
            yield parameter(one, default)
    if given.vararg or given.kwonlyargs:
        yield f"*{parameter(given.vararg, None)}" if given.vararg else "*"
    for one, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        yield parameter(one, default)
    if given.kwarg:
        yield f"**{parameter(given.kwarg, None)}"


def parameter(one: ast.arg, default: ast.expr | None) -> str:
    kind = f": {ast.unparse(one.annotation)}" if one.annotation else ""
    return f"{one.arg}{kind}" + (f" = {ast.unparse(default)}" if default is not None else "")


def declared(node: ast.AnnAssign) -> str:
    return ast.unparse(node).replace("\n", " ")


def docstring(node: ast.ClassDef | ast.FunctionDef) -> str:
    return paragraphs(ast.get_docstring(node) or "")


def is_property(node: ast.FunctionDef) -> bool:
    return any(isinstance(d, ast.Name) and d.id == "property" for d in node.decorator_list)


def source(module: ModuleType) -> str:
    assert module.__file__ is not None
    return Path(module.__file__).read_text(encoding="utf-8")


def class_in(module: ModuleType, name: str) -> ast.ClassDef:
    (found,) = (n for n in ast.parse(source(module)).body if isinstance(n, ast.ClassDef) and n.name == name)
    return found


def fields_in(node: ast.ClassDef) -> list[ast.AnnAssign]:
    return [one for one in node.body if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)]


def comment(lines: Sequence[str], node: ast.stmt) -> str:
    """The comment at the end of a statement's last line."""
    assert node.end_lineno is not None and node.end_col_offset is not None
    rest = lines[node.end_lineno - 1].encode()[node.end_col_offset :].decode()
    return rest.strip().removeprefix("#").strip()


def default_of(one: dataclasses.Field[Any]) -> str:
    if one.default is not dataclasses.MISSING:
        return f"`{one.default!r}`"
    if one.default_factory is not dataclasses.MISSING:
        value = one.default_factory()
        return f"`{dict(value) if isinstance(value, Mapping) else value!r}`" if value else "empty"
    return "required"
