"""Recipes: a plan is data. Each names its steps' numbers; `pmg` has the seed's as written."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, replace
from types import MappingProxyType
from typing import Any

from ..config.environment import variables_of
from ..errors import BadInput, UnknownRecipe
from ..records import Plan as Plan

CHANNELS = ("semantic", "lexical", "graph")
MOST_STEPS = 1_000  # neighbours or chain steps from one entry
MOST_RERANKED = 1_000


# Of a message in a chat that goes on from what was said last, and of nothing else (docs/log/messages.md).
GOES_ON = {"latest": 3.0, "sessions_since": -1.0, "its_conversation": 2.0}

# Fitted on the LoCoMo development half (docs/log.md, "Fusion"), what stands out chosen on all sets (docs/log.md, "What
# stands out"); what each means is in recall/evidence.py.
EVIDENCE = {
    "meaning": 0.82,
    "meaning_rank": -0.30,
    "meaning_stands_out": 1.5,
    "words_rank": -0.38,
    "session_meaning": 0.28,
    "session_words": 2.2,
    "other_speaker": -1.0,
    "absent": -2.0,
    "conversation": 1.0,
    "question": -0.73,
    "answers": 0.34,
    "length": 0.31,
    "tells_time": 0.45,
    "tells_when": 1.8,
    "in_time": 4.1,
    "stands_out": 12.0,
    "quoted": 6.0,
    "standing": 4.0,
    # Of a note: its strength, and the tags `important` and `pinned`. 0: on the benchmarks nobody rated anything, and a
    # rating that has nothing to do with the question costs recall (docs/log/importance.md).
    "importance": 0.0,
    **GOES_ON,
}

# Evidence that needs the question's vector.
MEANING = ("meaning", "meaning_rank", "meaning_stands_out", "session_meaning", "answers")


RECIPES: dict[str, Plan] = {
    plan.name: plan
    for plan in (
        Plan(
            "default",
            "meaning and words, weighted with neighbours, session, speaker and time; best in our measurements",
            channels=("semantic", "lexical"),
            fusion="evidence",
            weights=EVIDENCE,
            second_round=2,
            thresholds="auto",
            lateral=1,
            vertical=1,
            typed=5,
            budget_tokens=4000,
        ),
        Plan(
            "best",
            "default, and then a reader looks at the first 12 to 30 beside the question: the best order, in more time",
            channels=("semantic", "lexical"),
            fusion="evidence",
            weights=EVIDENCE,
            rerank=12,
            second_round=2,
            thresholds="auto",
            lateral=1,
            vertical=1,
            typed=5,
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
        Plan(
            "pocketpaw",
            "PocketPaw as written: the 8 nearest by cosine, expanded along 2 hops of the graph",
            entries=8,
            thresholds="fixed",
            floor=-1.0,
            dedup=2.0,
            lateral=3,
            hops=2,
        ),
        Plan(
            "pgmemory",
            "pgmemory as written: vector and text ranks fused by RRF (k = 60), then MMR (0.7 relevance)",
            channels=("semantic", "lexical"),
            fusion="rrf",
            mmr=0.7,
        ),
        Plan(
            "takizen",
            "takizen as written: semantic and graph ranks fused by RRF (k = 60), 2 hops, at most 20 by graph",
            channels=("semantic", "graph"),
            fusion="rrf",
            thresholds="fixed",
            floor=-1.0,
            edge=0.75,
            dedup=2.0,
            hops=2,
            cap=20,
        ),
        Plan("bm25", "words only: the k best by BM25", channels=("lexical",)),
        Plan("vector", "plain cosine: the k nearest segments and nothing else"),
    )
}

# What `default` is worth without each of its stages: the harness runs every one of them.
ABLATIONS: dict[str, Plan] = {
    **{
        name: replace(RECIPES["default"], weights={key: value for key, value in EVIDENCE.items() if key != name})
        for name, weight in EVIDENCE.items()
        if weight
    },
    "words channel": replace(
        RECIPES["default"],
        channels=("semantic",),
        weights={key: value for key, value in EVIDENCE.items() if key not in ("words_rank", "session_words")},
    ),
    "meaning channel": replace(
        RECIPES["default"],
        channels=("lexical",),
        weights={key: value for key, value in EVIDENCE.items() if key not in MEANING},
    ),
    "session evidence": replace(
        RECIPES["default"], weights={key: value for key, value in EVIDENCE.items() if not key.startswith("session_")}
    ),
    "second round": replace(RECIPES["default"], second_round=0),
    "rank fusion instead": replace(RECIPES["default"], fusion="rrf"),
    "lateral expansion": replace(RECIPES["default"], lateral=0),
    "vertical expansion": replace(RECIPES["default"], vertical=0),
    "two hops instead": replace(RECIPES["default"], hops=2),
    "floor": replace(RECIPES["default"], thresholds="none"),
}


def needs_vector(plan: Plan) -> bool:
    """Whether a plan looks for meaning, or words do."""
    return "semantic" in plan.channels or any(plan.weights.get(name) for name in MEANING)


def by_words(plan: Plan) -> Plan:
    """What is left of a plan where a question cannot be embedded: its words, and what they lead to."""
    channels = ("lexical", "graph") if "graph" in plan.channels else ("lexical",)
    fusion = plan.fusion if plan.fusion == "evidence" else "none" if len(channels) == 1 else "rrf"
    weights = {name: weight for name, weight in plan.weights.items() if name not in MEANING}
    return replace(plan, channels=channels, fusion=fusion, weights=weights)


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
    changes = dict(values)
    for name in ("weights", "channels"):
        if name in changes:
            changes[name] = _take_setting(plan, name, changes[name], variables_of(values).get(name))
    return _checked(replace(plan, **changes), sources=variables_of(values))


def _take_setting(plan: Plan, name: str, value: Any, variable: str | None = None) -> Any:
    """A table of weights joins the recipe's own, so that one can be changed alone; a list becomes a tuple."""
    if name == "channels" and isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    if name == "weights" and isinstance(value, Mapping):
        return {**plan.weights, **value}
    raise BadInput(f"{variable or f'config.toml, recipes.{plan.name}'}: {name} cannot be {value!r:.80}.")


