from __future__ import annotations

import pytest

from tests.models.servers import serve

__all__ = ["serve"]


@pytest.fixture(autouse=True)
def own_environment(monkeypatch, tmp_path):
    """No test sees the machine's settings, nor its cache."""
    for name in ("OFFLINE", "MODELS", "HUB", "EMBED_API_KEY"):
        monkeypatch.delenv(f"ENGRAMMA_{name}", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.setattr("engramma.models.environment.cache_folder", lambda: tmp_path / "own-cache")
