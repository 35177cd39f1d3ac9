"""Every setting by an environment variable: option over variable over config.toml over default."""

from __future__ import annotations

from dataclasses import fields

import pytest

from engramma import BadInput, Config, Memory
from engramma.apps.daemon.settings import DaemonSettings, settings_from
from engramma.config.environment import PLAIN, RECIPE_FIELDS, RECIPE_TABLES, TABLES, read_value, variable
from engramma.config.settings import load_config
from engramma.index.external.settings import IndexSettings, index_settings
from engramma.models.llm import LLMSettings, llm_settings
from engramma.recall.recipes import RECIPES, Plan, plan_for
from tests.fakes import HashEmbedder


def names(record):
    return {one.name for one in fields(record)}


def test_every_setting_has_a_variable():
    tables = {"redact", "index", "store", "daemon", "llm", "recipes"}
    assert set(PLAIN) | tables == {one.name for one in fields(Config) if one.compare}
    assert set(TABLES) == tables - {"recipes"}
    assert set(TABLES["daemon"]) == names(DaemonSettings)
    assert set(TABLES["index"]) == names(IndexSettings)
    assert set(TABLES["llm"]) == names(LLMSettings)
    assert set(RECIPE_FIELDS) == names(Plan) - {"name", "purpose"}
    assert set(RECIPE_TABLES) == set(RECIPES)


def test_a_variable_wins_over_the_file_and_the_file_over_the_default(tmp_path, monkeypatch):
    assert load_config(tmp_path).edge_cap == Config().edge_cap
    (tmp_path / "config.toml").write_text("edge_cap = 7\nidle_minutes = 5\n[daemon]\nport = 8000\n", encoding="utf-8")
    assert load_config(tmp_path).edge_cap == 7
    monkeypatch.setenv("ENGRAMMA_EDGE_CAP", "9")
    monkeypatch.setenv("ENGRAMMA_DAEMON_HOST", "localhost")
    monkeypatch.setenv("ENGRAMMA_RECIPES_DEFAULT_POOL", "80")
    monkeypatch.setenv("ENGRAMMA_MERGE_FLOOR", " ")
    found = load_config(tmp_path)
    assert (found.edge_cap, found.idle_minutes, found.merge_floor) == (9, 5, Config().merge_floor)
    assert settings_from(found.daemon).host == "localhost" and settings_from(found.daemon).port == 8000
    assert settings_from(found.daemon, host="127.0.0.1").host == "127.0.0.1", "an option wins"
    assert plan_for("default", found.recipes).pool == 80 and plan_for("vector", found.recipes).pool == 60


def test_what_the_code_gives_wins_over_a_variable(tmp_path, monkeypatch):
    monkeypatch.setenv("ENGRAMMA_EDGE_CAP", "9")
    with Memory.open(tmp_path / "store", embedder=HashEmbedder(), config=Config(edge_cap=3)) as memory:
        assert memory.config.edge_cap == 3
    with Memory.open(tmp_path / "store", embedder=HashEmbedder()) as memory:
        assert memory.config.edge_cap == 9


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ENGRAMMA_EDGE_CAP", "0"),
        ("ENGRAMMA_IDLE_MINUTES", "soon"),
        ("ENGRAMMA_DAEMON_PORT", "99999"),
        ("ENGRAMMA_INDEX_TIMEOUT", "0"),
        ("ENGRAMMA_LLM_TIMEOUT", "-1"),
        ("ENGRAMMA_LLM_URL", "ftp://here"),
        ("ENGRAMMA_RECIPES_DEFAULT_HOPS", "7"),
        ("ENGRAMMA_RECIPES_DEFAULT_WEIGHTS", "heavy"),
        ("ENGRAMMA_REDACT_ENABLED", '"perhaps"'),
    ],
)
def test_a_wrong_value_is_blamed_on_its_variable(tmp_path, monkeypatch, name, value):
    if name == "ENGRAMMA_LLM_TIMEOUT":
        monkeypatch.setenv("ENGRAMMA_LLM_URL", "http://127.0.0.1:1/v1")
    monkeypatch.setenv("ENGRAMMA_LLM_MODEL", "m")
    monkeypatch.setenv(name, value)
    with pytest.raises(BadInput, match=name):
        found = load_config(tmp_path)
        settings_from(found.daemon)
        index_settings(found.index)
        plan_for("default", found.recipes)
        llm_settings(found.llm)


def test_values_are_read_as_toml_and_else_as_text():
    assert [read_value(text) for text in ("7", "0.5", "true", '["a"]', "{a = 1}", '"7"')] == [
        *(7, 0.5, True, ["a"], {"a": 1}, "7")
    ]
    assert [read_value(text) for text in ("127.0.0.1", "http://x/v1", "2026-01-01", "auto")] == [
        *("127.0.0.1", "http://x/v1", "2026-01-01", "auto")
    ]
    assert variable("recipes", "default", "pool") == "ENGRAMMA_RECIPES_DEFAULT_POOL"


def test_a_key_is_no_setting(tmp_path, monkeypatch):
    for name in ("ENGRAMMA_LLM_API_KEY", "ENGRAMMA_INDEX_KEY", "ENGRAMMA_LLM_SECRET", "ENGRAMMA_STORE"):
        monkeypatch.setenv(name, "x")
    assert load_config(tmp_path) == Config()
