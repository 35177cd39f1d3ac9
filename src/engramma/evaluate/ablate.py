"""Measures what each stage of the recipe `default` is worth: one plan per stage, with that stage left out."""

from __future__ import annotations

from ..recall.recipes import ABLATIONS, RECIPES, Plan

WHOLE = "default"
WITHOUT = "without "


def ways_of(names: tuple[str, ...], ablate: bool) -> dict[str, str | Plan]:
    """Label -> the recipe or plan to ask by; what is left out of `default` comes last."""
    ways: dict[str, str | Plan] = {name: name for name in names}
    if ablate:
        ways = {WHOLE: WHOLE, **ways, **{f"{WITHOUT}{name}": plan for name, plan in ABLATIONS.items()}}
    return ways


def expand_recipe_names(names: tuple[str, ...]) -> tuple[str, ...]:
    """The recipes asked for, each once; `all` stands for every recipe there is."""
    return tuple(RECIPES) if "all" in names else tuple(dict.fromkeys(names))
