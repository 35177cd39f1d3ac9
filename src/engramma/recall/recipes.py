"""Recipes: a plan is data. Each names its steps' numbers; `pmg` has the seed's as written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

from ..errors import BadInput, UnknownRecipe

MOST_STEPS = 1_000  # neighbours or chain steps from one entry


@dataclass(frozen=True, slots=True)
class Plan:
    """What recall does for one recipe."""

    name: str
    purpose: str
    entries: int | None = None  # most entry segments; None: the caller's k
    thresholds: Literal["fixed", "auto", "none"] = "none"  # none: no floor, no edge or dedup threshold
    floor: float = 0.6  # least similarity of an entry, when fixed
    edge: float = 0.6  # least weight of an edge followed, when fixed
    dedup: float = 0.85  # similarity to the active context at which a candidate is dropped, when fixed
    lateral: int = 0  # semantic neighbours followed from an entry
    vertical: int = 0  # chain steps before and after an entry
    budget_tokens: int | None = None  # size of the context block; None: no limit


RECIPES: dict[str, Plan] = {
    plan.name: plan
    for plan in (
        Plan(
            "default",
            "semantic entries above a floor that fits the model, with their surroundings",
            thresholds="auto",
            lateral=1,
            vertical=1,
            budget_tokens=4000,
        ),
        Plan(
            "pmg",
            "the Private Memory Graph as written: 3 entries >= 0.6, 3 lateral neighbours, +-2 along the chain",
            entries=3,
            thresholds="fixed",
            lateral=3,
            vertical=2,
        ),
        Plan("vector", "plain cosine: the k nearest segments and nothing else"),
    )
}


def plan_for(recipe: str, overrides: Mapping[str, Mapping[str, Any]]) -> Plan:
    """The named recipe with the store's own numbers in place."""
    plan = RECIPES.get(recipe)
    if plan is None:
        raise UnknownRecipe(f"There is no recipe {recipe!r:.80}. Known: {', '.join(RECIPES)}.")
    values = overrides.get(recipe, {})
    if not isinstance(values, Mapping):
        raise BadInput(f"config.toml: recipes.{recipe} must be a table of numbers, not {values!r:.80}.")
    settable = {f.name for f in fields(Plan)} - {"name", "purpose"}
    if unknown := sorted(set(values) - settable):
        raise BadInput(
            f"config.toml, recipes.{recipe}: unknown {', '.join(unknown)}. Known: {', '.join(sorted(settable))}."
        )
    return checked(replace(plan, **values))


def check_overrides(overrides: Mapping[str, Mapping[str, Any]]) -> None:
    """Refuse numbers that no recall could work with, before one is asked for."""
    if unknown := sorted(set(overrides) - set(RECIPES)):
        raise BadInput(f"config.toml: there is no recipe {', '.join(unknown)}. Known: {', '.join(RECIPES)}.")
    for recipe in overrides:
        plan_for(recipe, overrides)


def checked(plan: Plan) -> Plan:
    def need(name: str, ok: bool, what: str) -> None:
        if not ok:
            raise BadInput(f"config.toml, recipes.{plan.name}: {name} must be {what}, not {getattr(plan, name)!r:.80}.")

    need("thresholds", plan.thresholds in ("fixed", "auto", "none"), "fixed, auto or none")
    for name in ("entries", "budget_tokens"):
        value = getattr(plan, name)
        need(name, value is None or (type(value) is int and value >= 1), "a whole number from 1")
    for name in ("lateral", "vertical"):
        value = getattr(plan, name)
        need(name, type(value) is int and 0 <= value <= MOST_STEPS, f"a whole number from 0 to {MOST_STEPS}")
    for name in ("floor", "edge", "dedup"):
        value = getattr(plan, name)
        need(name, type(value) in (int, float) and -1 <= value <= 2, "a number from -1 to 2")
    return plan