def check_overrides(overrides: Mapping[str, Mapping[str, Any]]) -> None:
    """Refuse numbers that no recall could work with, before one is asked for."""
    if unknown := sorted(set(overrides) - set(RECIPES)):
        raise BadInput(f"config.toml: there is no recipe {', '.join(unknown)}. Known: {', '.join(RECIPES)}.")
    for recipe in overrides:
        plan_for(recipe, overrides)


def is_finite(value: object) -> bool:
    return type(value) in (int, float) and math.isfinite(value)  # type: ignore[arg-type]


def checked_plan(plan: Plan) -> Plan:
    """A plan made by the caller."""
    return _checked(plan, f"plan {plan.name!r:.80}")


def _checked(plan: Plan, where: str | None = None, sources: Mapping[str, str] = MappingProxyType({})) -> Plan:
    def need(name: str, ok: bool, what: str) -> None:
        if not ok:
            place = sources.get(name) or where or f"config.toml, recipes.{plan.name}"
            raise BadInput(f"{place}: {name} must be {what}, not {getattr(plan, name)!r:.80}.")

    need("channels", bool(plan.channels) and set(plan.channels) <= set(CHANNELS), f"some of {', '.join(CHANNELS)}")
    need(
        "channels", set(plan.channels) != {"graph"}, "semantic or lexical as well: the graph starts from what they find"
    )
    need("fusion", plan.fusion in ("none", "rrf", "evidence"), "none, rrf or evidence")
    need("fusion", plan.fusion != "none" or len(plan.channels) == 1, "rrf or evidence, with several channels")
    known = set(plan.weights) <= set(EVIDENCE) and all(is_finite(value) for value in plan.weights.values())
    need("weights", known, f"numbers for some of {', '.join(EVIDENCE)}")
    need("mmr", plan.mmr is None or (type(plan.mmr) in (int, float) and 0 <= plan.mmr <= 1), "a number from 0 to 1")
    half = plan.half_life_days
    need("half_life_days", half is None or (is_finite(half) and half > 0), "a number of days above 0")
    for name, most in (("pool", 1_000), ("rrf_k", 100_000), ("hops", 2), ("cap", 1_000)):
        value = getattr(plan, name)
        need(name, type(value) is int and 1 <= value <= most, f"a whole number from 1 to {most:,}")
    need("thresholds", plan.thresholds in ("fixed", "auto", "none"), "fixed, auto or none")
    for name in ("entries", "budget_tokens", "per_topic"):
        value = getattr(plan, name)
        need(name, value is None or (type(value) is int and value >= 1), "a whole number from 1")
    steps = ("lateral", "vertical", "typed", "facts")
    for name, most in (*((n, MOST_STEPS) for n in (*steps, "second_round")), ("rerank", MOST_RERANKED)):
        value = getattr(plan, name)
        need(name, type(value) is int and 0 <= value <= most, f"a whole number from 0 to {most}")
    for name in ("floor", "edge", "dedup"):
        value = getattr(plan, name)
        need(name, type(value) in (int, float) and -1 <= value <= 2, "a number from -1 to 2")
    return plan
