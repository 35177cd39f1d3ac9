"""Which items a LangGraph filter means, and which namespaces a condition names: as LangGraph's own stores read them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "$eq": lambda value, other: bool(value == other),
    "$ne": lambda value, other: bool(value != other),
    "$gt": lambda value, other: float(value) > float(other),
    "$gte": lambda value, other: float(value) >= float(other),
    "$lt": lambda value, other: float(value) < float(other),
    "$lte": lambda value, other: float(value) <= float(other),
}


class Condition(Protocol):
    """LangGraph's MatchCondition."""

    @property
    def match_type(self) -> str: ...
    @property
    def path(self) -> tuple[str, ...]: ...


def meets(value: Mapping[str, Any], wanted: Mapping[str, Any] | None) -> bool:
    """Whether a value has everything that a filter asks for."""
    return all(same(value.get(key), want) for key, want in (wanted or {}).items())


def same(value: Any, want: Any) -> bool:
    if isinstance(want, dict):
        if any(key.startswith("$") for key in want):
            return all(_compared(value, operator, other) for operator, other in want.items())
        return isinstance(value, dict) and all(same(value.get(key), part) for key, part in want.items())
    if isinstance(want, list | tuple):
        parts = zip(value, want, strict=False) if isinstance(value, list | tuple) else ()
        return isinstance(value, list | tuple) and len(value) == len(want) and all(same(a, b) for a, b in parts)
    return bool(value == want)


def _compared(value: Any, operator: str, other: Any) -> bool:
    """One comparison; what cannot be compared as numbers, such as a value that is not there, does not meet it."""
    if operator not in OPERATORS:
        raise ValueError(f"Unsupported operator: {operator}")
    try:
        return OPERATORS[operator](value, other)
    except (TypeError, ValueError):
        return False


def named_by(condition: Condition, namespace: tuple[str, ...]) -> bool:
    """Whether a namespace begins, or ends, with a path, in which `*` stands for any label."""
    path = tuple(condition.path)
    if condition.match_type not in ("prefix", "suffix"):
        raise ValueError(f"Unsupported match type: {condition.match_type}")
    if len(namespace) < len(path):
        return False
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[len(namespace) - len(path) :]
    return all(want in ("*", label) for label, want in zip(part, path, strict=True))
