"""Settings from environment variables: ENGRAMMA_EDGE_CAP, ENGRAMMA_DAEMON_PORT, ENGRAMMA_RECIPES_DEFAULT_POOL.

What is given on the command line or in the code wins over a variable, a variable over config.toml, and that over the
default. A value is read as TOML (`true`, `7733`, `["a", "b"]`), and as plain text where it is none. An empty variable
says nothing; a variable whose name is no setting's is left alone, since it may hold a key.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

PREFIX = "ENGRAMMA_"
TEXTS = ("embedder", "reranker")  # never read as anything but text
PLAIN = (
    *("embedder", "reranker", "edge_floor", "edge_cap", "link_floor", "prune_below", "grace_days", "merge_floor"),
    *("consolidate_days", "archive_after_days", "idle_minutes", "max_turn_bytes", "busy_seconds"),
)
# The settings of each table. tests/config/test_environment.py holds them against the records that they are read into.
TABLES: Mapping[str, tuple[str, ...]] = {
    "redact": ("enabled", "pii", "disabled", "rules"),
    "index": ("backend", "url", "path", "key_env", "timeout", "allow_http"),
    "store": ("engine",),
    "daemon": (
        *("host", "port", "allow_hosts", "tls_cert", "tls_key", "insecure_no_tls", "read_only", "inject", "capture"),
        *("upstreams", "steward_hours", "spool_items", "spool_bytes", "worker_memory_mb", "user_rate", "user_burst"),
    ),
    "llm": (
        *("url", "model", "key_env", "timeout", "max_tokens", "retries", "allow_http", "daily_tokens", "price_in"),
        *("price_out", "chunks", "chunk_turns", "background", "answers", "answer_timeout", "options"),
    ),
}
RECIPE_FIELDS = (
    *("channels", "fusion", "pool", "rrf_k", "weights", "rerank", "second_round", "mmr", "per_topic"),
    *("half_life_days", "entries"),
    *("thresholds", "floor", "edge", "dedup", "lateral", "hops", "cap", "vertical", "typed", "facts", "budget_tokens"),
)
RECIPE_TABLES = ("default", "best", "pmg", "pocketpaw", "pgmemory", "takizen", "bm25", "vector")


class SettingsTable(dict[str, Any]):
    """A table of settings that knows which of them a variable set."""

    def __init__(self, values: Mapping[str, Any], variables: Mapping[str, str]) -> None:
        super().__init__(values)
        self.variables = dict(variables)


def variable(*names: str) -> str:
    """The variable of a setting: ("daemon", "port") -> ENGRAMMA_DAEMON_PORT."""
    return PREFIX + "_".join(names).upper()


def variables_of(table: object) -> Mapping[str, str]:
    """The settings of a table that variables set, and which ones."""
    return table.variables if isinstance(table, SettingsTable) else {}


def blamed(what: str, where: str, sources: Mapping[str, str]) -> str:
    """What a wrong setting is blamed on: the option or variable that set it, or the place of all others.

    A message begins with its setting's name.
    """
    return sources.get(what.partition(" ")[0], where)


def with_environment(values: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """A store's settings under those of the environment, and the variable of each that is set by one."""
    found, sources = dict(values), dict[str, str]()
    for name, text in _given(PLAIN):
        found[name], sources[name] = (text if name in TEXTS else read_value(text)), variable(name)
    for table, names in TABLES.items():
        own = {name: read_value(text) for name, text in _given(names, table)}
        if own and isinstance(found.get(table, {}), Mapping):
            found[table] = SettingsTable({**found.get(table, {}), **own}, {name: variable(table, name) for name in own})
    recipes = found.get("recipes", {})
    for recipe in RECIPE_TABLES:
        own = {name: read_value(text) for name, text in _given(RECIPE_FIELDS, "recipes", recipe)}
        if own and isinstance(recipes, Mapping) and isinstance(recipes.get(recipe, {}), Mapping):
            told = {name: variable("recipes", recipe, name) for name in own}
            recipes = {**recipes, recipe: SettingsTable({**recipes.get(recipe, {}), **own}, told)}
            found["recipes"] = recipes
    return found, sources


def _given(names: Iterable[str], *tables: str) -> Iterator[tuple[str, str]]:
    for name in names:
        if text := os.environ.get(variable(*tables, name), "").strip():
            yield name, text


def read_value(text: str) -> Any:
    """A value as config.toml would have it; plain text where that is no TOML, or a date."""
    import tomllib  # most environments set nothing

    try:
        value = tomllib.loads(f"value = {text}")["value"]
    except (tomllib.TOMLDecodeError, RecursionError, KeyError):
        return text
    return value if isinstance(value, bool | int | float | str | list | dict) else text
