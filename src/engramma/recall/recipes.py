"""Recipes: a plan is data. Each names its steps' numbers; `pmg` has the seed's as written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

from ..errors import BadInput, UnknownRecipe


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
    settable = {f.name for f in fields(Plan)} - {"name", "purpose"}
    if unknown := sorted(set(values) - settable):
        raise BadInput(
            f"config.toml, recipes.{recipe}: unknown {', '.join(unknown)}. Known: {', '.join(sorted(settable))}."
        )
    plan = replace(plan, **values)
    if plan.thresholds not in ("fixed", "auto", "none"):
        raise BadInput(f"config.toml, recipes.{recipe}: thresholds must be fixed, auto or none.")
    return plan
