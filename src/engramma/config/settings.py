"""Settings: few, with defaults that need no file. A store's `config.toml` overrides them, and environment variables
(config/environment.py) override both."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ..errors import BadInput
from .environment import blamed, variables_of, with_environment

CONFIG_FILE = "config.toml"


@dataclass(frozen=True, slots=True)
class Config:
    """What a user may set. The numbers are PMG's unless a comment says otherwise."""

    embedder: str | None = None  # None: the packaged encoder
    reranker: str | None = None  # a cross-encoder's folder, for recipes that set `rerank`; None: the packaged reader
    edge_floor: float | None = None  # least cosine of a semantic edge; None: the embedder's (0.6 for ours)
    edge_cap: int = 20  # most semantic edges at one segment
    link_floor: float | str = 0.75  # takizen's: least cosine of a note's automatic links; "auto": calibrated
    prune_below: float = 0.05  # a note whose score is below this is retired
    grace_days: float = 90.0  # but not before it is this old
    merge_floor: float = 0.88  # pgmemory's: least cosine of two notes that become one
    consolidate_days: float = 7.0  # similar notes within this many days become one canonical note
    archive_after_days: float | None = None  # what was said longer ago leaves the index; None: nothing does
    idle_minutes: float = 30.0  # a session ends after this long a silence
    max_turn_bytes: int = 4 * 1024 * 1024  # a longer turn is a pasted file, not something said
    busy_seconds: float = 60.0  # how long a writer waits for the others
    redact: Mapping[str, Any] = field(default_factory=dict)  # [redact]: enabled, pii, disabled, rules
    index: Mapping[str, Any] = field(default_factory=dict)  # [index]: see index/external/settings.py
    store: Mapping[str, Any] = field(default_factory=dict)  # [store]: engine; see store/engine.py
    daemon: Mapping[str, Any] = field(default_factory=dict)  # [daemon]: see apps/daemon/settings.py
    llm: Mapping[str, Any] = field(default_factory=dict)  # [llm]: a language model; see models/llm.py
    recipes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # overrides of a recipe's parameters
    is_found: bool = field(default=False, compare=False)  # no setting: read from a store, and so not the caller's words


def default_store_path() -> Path:
    """Where the memory lies when nobody says otherwise."""
    if path := os.environ.get("ENGRAMMA_STORE"):
        return Path(path).expanduser()
    import platformdirs  # a tenth of the start-up time, needed only here

    return Path(platformdirs.user_data_dir("engramma", appauthor=False))


def load_config(directory: Path) -> Config:
    """The store's settings: environment variables over its config.toml over the defaults."""
    path = directory / CONFIG_FILE
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        text = ""
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path} cannot be read: {error}. Fix or delete it.") from error
    values = _read_toml(text, path) if text else {}
    config_from(values, str(path))  # what is wrong in the file is wrong whatever the environment says
    given, sources = with_environment(values)
    return config_from(given, str(path), sources) if given else Config()


def _read_toml(text: str, path: Path) -> dict[str, Any]:
    import tomllib  # most stores have no such file

    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise BadInput(f"{path} is not valid TOML: {error}. Fix or delete it.") from error


def config_from(values: Mapping[str, Any], where: str, sources: Mapping[str, str] = MappingProxyType({})) -> Config:
    """Settings as a store's file has them, checked, and marked as found; `sources` says who else set which."""
    return replace(validate_config(replace_known(Config(), values, where), where, sources), is_found=True)


def replace_known(config: Config, values: Mapping[str, Any], where: str) -> Config:
    known = {f.name for f in fields(Config) if f.compare}
    if unknown := sorted(set(values) - known):
        raise BadInput(f"{where}: unknown setting {', '.join(unknown)}. Known: {', '.join(sorted(known))}.")
    return replace(config, **values)


def validate_config(config: Config, where: str = "config", sources: Mapping[str, str] = MappingProxyType({})) -> Config:
    """Refuse values that could not work, before anything is stored under them."""

    def need(ok: bool, what: str) -> None:
        if not ok:
            raise BadInput(f"{blamed(what, where, sources)}: {what}.")

    def number(value: object) -> bool:
        return isinstance(value, int | float) and not isinstance(value, bool)

    need(config.embedder is None or isinstance(config.embedder, str), "embedder must be a string")
    need(config.reranker is None or isinstance(config.reranker, str), "reranker must be a string: a folder")
    floor = config.edge_floor
    need(floor is None or (number(floor) and 0 < floor <= 1), "edge_floor must be between 0 and 1")
    need(type(config.edge_cap) is int and 1 <= config.edge_cap <= 200, "edge_cap must be 1 to 200")
    link_floor = config.link_floor
    need(
        link_floor == "auto" or (number(link_floor) and 0 < float(link_floor) <= 1),
        'link_floor must be between 0 and 1, or be "auto"',
    )
    need(number(config.prune_below) and 0 <= config.prune_below <= 1, "prune_below must be between 0 and 1")
    need(number(config.merge_floor) and 0 < config.merge_floor <= 1, "merge_floor must be between 0 and 1")
    days = {"grace_days": config.grace_days, "consolidate_days": config.consolidate_days}
    for name, value in {**days, "archive_after_days": config.archive_after_days or 0}.items():
        need(number(value) and 0 <= value <= 36_600, f"{name} must be 0 to 36,600 days")
    need(config.archive_after_days != 0, "archive_after_days must be above 0; leave it out to archive nothing")
    need(
        number(config.idle_minutes) and 0 < config.idle_minutes <= 5_256_000,
        "idle_minutes must be above 0 and at most ten years (5,256,000)",
    )
    need(
        type(config.max_turn_bytes) is int and 1 <= config.max_turn_bytes <= 512 * 1024 * 1024,
        "max_turn_bytes must be 1 byte to 512 MiB",
    )
    need(number(config.busy_seconds) and 0 <= config.busy_seconds <= 86_400, "busy_seconds must be 0 to 86,400")
    need(isinstance(config.recipes, Mapping), "recipes must be a table")
    need(isinstance(config.redact, Mapping), "redact must be a table")
    need(isinstance(config.index, Mapping), "index must be a table")
    need(isinstance(config.store, Mapping), "store must be a table")
    need(isinstance(config.daemon, Mapping), "daemon must be a table")
    need(isinstance(config.llm, Mapping), "llm must be a table")
    if config.redact:
        from ..redaction import rules_from  # compiling the rules costs more than a command's start

        named = ", ".join(variables_of(config.redact).values())
        rules_from(config.redact, f"{named} or {where}" if named else where)
    return config
