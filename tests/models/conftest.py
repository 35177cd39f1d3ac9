from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from engramma.models import packaged
from engramma.models.reader import PassageReader
from tests.models.servers import serve

__all__ = ["serve"]


READ = PassageReader._read


@pytest.fixture(scope="module", autouse=True)
def models_asked_themselves(one_encoder: dict[str, Callable[..., object]]) -> Iterator[None]:
    """Here the models are tested, not what was remembered of them."""
    with pytest.MonkeyPatch.context() as patch:
        for name, load in one_encoder.items():
            patch.setattr(packaged, name, load)
        patch.setattr(PassageReader, "_read", READ)
        yield


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
